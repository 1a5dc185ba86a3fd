"""Variables in params: `{{…}}`."""

from __future__ import annotations
