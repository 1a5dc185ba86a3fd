"""What both front ends print. Everything from outside is made printable here."""

from __future__ import annotations
