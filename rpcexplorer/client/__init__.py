"""A call made whole: login if one is needed, the send there and back, the outcome.

Nothing here knows a file or a screen. httpx comes in with the first send, not with the import.
"""
