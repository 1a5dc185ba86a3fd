"""Between Textual and the terminal: what comes in, what goes out, and the clipboard."""

from __future__ import annotations
