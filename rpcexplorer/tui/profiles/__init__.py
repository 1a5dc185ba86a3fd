"""The profiles screen, and the form of a profile."""
