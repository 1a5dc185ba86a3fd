"""The demo on a port: HTTP/1.1 in, HTTP/1.1 out."""

from __future__ import annotations
