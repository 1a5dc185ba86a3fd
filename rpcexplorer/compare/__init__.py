"""The difference of two JSON texts."""
