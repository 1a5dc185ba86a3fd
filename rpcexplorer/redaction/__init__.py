"""What of an exchange may be shown and kept: finding secrets in text, and putting their names in their place."""
