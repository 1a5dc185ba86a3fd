"""JSON as a person types it: its tokens, what is wrong with it, and the edits that put that right."""
