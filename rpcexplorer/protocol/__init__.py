"""JSON-RPC 2.0 as values: messages, codes, ids, and the codec between them and bytes.

Pure: no I/O, no clock, no loop. Nothing here knows HTTP, a profile, a file or a screen.
"""
