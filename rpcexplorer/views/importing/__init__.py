"""What was found in a text from another program, as people and programs read it."""
