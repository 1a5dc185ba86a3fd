"""The batch screen."""
