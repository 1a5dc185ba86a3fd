"""The editor for JSON, as the params and a value of a form are written in it."""
