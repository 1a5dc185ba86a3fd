"""Finding a value in text, however it is spelled there."""
