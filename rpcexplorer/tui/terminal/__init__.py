"""Between Textual and the terminal: what comes in, what goes out, and the clipboard."""
