"""Text as a word of a shell or an expression of Python, which is that text again when it is read; nothing in it acts.

Placeholders of the profile's secrets become what reads the environment variable that the program itself would use;
whatever else stands for a value that is not there, a variable that nobody has set, so that nothing is sent instead.
Characters that are not printable are written as escapes, so that a terminal which is pasted into does not obey them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from rpcexplorer.model.profile import variable
from rpcexplorer.model.secret import HIDDEN
from rpcexplorer.views.printable import is_printable

NOWHERE: Final = "NOT_RECORDED"
"""The variable for what no variable of the profile holds; the command fails where it is not set."""
_BARE = re.compile(r"[\w@%+:,./-]+", re.ASCII)
_PLAIN_SHELL = '"${{{}:?}}"'
_JSON_SHELL = r"""$(sed 's/[\\"]/\\&/g' <<< "${{{}:?}}")"""
_BASE64_SHELL = """$(printf %s {} | base64 | tr -d '\\n')"""
_PERCENT_SHELL = """$(printf %s "${{{}:?}}" | od -An -v -tx1 | tr -d ' \\n' | sed 's/../%&/g')"""
_PLAIN_PYTHON = 'os.environ["{}"]'
_JSON_PYTHON = 'json.dumps(os.environ["{}"])[1:-1]'
_PERCENT_PYTHON = 'urllib.parse.quote(os.environ["{}"], safe="")'


def quoted(text: str) -> str:
    """One word of bash or zsh that stands for the text as it is, placeholders included."""
    return _quoted(text) or "''"


def shell_word(text: str, profile: str, *, json: bool = False) -> str:
    """One word of bash or zsh, with variables for secrets; with `json`, they are spelled as inside of a JSON string."""
    reading = f'"{_JSON_SHELL}"' if json else _PLAIN_SHELL
    return "".join(reading.format(part) if secret else _quoted(part) for part, secret in _parts(text, profile)) or "''"


def encoded_word(before: str, text: str, profile: str) -> str:
    """One word of bash or zsh: the text in base64, behind what stands before it."""
    return f'{_quoted(before)}"{_BASE64_SHELL.format(shell_word(text, profile))}"'


def address_word(address: str, profile: str) -> str:
    """One word of bash or zsh: an address in which secrets are percent-encoded."""
    parts = _parts(address, profile)
    return "".join(
        _in_address(part, f'"{_PERCENT_SHELL}"', _PLAIN_SHELL) if secret else _quoted(part) for part, secret in parts
    )


def printed(text: str, profile: str, *, json: bool = False) -> str:
    """The name of a pipe from which the text is read: the shell itself writes it, and it is no program's argument."""
    return piped(shell_word(text, profile, json=json))


def piped(word: str) -> str:
    """The name of a pipe from which a word is read that is quoted already."""
    return f"<(printf %s {word})"


def unless_set(text: str, profile: str) -> str:
    """What ends a command with a complaint where a variable for the text is not set: no empty password goes out.

    It stands before the command: what is read within ``$()`` ends nothing but that.
    """
    names = dict.fromkeys(part for part, secret in _parts(text, profile) if secret)
    return f": {' '.join(map(_PLAIN_SHELL.format, names))} && " if names else ""


def python_expression(text: str, profile: str, *, json: bool = False) -> str:
    """An expression of Python for the text; with `json`, secrets are spelled as inside of a JSON string."""
    reading = _JSON_PYTHON if json else _PLAIN_PYTHON
    parts = (reading.format(part) if secret else _literal(part) for part, secret in _parts(text, profile))
    return " + ".join(parts) or '""'


def address_expression(address: str, profile: str) -> str:
    """An expression of Python for an address in which secrets are percent-encoded."""
    parts = _parts(address, profile)
    return " + ".join(
        _in_address(part, _PERCENT_PYTHON, _PLAIN_PYTHON) if secret else _literal(part) for part, secret in parts
    )


def _in_address(name: str, encoded: str, plain: str) -> str:
    """How a variable is read: what an address held that was not recorded is encoded already."""
    return (plain if name == NOWHERE else encoded).format(name)


def encoded_expression(before: str, text: str, profile: str) -> str:
    """An expression of Python: the text in base64, behind what stands before it."""
    return f"{_literal(before)} + base64.b64encode(({python_expression(text, profile)}).encode()).decode()"


def _parts(text: str, profile: str) -> Iterator[tuple[str, bool]]:
    """Stretches of text, and between them the names of variables."""
    at = 0
    for found in HIDDEN.finditer(text):
        if at < found.start():
            yield text[at : found.start()], False
        yield variable(profile, found["field"]) if found["profile"] == profile else NOWHERE, True
        at = found.end()
    if at < len(text):
        yield text[at:], False


def _quoted(text: str) -> str:
    if _BARE.fullmatch(text):
        return text
    runs = groupby(text, key=lambda char: char == "\n" or is_printable(char))
    return "".join(_single("".join(run)) if plain else _escaped("".join(run)) for plain, run in runs)


def _single(text: str) -> str:
    return "'" + text.replace("'", r"'\''") + "'"


def _escaped(text: str) -> str:
    r"""As bytes, because ``\u`` means something else to a shell whose locale is not UTF-8."""
    return "$'" + "".join(f"\\x{byte:02x}" for byte in text.encode("utf-8", "surrogatepass")) + "'"


def _literal(text: str) -> str:
    spelled = repr(text)
    if '"' not in text:  # then it has no quotes to be escaped, and double ones are what most code is written with
        spelled = f'"{spelled[1:-1]}"'
    return "".join(char if is_printable(char) else _unicode(char) for char in spelled)


def _unicode(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
