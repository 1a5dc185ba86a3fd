"""The kinds of auth, a file each: what a kind sends, and how, as values and generators. No socket, no file."""
