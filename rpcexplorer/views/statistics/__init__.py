"""What many calls have in common, as text."""
