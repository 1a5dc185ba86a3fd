"""What services said of their methods, kept per profile: the lines that a start reads, and the rest beside them."""

from __future__ import annotations
