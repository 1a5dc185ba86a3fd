"""What holds for every test: random cases come from a fixed seed, so that no run depends on luck."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("everyday", derandomize=True)
settings.load_profile("everyday")
