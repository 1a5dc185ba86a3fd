"""A call as something to paste elsewhere."""
