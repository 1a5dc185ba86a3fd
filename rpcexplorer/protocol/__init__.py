"""JSON-RPC 2.0 as values: messages, codes, ids, JSON text as people type it and servers write it.

Pure: no I/O, no clock, no loop. Nothing here knows HTTP, a profile, a file or a screen.
"""
