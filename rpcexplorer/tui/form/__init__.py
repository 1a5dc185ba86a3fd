"""The form screen: the params of the call in the editor, a row for each place."""

from __future__ import annotations
