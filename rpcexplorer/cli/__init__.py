"""The command line: results on stdout, messages on stderr."""

from __future__ import annotations
