"""How a profile logs in: a call with its credentials, and the login before it, as generators. No socket, no file."""
