"""Hypothesis draws new examples at a developer's and the same ones in CI, whose verdict must not waver."""

import os

from hypothesis import settings

settings.register_profile("any", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "any")
