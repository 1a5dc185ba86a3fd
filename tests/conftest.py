"""What holds for every test: random cases come from a fixed seed, and none has to be quick on a busy machine."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("everyday", derandomize=True, deadline=None)
settings.load_profile("everyday")
