"""What an explorer is about: profiles, secrets, drafts, exchanges, catalogues, settings.

Pure values and rules. No file, no socket, no loop, no screen.
"""
