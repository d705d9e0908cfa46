"""Hypothesis draws new examples at a developer's and the same ones in CI, whose verdict must not waver."""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
