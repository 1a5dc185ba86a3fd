"""An exchange as text: words, lines, highlighted JSON. Whatever text from outside leaves here is printable.

No file, no socket, no clock: what is shown comes in as values of the model.
"""

from __future__ import annotations
