"""The docs of a method beside what is typed: a page to read, and examples that go into the editor."""

from __future__ import annotations
