"""A case: a file of recorded calls that someone else can replay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.files.io import FileError, error_of, read_bytes, size_words
from rpcexplorer.model.draft import as_called
from rpcexplorer.model.exchange import MOST, MOST_CALLS, Case, Damaged, Exchange
from rpcexplorer.model.problem import Problem
from rpcexplorer.model.profile import AD_HOC_NAME, Profile
from rpcexplorer.patterns import regex

if TYPE_CHECKING:
    from rpcexplorer.history.export import Exported
    from rpcexplorer.history.store import Journal
    from rpcexplorer.model.secret import Secret

MOST_BY_HAND: Final = 8 * 1024 * 1024
"""Most bytes of edited calls in one case. Parsing more TOML takes long."""
BEGINS: Final = regex(rb"\[\[[ \t]*call")
ENDS: Final = b'\nend = "'
SAFE_ID: Final = regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
"""An id becomes a part of file names and command lines here."""
NO_CASE: Final = "this is not a case: the line `case = 1` is missing above its calls"
_AT_LINE: Final = regex(r"\(at line (\d+), ")
_ITS_KEY: Final = regex(r"its (\w+) ")


class TakenIn(Struct, frozen=True):
    added: tuple[Exchange, ...] = ()
    known: int = 0
    renamed: int = 0
    problem: str = ""


class Cases:
    def __init__(
        self,
        journal: Journal,
        secrets: Callable[[], Iterable[Secret]],
        profiles: Callable[[], Mapping[str, Profile]],
    ) -> None:
        self._journal, self._secrets, self._profiles = journal, secrets, profiles

    def read(self, path: Path, now: datetime | None = None) -> Case | Problem:
        """Read a case. Nothing is sent, written or remembered."""
        try:
            content = read_bytes(path, MOST, links=True, others=True)
        except FileError as error:
            return Problem(str(path), error.sentence)
        if content is None:
            return Problem("", f"There is no file {path}. Check the name.")
        case = case_of(path, content, now or datetime.now(UTC))
        if isinstance(case, Problem):
            return case
        from rpcexplorer.redaction.redactor import Redactor

        hide = Redactor(self._secrets()).text  # its writer may have had the same secrets
        calls: list[Exchange | Damaged] = []
        for call in case.calls:
            if isinstance(call, Exchange):
                calls.append(self._without_secrets(call))
            else:
                calls.append(replace(call, reason=hide(call.reason), text=hide(call.text)))
        return replace(case, calls=tuple(calls), note=hide(case.note))

    def made_of(self, exchanges: Sequence[Exchange], *, note: str = "", hide: Sequence[str] = ()) -> Exported | str:
        """Return calls to share, or why that is not possible.

        ``hide`` has pointers to values to redact, such as ``/params/name`` or ``/result/users/*/email``.
        """
        from rpcexplorer.history.export import exported

        return exported(exchanges, self._profiles(), list(self._secrets()), note, hide)

    def take_in(self, case: Case, profile: Profile | None = None) -> TakenIn:
        """Add the calls of a case to the history, marked as imported."""
        from secrets import token_hex

        history = self._journal.of_cases(profile)
        calls = sorted(case.exchanges, key=lambda call: call.when)
        ids = {call.id for call in calls} | {_other_id(call) for call in calls}
        try:
            recorded = history.with_ids(ids)
        except FileError as error:
            return TakenIn(problem=error.sentence)
        added: list[Exchange] = []
        known = renamed = 0
        problem = ""
        for call in calls:
            own_ids = (call.id, _other_id(call))
            kept = self._without_secrets(call, self._journal.body_limit)
            if any(_is_same(recorded.get(id), kept) for id in own_ids):
                known += 1
                continue
            # Both ids are taken only if the file is crafted.
            free = next((id for id in own_ids if id not in recorded), f"case-{token_hex(8)}")
            kept = replace(kept, id=free)
            if problem := error_of(partial(history.append, kept)):
                break
            recorded[free] = kept
            added.append(kept)
            renamed += free != call.id
        return TakenIn(tuple(added), known, renamed, problem)

    @staticmethod
    def goes_elsewhere(call: Exchange, profile: Profile) -> bool:
        from rpcexplorer.redaction.addresses import redacted_address

        return call.url not in {profile.endpoint, redacted_address(profile.endpoint)}

    def _without_secrets(self, call: Exchange, body_limit: int | None = None) -> Exchange:
        """Hide this person's secrets: the writer may have had the same ones."""
        own = self._profiles().get(call.profile) or Profile(AD_HOC_NAME, call.url, path="", ad_hoc=True)
        return self._journal.as_recorded(call, own, body_limit)


def case_of(path: Path, content: bytes, now: datetime) -> Case | Problem:
    """Read a case; ``now`` replaces a time that is missing or still to come."""
    from rpcexplorer.history.file import OURS, split
    from rpcexplorer.history.record import left_of, untouched

    begins = list(islice(BEGINS.finditer(content), MOST_CALLS + 1))
    if len(begins) > MOST_CALLS or content.count(ENDS) > MOST_CALLS:
        return Problem(str(path), f"it contains more than {MOST_CALLS:,} calls. Remove some")
    first = OURS.search(content)
    begin = content.find(b"[", first.start()) if first else len(content)
    above = _above(path, content[:begin])
    if isinstance(above, Problem):
        return above
    line = content.count(b"\n", 0, begin) + 1
    by_hand = 0
    calls: list[Exchange | Damaged] = []
    for raw in split(content[begin:]):
        is_edited = bool(raw.strip()) and untouched(raw) is None
        if is_edited:
            by_hand += len(raw)
        if is_edited and by_hand > MOST_BY_HAND:
            why = f"more than {size_words(MOST_BY_HAND)} of this case were changed by hand"
            call: Exchange | Damaged | None = Damaged(f"{path}:{line}", why, left_of(raw))
        else:
            call = _call(raw, str(path), line, now)
        line += raw.count(b"\n")
        if call is not None:
            calls.append(call)
    return replace(above, calls=tuple(calls))


def _above(path: Path, content: bytes) -> Case | Problem:
    from rpcexplorer.files.toml import TomlFile, parse_bytes
    from rpcexplorer.files.toml_shape import TableRule, read_shape, text_rule, version_rule

    file = parse_bytes(path, content)
    if not isinstance(file, TomlFile):
        return file
    if "case" not in file.values:
        return Problem(str(path), NO_CASE)
    reading = read_shape(TableRule("a case", {"case": version_rule, "note": text_rule}), file)
    problems = tuple(problem for _, problem in reading.problems)
    if "case" not in reading.values():
        return next(problem for problem in problems if problem.key == "case")
    return Case(str(path), note=reading.values().get("note", ""), problems=problems)


def _call(raw: bytes, file: str, line: int, now: datetime) -> Exchange | Damaged | None:
    """Read one call, which begins in this line; None for a comment."""
    from rpcexplorer.history.record import BY_HAND, left_of, read_record, to_exchange, untouched

    record = read_record(raw, file)
    if record is None:
        return None
    found: Exchange | Damaged
    if isinstance(record, dict):  # people who write a call by hand leave out some of it
        record = {"kind": "call", **record}
        if "id" not in record and "id_base64" not in record:
            record["id"] = _stand_in(raw)
        record.setdefault("time", now)
        found = to_exchange(record)
    else:
        found = record
    if isinstance(found, Damaged):
        where, reason = _told_where(raw, line, found.reason)
        return Damaged(f"{file}:{where}", reason, found.text or left_of(raw), found.id)
    if found.kind == "event":
        return Damaged(f"{file}:{line}", "it is an event, and a case contains only calls", left_of(raw), found.id)
    found = as_called(replace(found, foreign=True, writer="", when=min(found.when, now)))
    if not SAFE_ID.fullmatch(found.id):
        found = replace(found, id=_stand_in(raw))
    if untouched(raw) is None:
        found = replace(found, notes=(*found.notes, BY_HAND))
    return found


def _stand_in(raw: bytes) -> str:
    from zlib import crc32

    return f"case-{crc32(raw.strip()):08x}"


def _told_where(raw: bytes, line: int, reason: str) -> tuple[int, str]:
    """Return the line of the file that a reason means, and the reason for it."""
    from rpcexplorer.files.toml import layout

    if found := _AT_LINE.search(reason):
        there = line + int(found[1]) - 1
        return there, f"{reason[: found.start()]}(at line {there}, {reason[found.end() :]}"
    if key := _ITS_KEY.match(reason):
        place = layout(raw.decode(errors="replace")).line_of(("call", key[1]))
        return line + (place or 1) - 1, reason
    return line, reason


def _is_same(found: Exchange | Damaged | None, kept: Exchange) -> bool:
    return isinstance(found, Exchange) and found.foreign and _content(found) == _content(kept)


def _content(call: Exchange) -> str:
    """Return a call as recorded, without id, time, name and note."""
    from rpcexplorer.history.record import to_block

    return to_block(replace(call, id="", when=datetime.min.replace(tzinfo=UTC), name="", note="", foreign=True))


def _other_id(call: Exchange) -> str:
    """Return an id for a call whose own is taken by another one."""
    from hashlib import sha256

    return f"case-{sha256((call.id + _content(call)).encode(errors='backslashreplace')).hexdigest()[:12]}"
