"""A call as something to paste elsewhere: a form each."""
