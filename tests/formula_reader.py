"""Read the formulas that `derive` prints, as text or as LaTeX, and evaluate them with plain sums.

The reader translates LaTeX into text mark by mark, and an unknown mark is an error. Integrals are midpoint sums.
"""

import re
from typing import Any

import numpy as np
import sympy as sp
from scipy import special
from sympy.core.function import AppliedUndef

Definitions = dict[str, Any]
"""The right side of each symbol by its name, and the argument names and right side of each function by its name."""
GREEK = ("theta", "gamma", "pi", "sigma", "mu", "chi", "Phi", "phi")
KNOWN = ("sin", "cos", "tan", "exp", "log", "sinh", "cosh", "tanh", "sqrt", "acos", "asin", "atan", "erf", "erfinv")
FUNCTIONS = {name: getattr(sp, name) for name in (*KNOWN, "gamma", "Integral", "Derivative", "Piecewise", "DiracDelta")}
ROOTS = {"sigma_w": "sigma_w2", "sigma_b": "sigma_b2", "sigma_mu": "var_mu", "sigma_chi": "var_chi"}
LONGEST, NODES, CELLS = 9.0, 1200, 281
"""Integrals have NODES nodes up to sinh(LONGEST); double integrals have CELLS cells on a side, centred at 0."""


def read_text(text: str) -> Definitions:
    """Return the definitions in the text; a line that begins with spaces continues the previous one."""
    lines = re.sub(r"\n    ", " ", text).splitlines()
    found: Definitions = {}
    for line in lines:
        if line and line != "where":
            left, right = line.split(" = ", 1)
            right, *held = right.split("  for l = ")
            _define(found, left, re.sub(r" = -?[\d.e+-]+$", "", right), held[0].split(" with ")[0] if held else "")
    return found


def read_latex(latex: str) -> Definitions:
    """Return the definitions in an align* environment."""
    body = latex.removeprefix("\\begin{align*}\n").removesuffix("\n\\end{align*}")
    body = re.sub(r" \\\\ &\\quad ", " ", body)
    found: Definitions = {}
    for row in body.split(" \\\\\n"):
        if row == r"& \text{where}":
            continue
        left, right = row.split(" &= ", 1)
        right, *held = right.split(r" \\ &\qquad l = ")
        _define(found, _Latex(left).read(), _Latex(right).read(), held[0].replace(r"\dots", "...") if held else "")
    return found


def _define(found: Definitions, left: str, right: str, held: str) -> None:
    """Add a definition, or one for every layer if it holds for several layers."""
    if held:
        first, last = (int(end) for end in (held.split(", ", 1)[0], held.rsplit(", ", 1)[-1]))
        for layer in range(first, last + 1):
            _define(found, _at(left, layer), _at(right, layer), "")
    elif match := re.fullmatch(r"(\w+)\((.*)\)", left):
        found[match[1]] = (match[2].split(", "), _parsed(right))
    else:
        found["gamma_" if left == "gamma" else left] = _parsed(right)


def _at(text: str, layer: int) -> str:
    return re.sub(r"_k\b", f"_{layer - 1}", re.sub(r"_l\b", f"_{layer}", text))


def _parsed(text: str) -> Any:
    names = set(re.findall(r"[A-Za-z_]\w*(?=\()", text)) - FUNCTIONS.keys()
    symbols = set(re.findall(r"[A-Za-z_]\w*(?!\w*\()", text)) - FUNCTIONS.keys() - names - {"pi", "oo", "E", "True"}
    if re.search(r"\bgamma\b(?!\()", text):
        text = re.sub(r"\bgamma\b(?!\()", "gamma_", text)
        symbols |= {"gamma_"}
    scope: dict[str, Any] = {**FUNCTIONS, "pi": sp.pi, "oo": sp.oo, "E": sp.E, "True": True}
    scope |= {name: sp.Function(name) for name in names} | {name: sp.Symbol(name) for name in symbols}
    unknown = set(re.findall(r"[^\w\s().,+*/<>=-]", text))
    assert not unknown, f"{unknown} in {text}"
    return sp.sympify(text, locals=scope)


class _Latex:
    """A translator from LaTeX to SymPy text that reads from left to right."""

    def __init__(self, latex: str) -> None:
        self.marks = re.findall(r"\\[a-zA-Z]+|\\[,:\\]|\d+|\S", latex)

    def read(self, *ends: str) -> str:
        """Return the text up to the next of these marks."""
        found: list[str] = []
        while self.marks and self.marks[0] not in ends:
            found.append(self._factor())
        return _joined(found)

    def _next(self, expected: str | None = None) -> str:
        mark: str = self.marks.pop(0)
        assert expected is None or mark == expected, f"expected {expected}, got {mark}"
        return mark

    def _group(self) -> str:
        if self.marks[0] != "{":
            return self._next()
        self._next("{")
        found = self.read("}")
        self._next("}")
        return found

    def _word(self) -> str:
        """Return the letters in braces."""
        self._next("{")
        letters = ""
        while self.marks[0] != "}":
            letters += self._next().removeprefix("\\")
        self._next("}")
        return letters

    def _factor(self) -> str:
        mark = self._next()
        if mark in (r"\,", r"\:", "+", "-", "<", ">", "=", ","):
            return "" if mark in (r"\,", r"\:") else mark
        if mark == r"\iint":
            inner = self.read("d")
            assert [self._next() for _ in range(5)] == ["d", "x", r"\,", "d", "y"]
            return f"Integral({inner}, (x, -oo, oo), (y, -oo, oo))"
        if mark == r"\int":
            return self._integral()
        if mark == r"\frac" and self.marks[1:3] == [r"\partial", "^"]:
            return self._mixed()
        base = self._base(mark)
        return f"{base}**({self._power()})" if self.marks[:1] == ["^"] else base

    def _power(self) -> str:
        self._next("^")
        return self._group()

    def _base(self, mark: str) -> str:
        if mark == r"\frac":
            return f"(({self._group()})/({self._group()}))"
        if mark == r"\sqrt":
            return f"sqrt({self._group()})"
        if mark == r"\left":
            return self._bracket()
        if mark == "(":  # SymPy prints -(a + b) so
            inner = self.read(")")
            self._next(")")
            return f"({inner})"
        if mark == r"\begin":
            return self._cases()
        if mark == "{":
            self.marks.insert(0, "{")
            return f"({self._group()})"
        if mark == r"\infty":
            return "oo"
        if mark == "e":
            return f"exp({self._power()})" if self.marks[:1] == ["^"] else "E"
        if mark == r"\delta":
            return f"DiracDelta({self._argument()})"
        if mark == r"\operatorname":
            return self._call(self._word())
        name = mark.removeprefix("\\")
        if name in ("arccos", "arcsin", "arctan"):
            return self._call("a" + name[3:])
        if name in (*KNOWN, "tanh", "Gamma"):
            return self._call("gamma" if name == "Gamma" else name)
        assert re.fullmatch(r"[A-Za-z]|\d+", name) or name in GREEK, f"unknown mark {mark}"
        return self._name(name)

    def _name(self, name: str) -> str:
        """Return a symbol with its index; the symbol of a variance is sigma squared, and sigma is its root."""
        index = ""
        if self.marks[:1] == ["_"]:
            self._next("_")
            index = re.sub(r"[\s{}\\]", "", self._group()).replace("*", "_").replace("l-1", "k").replace("G_0", "G0")
        if name == "sigma":
            letter, _, layer = index.partition(",")
            symbol = f"v_{letter}_{layer}" if layer else ROOTS[f"sigma_{letter}"]
            if self.marks[:1] != ["^"]:
                return f"sqrt({symbol})"
            power = self._power()
            return symbol if power == "2" else f"{symbol}**({power}/2)"
        symbol = f"{name}_{index.replace(',', '_')}" if index else name
        return self._call(symbol) if self._is_called() else symbol

    def _is_called(self) -> bool:
        """Return whether arguments follow, possibly after a power."""
        rest = list(self.marks)
        if self.marks[:1] == ["^"]:
            self._power()
        found = self.marks[:2] == ["{", r"\left"]
        self.marks = rest
        return found

    def _call(self, name: str) -> str:
        power = self._power() if self.marks[:1] == ["^"] else ""
        called = f"{name}({self._argument()})"
        return f"{called}**({power})" if power else called

    def _argument(self) -> str:
        braced = self.marks[:1] == ["{"]
        if braced:
            self._next("{")
        self._next(r"\left")
        found = self._bracket()[1:-1]
        if braced:
            self._next("}")
        return found

    def _bracket(self) -> str:
        self._next("(")
        found = self.read(r"\right")
        self._next(r"\right")
        self._next(")")
        return f"({found})"

    def _integral(self) -> str:
        self._next(r"\limits")
        self._next("_")
        low, high = self._group(), self._power()
        inner = self.read("d")
        self._next("d")
        return f"Integral({inner}, ({self._next()}, {low}, {high}))"

    def _mixed(self) -> str:
        self._next("{")
        for mark in (r"\partial", "^"):
            self._next(mark)
        assert self._group() == "2"
        self._next("}")
        self._next("{")
        variables = []
        for _ in range(2):
            self._next(r"\partial")
            variables.append(self._next())
        self._next("}")
        return f"Derivative({self._factor()}, {', '.join(reversed(variables))})"

    def _cases(self) -> str:
        assert self._word() == "cases"
        parts = []
        while True:
            value = self.read("&")
            self._next("&")
            self._next(r"\text")
            holds = "True" if self._word() == "otherwise" else self.read(r"\\", r"\end")
            parts.append(f"({value}, {holds})")
            if self._next() == r"\end":
                self._word()
                return f"Piecewise({', '.join(parts)})"


def _joined(parts: list[str]) -> str:
    """Return the parts as text, with * between factors."""
    text = ""
    for part in parts:
        if part and text and part not in "+-<>=," and text[-1] not in "+-<>=, ":
            text += "*"
        text += f" {part} " if part in ("+", "-", "<", ">", ",") and part else part
    return re.sub(r"\s+", " ", text).replace(" , ", ", ").strip()


class Values:
    """The values of defined symbols, for given values of the symbols of the network."""

    def __init__(self, definitions: Definitions, given: dict[str, float]) -> None:
        self.definitions, self.found = definitions, dict(given)

    def of(self, name: str) -> Any:
        """Return the value of a symbol."""
        if name not in self.found:
            self.found[name] = self.evaluate(self._definition(name), {})
        return self.found[name]

    def _definition(self, name: str) -> Any:
        """Return the definition of a name, or the definition for any layer l, applied to the layer of the name."""
        if name in self.definitions:
            return self.definitions[name]
        letter, _, layer = name.rpartition("_")
        found = self.definitions[f"{letter}_l"]
        names, right = found if isinstance(found, tuple) else (None, found)
        right = right.xreplace({s: sp.Symbol(_at(s.name, int(layer))) for s in right.free_symbols})
        right = right.replace(
            lambda part: isinstance(part, AppliedUndef),
            lambda part: sp.Function(_at(part.func.__name__, int(layer)))(*part.args),
        )
        return right if names is None else (names, right)

    @np.errstate(over="ignore", under="ignore", invalid="ignore")  # far from 0, where the density vanishes
    def evaluate(self, tree: Any, local: dict[str, Any]) -> Any:
        """Return the value of an expression; the axes of the arrays in `local` are variables of integrals."""
        if tree.is_Number or tree.is_NumberSymbol:
            return float(tree)
        if tree.is_Symbol:
            return local[tree.name] if tree.name in local else self.of(tree.name)
        if isinstance(tree, sp.Integral):
            return self._integral(tree, local)
        if isinstance(tree, sp.Piecewise):
            pairs = [(self.evaluate(value, local), self._holds(test, local)) for value, test in tree.args]
            return np.select([test for _, test in pairs], [value + 0 * pairs[-1][0] for value, _ in pairs])
        values = [self.evaluate(part, local) for part in tree.args]
        if tree.is_Add or tree.is_Mul:
            total = values[0]
            for value in values[1:]:
                total = total + value if tree.is_Add else np.nan_to_num(total * value)
            return total
        if tree.is_Pow:
            return np.power(values[0], values[1])
        return self.called(type(tree).__name__, values)

    def _holds(self, test: Any, local: dict[str, Any]) -> Any:
        if test == sp.true:
            return np.True_
        return self.evaluate(test.gts, local) > self.evaluate(test.lts, local)

    def called(self, name: str, values: list[Any]) -> Any:
        """Return the value of a function at arguments."""
        if name == "Phi":  # a separate test checks its definition
            return special.ndtr(values[0])
        if name in self.definitions or re.search(r"_\d+$", name):
            names, right = self._definition(name)
            return self.evaluate(right, dict(zip(names, np.broadcast_arrays(*values), strict=True)))
        own = {"acos": np.arccos, "asin": np.arcsin, "atan": np.arctan, "erf": special.erf, "erfinv": special.erfinv}
        return (own.get(name) or {"gamma": special.gamma}.get(name) or getattr(np, name))(*values)

    def _integral(self, tree: Any, local: dict[str, Any]) -> Any:
        if len(tree.limits) == 2:
            return self._stieltjes(tree)
        (variable, _, high), outer = tree.limits[0], {k: np.asarray(v)[..., None] for k, v in local.items()}
        t = (np.arange(NODES) + 0.5) / NODES * 2 - 1
        nodes, weights = np.sinh(LONGEST * t), np.cosh(LONGEST * t) * 2 * LONGEST / NODES
        if high != sp.oo:
            right = (np.arange(NODES // 4) + 0.5) / (NODES // 4)
            nodes = outer[high.name] - np.sinh(LONGEST * right)
            weights = np.cosh(LONGEST * right) * LONGEST / len(right)
        return (self.evaluate(tree.function, {**outer, variable.name: nodes}) * weights).sum(axis=-1)

    def _stieltjes(self, tree: Any) -> Any:
        """Return the integral over a mixed derivative of a distribution function, by a sum over cells."""
        (law,) = (part for part in tree.function.args if part.func.__name__ in self.definitions and len(part.args) == 3)
        names, density = self.definitions[law.func.__name__]
        ends = np.linspace(-6, 6, CELLS + 1)
        x, y = np.meshgrid(ends, ends, indexing="ij")
        whole = self.evaluate(density.expr, dict(zip(names, (x, y, self.evaluate(law.args[2], {})), strict=True)))
        mass = _changes(_changes(whole).T).T
        inside = {"x": x[2:-2, 2:-2], "y": y[2:-2, 2:-2]}
        return (mass * self.evaluate(tree.function / law, inside)).sum()


def _changes(values: Any) -> Any:
    """Return the derivative along the first axis, times the step, from four neighbours."""
    return (8 * (values[3:-1] - values[1:-3]) - (values[4:] - values[:-4])) / 12
