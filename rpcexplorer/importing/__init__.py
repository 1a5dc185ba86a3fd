"""Calls from other programs: curl, HAR, Postman, envelopes."""
