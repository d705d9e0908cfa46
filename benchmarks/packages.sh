#!/usr/bin/env bash
# Build the wheel and the sdist, install each in a fresh environment, and write a small report with both. The wheel is
# installed with the lowest versions of its dependencies that it allows. Needs the package registry and a few minutes.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_QUIET=1 MPLBACKEND=Agg

python3 -m venv "$scratch/tools"
"$scratch/tools/bin/pip" install build uv
"$scratch/tools/bin/python" -m build --outdir "$scratch/dist" "$root" > /dev/null

installed() {  # VENV: write a small report with the package in this environment
    "$scratch/tools/bin/uv" pip freeze --quiet --python "$1/bin/python" | grep -E '^(numpy|scipy|sympy|mpmath|matplotlib|cyclopts)=='
    (cd "$scratch" && "$1/bin/igb" report --quick --out "$1/report")
}

python3 -m venv "$scratch/lowest"
install=("$scratch/tools/bin/uv" pip install --quiet --python "$scratch/lowest/bin/python")
"${install[@]}" --resolution lowest-direct -r "$root/pyproject.toml"
"${install[@]}" --no-deps "$scratch"/dist/*.whl
echo 'The wheel, with the lowest versions of its dependencies'
installed "$scratch/lowest"

python3 -m venv "$scratch/sdist"
"$scratch/sdist/bin/pip" install "$scratch"/dist/*.tar.gz
echo 'The sdist, with the newest versions'
installed "$scratch/sdist"
