"""The front on screen: Textual lives here and nowhere else. Attributes go down, messages come up."""
