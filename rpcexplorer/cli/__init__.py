"""The quiet front: stdout is data, stderr is narration, the exit code is part of the interface.

Every command is a function of the world it is given (arguments, streams, environment); nothing here reads
``sys`` or the process's environment by itself.
"""
