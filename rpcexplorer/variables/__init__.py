"""Variables in params: `{{…}}`."""
