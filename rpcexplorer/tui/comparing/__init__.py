"""Replies compared, and calls sent once more to compare what comes of them."""
