"""Printed text of both front ends. All external text is escaped here."""

from __future__ import annotations
