"""What a service says of its methods, laid out for reading: its Markdown, its schemas, its examples."""

from __future__ import annotations
