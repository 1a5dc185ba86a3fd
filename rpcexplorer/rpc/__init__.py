"""JSON-RPC as values: messages, codec, batch, event stream. No I/O."""
