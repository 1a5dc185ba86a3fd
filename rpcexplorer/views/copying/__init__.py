"""A call as something to paste elsewhere: a form each."""

from __future__ import annotations
