"""Whole screens, and the questions that open over them. They own the workers and know the widgets."""
