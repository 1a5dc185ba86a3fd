"""Which methods a service has."""

from __future__ import annotations
