"""What a text is checked by, what a check has found, in words, and what mends it."""
