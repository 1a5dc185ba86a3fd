"""The command line. stdout is data, stderr is for people."""

from __future__ import annotations
