"""JSON as text, exact to the letter: where its values begin and end, its layout, what is odd about it.

Nothing here knows JSON-RPC, and nothing turns text into Python values that it would not give back as they were.
"""
