"""Params with ``{{…}}`` in them, and what takes its place; and calls that are kept under a name.

People call ``{{…}}`` a placeholder. In code it is a reference, for there a placeholder stands for a secret: «…».
"""

from __future__ import annotations
