"""JSON-RPC as values: messages, codec, batch, event stream. No I/O."""

from __future__ import annotations
