"""Secrets as values, the placeholders that stand for them, and the routes that they may go."""
