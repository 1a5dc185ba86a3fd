"""What is taken from one place of the screen to another: calls into the batch, values into other calls."""

from __future__ import annotations
