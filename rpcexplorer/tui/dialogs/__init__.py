"""Questions and lists that open over a screen."""
