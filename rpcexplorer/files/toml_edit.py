"""Edit TOML without a change of comments, order or layout."""

from __future__ import annotations

import copy
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from rpcexplorer.files.io import WRITTEN_BY_PEOPLE, FileError, lock, private_folder, read_bytes, real, write_atomic
from rpcexplorer.files.toml import KeyPath, Section, TomlFile, dotted, parse_bytes, parse_toml
from rpcexplorer.files.toml_shape import Rule, read_shape
from rpcexplorer.model.problem import Problem
from rpcexplorer.patterns import regex

KeyChange = tuple[KeyPath, Any]
"""A key and its new value; None removes it."""
MARK = b"\xef\xbb\xbf"
COMMENTS_ABOVE = regex(r"(?:[ \t]*#[^\n]*\n)*\Z")
COMMENTS_BELOW = regex(r"(?:[ \t]*#[^\n]*(?:\n|\Z))*(?:[ \t\r]*\n)*")
COMMENTS_OF_ITS_OWN = regex(r"(?:[ \t]*#[^\n]*\n)+(?=[ \t\r]*(?:\n|\Z))")
"""Comments directly below a table that are not about the next one."""


class OwnTable(dict[str, Any]):
    """A table that gets its own header, next to tables of the same profile."""


class Verbatim(str):
    """A text that is written as a TOML literal string, if that is possible."""

    __slots__ = ()


class NewName(str):
    """Another name for a key, in all headers and dotted keys that contain it."""

    __slots__ = ()


def edit(
    path: Path,
    locks: Path,
    shape: Rule,
    changes: Sequence[KeyChange],
    start: str = "",
    *,
    links: bool = True,
    writes: bool = True,
) -> Problem | None:
    """Make all changes in a file, or none of them and return why.

    ``links``: the file may be a link, as for files that users keep elsewhere. ``start`` is the text of a file that does
    not exist yet. The lock is in the folder ``locks``: next to the file it would litter a repository. Without
    ``writes``, only return why the changes cannot be made.
    """
    try:
        private_folder(locks)
        with lock(locks / f"edit-{zlib.crc32(bytes(real(path))):08x}"):
            return _edit(path, shape, changes, start, links=links, writes=writes)
    except FileError as error:
        return Problem(str(path), error.sentence)


def _edit(
    path: Path, shape: Rule, changes: Sequence[KeyChange], start: str, *, links: bool, writes: bool
) -> Problem | None:
    found = read_bytes(path, WRITTEN_BY_PEOPLE, links=links, others=True)
    before = parse_toml(path, start) if found is None else parse_bytes(path, found)
    if isinstance(before, Problem):
        return before
    after, expected = before, copy.deepcopy(before.values)
    for key, value in changes:
        changed = parse_toml(path, put(after, key, value))
        if isinstance(changed, Problem):
            return _by_hand(before, key)
        after = changed
        if not _assign(expected, key, value) or _filled(after.values) != _filled(expected):
            return _by_hand(before, key)
    known = {(problem.key, problem.sentence) for _, problem in read_shape(shape, before).problems}
    for _, problem in read_shape(shape, after).problems:
        if (problem.key, problem.sentence) not in known:
            return replace(problem, line=None)  # This line was not written.
    try:
        text = after.text.encode()
    except UnicodeEncodeError:
        return Problem(str(path), "a value is not UTF-8, so nothing was written")
    if read_bytes(path, WRITTEN_BY_PEOPLE, links=links, others=True) != found:  # Text editors do not use our lock.
        return Problem(str(path), "another program is changing this file, so nothing was written. Try again")
    mark = MARK if found and found.startswith(MARK) else b""
    if writes:
        write_atomic(path, mark + text)
    return None


def put(file: TomlFile, path: KeyPath, value: Any) -> str:
    """Return the file's text with one key set; ``edit`` checks the result."""
    if isinstance(value, NewName):
        return _renamed(file, path, value)
    text, values = file.text, file.layout.values
    for length in range(len(path), 0, -1):
        if path[:length] not in values or (length == len(path) and value is None):
            continue
        begin, end = values[path[:length]]
        whole = {"": copy.deepcopy(_at(file.values, path[:length]))}
        _assign(whole, ("", *path[length:]), value)
        return text[:begin] + shown(whole[""]) + text[end:]
    return _without(file, path) if value is None else _inserted(file, path, value)


def _renamed(file: TomlFile, path: KeyPath, name: str) -> str:
    text = file.text
    for written, begin, end in reversed(file.layout.keys):
        if written == path:
            text = text[:begin] + dotted((name,)) + text[end:]
    return text


def shown(value: Any) -> str:
    import tomli_w

    if isinstance(value, dict):
        members = ", ".join(f"{dotted((key,))} = {shown(member)}" for key, member in value.items())
        return f"{{ {members} }}" if members else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(shown(element) for element in value)}]"
    if isinstance(value, Verbatim) and (literal := _literal(value)):
        return literal
    spelled = tomli_w.dumps({"": value}).partition(" = ")[2].rstrip("\n")
    return spelled.replace("\t", "\\t")  # A raw tab looks like spaces.


def _literal(text: str) -> str:
    """Return a text in single quotes; empty if that is not possible."""
    if not text.replace("\n", "").isprintable() or "'''" in text or text.endswith("'"):
        return ""
    if "'" in text or "\n" in text:
        return f"'''\n{text}'''"
    return f"'{text}'"


def _inserted(file: TomlFile, path: KeyPath, value: Any) -> str:
    """Write a new key below its header, or below a new header at the end."""
    sections = file.layout.sections
    if isinstance(value, OwnTable):  # Below its own header, after the one with the most parts in common.
        place = len(file.text)
        for length in range(1, len(path)):
            for section in sections[1:]:
                if section.path[:length] == path[:length]:
                    place = section.tail
        if below := COMMENTS_OF_ITS_OWN.match(file.text, place):
            place = below.end()
        return _filled_in(file.text, place, "\n" + _tables(path, value))
    fitting = [section for section in sections[1:] if path[: len(section.path)] == section.path]
    if fitting:
        section = max(fitting, key=lambda section: len(section.path))
        return _filled_in(file.text, section.tail, f"{dotted(path[len(section.path) :])} = {shown(value)}\n")
    if isinstance(value, dict):
        return _filled_in(file.text, len(file.text), "\n" + _tables(path, value))
    if len(path) > 1:
        return _filled_in(file.text, len(file.text), "\n" + _tables(path[:-1], {path[-1]: value}))
    line = f"{dotted(path)} = {shown(value)}\n"
    if sections[0].tail or len(sections) == 1:
        return _filled_in(file.text, sections[0].tail or len(file.text), line)
    return _filled_in(file.text, _lead(file.text, sections[0], sections[1]), line + "\n")


def _filled_in(text: str, position: int, addition: str) -> str:
    before = text[:position]
    if before and not before.endswith("\n"):
        addition = "\n" + addition
    if not before:
        addition = addition.lstrip("\n")
    if "\r\n" in text:
        addition = addition.replace("\n", "\r\n")
    return before + addition + text[position:]


def _tables(path: KeyPath, members: dict[str, Any]) -> str:
    """Return a table under a header. A table in it that contains tables gets a header of its own."""
    lines, tables = [], []
    for key, value in members.items():
        if isinstance(value, dict) and any(isinstance(inner, dict) for inner in value.values()):
            tables.append(_tables((*path, key), value))
        else:
            lines.append(f"{dotted((key,))} = {shown(value)}\n")
    if lines or not tables:
        tables.insert(0, f"[{dotted(path)}]\n" + "".join(lines))
    return "\n".join(tables)


def _without(file: TomlFile, path: KeyPath) -> str:
    text, sections = file.text, file.layout.sections
    cuts = []
    for at, section in enumerate(sections[1:], 1):
        if section.path[: len(path)] == path:
            limit = _lead(text, section, sections[at + 1]) if at + 1 < len(sections) else len(text)
            below = COMMENTS_BELOW.match(text, section.tail, limit)
            cuts.append((_lead(text, sections[at - 1], section), below.end() if below else section.tail))
    for statement in file.layout.statements:
        inside = any(begin <= statement.start < end for begin, end in cuts)
        if statement.path[: len(path)] == path and not inside:
            cuts.append((statement.start, statement.end))
    ends = any(end == len(text) for _, end in cuts)
    for begin, end in sorted(cuts, reverse=True):
        text = text[:begin] + text[end:]
    rest = text.rstrip("\r\n")
    if ends and rest and text.endswith("\n"):  # One line end is left at the end of the file.
        return rest + text[len(rest) :].partition("\n")[0] + "\n"
    return text


def _lead(text: str, previous: Section, section: Section) -> int:
    above = COMMENTS_ABOVE.search(text, previous.tail, section.start)
    return above.start() if above else section.start


def _at(values: Any, path: KeyPath) -> Any:
    for key in path:
        values = values[int(key)] if isinstance(values, list) else values[key]
    return values


def _assign(values: dict[str, Any], path: KeyPath, value: Any) -> bool:
    for key in path[:-1]:
        inner = values.setdefault(key, {})
        if not isinstance(inner, dict):
            return False
        values = inner
    if value is None:
        values.pop(path[-1], None)
    elif isinstance(value, NewName):
        values[str(value)] = values.pop(path[-1])
    else:
        values[path[-1]] = value
    return True


def _filled(value: Any) -> Any:
    """Return the values without the empty tables that removed keys leave."""
    if isinstance(value, tuple):
        return list(value)
    if not isinstance(value, dict):
        return value
    members = {key: _filled(member) for key, member in value.items()}
    return {key: member for key, member in members.items() if member != {}}


def _by_hand(file: TomlFile, path: KeyPath) -> Problem:
    sentence = "rpcexplorer cannot edit this key, and changed nothing. Edit the file by hand"
    return file.complain(path, sentence)
