"""What a server says of itself when it is asked a few harmless questions, and the profile that follows from it.

Nothing is sent here: an examination yields the calls that it wants made, and is told what came of each.
"""
