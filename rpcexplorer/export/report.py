"""The report of one call, or of two with their differences."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC
from importlib.metadata import version
from itertools import groupby
from typing import Final
from urllib.parse import urlsplit

from msgspec.structs import replace

from rpcexplorer.compare.compare import Comparison, compared
from rpcexplorer.export.request import WHOLE, Subject
from rpcexplorer.jsontext.layout import indented
from rpcexplorer.jsontext.steps import at_once
from rpcexplorer.model.draft import methods_of, sent_draft
from rpcexplorer.model.exchange import OUTCOME_LABELS, Exchange, Refused
from rpcexplorer.model.problem import counted
from rpcexplorer.model.secret import PLACEHOLDER, Secret
from rpcexplorer.patterns import regex
from rpcexplorer.redaction.exchange import redacted
from rpcexplorer.rpc.batch import decode_batch
from rpcexplorer.rpc.codec import decode
from rpcexplorer.rpc.messages import Malformed, MessageForm, Result
from rpcexplorer.text.compare import ComparedLine, compared_lines, names_of, summary
from rpcexplorer.text.exchange import bars, duration, outcome_line, size, transport_line
from rpcexplorer.text.printable import printable, printable_bytes, readable

KNOWN_HEADERS: Final = regex(
    r"content-type|content-encoding|retry-after|server|date|age|via|location|allow|set-cookie"
    r"|(?:www|proxy)-authenticate|x-(?:cache|served-by|powered-by)"
    r"|(?:.*-)?(?:request|correlation|transaction|trace|span|error)-?id|(?:x-)?requestid|traceparent|tracestate"
    r"|cf-ray|(?:x-)?(?:cloud|amzn)-trace-(?:context|id)|x-amz-(?:cf-)?id(?:-2)?|x-b3-.*|mcp-protocol-version"
    r"|(?:.*-)?rate-?limit(?:-.*)?",
    re.IGNORECASE,
)
"""Names of headers that matter. A report only counts the others."""
MAX_CHARACTERS: Final = 16_000
"""Characters of a request or a response; longer ones are cut at a line."""
_NO_BODY: Final = {
    "sent": "No response is expected.",
    "unreached": "No response.",
    "cancelled": "No response: the call was cancelled.",
    "refused": "The call was not sent.",
}
_TICKS = regex("`+")
MAX_DIFF_LINES: Final = 40
"""Lines of differences; the comparison itself shows all of them."""
MAX_DIFF_COLUMNS: Final = 240
MAX_SIDE_CHARACTERS: Final = 4_000
"""Characters of each of the two responses."""
_NOT_COMPARED: Final = regex(r'^(?:Host|Content-Length): .*\n|"id": ?(?:"[^"\n]*"|-?[0-9]+)', re.MULTILINE)
"""Parts that differ between any two requests."""


def call_report(method: str, profile: str, url: str, request: str, exchange: Exchange | None) -> str:
    """Return the report of a request, and of its outcome if it was sent.

    The secrets in the request and the exchange must already be secret references.
    """
    title = f"## {code(method)}"
    if exchange is not None:
        title += f": {OUTCOME_LABELS[exchange.counts_as]}"
    lines = [title, "", f"- Profile: {code(profile)}", f"- URL: {code(url)}"]
    if exchange is not None:
        lines += [f"- {label}: {text}" for label, text in _circumstances(exchange)]
    lines.append(f"- Versions: {code(versions())}")
    if exchange is not None and exchange.note:
        lines += ["", "### Note", "", *block(printable(exchange.note, lines=True), "text")]
    lines += ["", "### Request", "", *block(printable(request, lines=True), _language(request))]
    if exchange is not None and exchange.params_sent is not None:
        lines += ["", "### Params as typed, with variables", "", *block(printable(exchange.params, lines=True), "json")]
    if exchange is not None:
        lines += ["", "### Response", "", *reply(exchange)]
    return "\n".join(lines)


def versions() -> str:
    """Return the versions of rpcexplorer, Python and the system."""
    system = platform.system().replace("Darwin", "macOS")
    return f"rpcexplorer {version('rpcexplorer')}, Python {platform.python_version()}, {system}"


def moment(exchange: Exchange) -> str:
    return f"{exchange.when.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _circumstances(exchange: Exchange) -> Iterator[tuple[str, str]]:
    yield "When", moment(exchange)
    yield "Outcome", code(outcome_line(exchange))
    if transport := transport_line(exchange):
        yield "Transport", transport
    took = duration(exchange.seconds)
    if phases := bars(exchange.response.phases, exchange.seconds, 1):
        took += f" ({', '.join(f'{bar.label} {bar.took}' for bar in phases)})"
    yield "Took", took
    yield "Id", code(exchange.id)
    if exchange.name:
        yield "Name", code(exchange.name)
    if exchange.writer:
        yield "Recorded by", code(exchange.writer)
    elif exchange.foreign:
        yield "Recorded by", "someone else, with their own profile"
    for text in (*exchange.notes, *exchange.remarks):
        yield "Also", code(text)


def reply(exchange: Exchange, most: int = MAX_CHARACTERS) -> Iterator[str]:
    """Yield the response as Markdown: status, important headers and body.

    The body is cut at ``most`` characters.
    """
    response, body = exchange.response, exchange.response.body
    if response.headers:
        head = [f"{response.version} {response.status} {response.reason}".strip()]
        head += [f"{name}: {value}".rstrip() for name, value in response.headers if KNOWN_HEADERS.fullmatch(name)]
        others = len(response.headers) + 1 - len(head)
        yield from block("\n".join(map(printable, head)), "http")
        yield ""
        if others:
            yield f"This report omits {counted(others, 'other header')}."
            yield ""
    if not body:
        yield _NO_BODY.get(exchange.outcome_name, "The response has no body.")
        return
    text = readable(body)
    shown = printable_bytes(body) if text is None else printable(indented(text), lines=True)
    language = "json" if shown.startswith(("{", "[")) and not response.cut else "text"
    yield from block(shown, language, most)
    if response.cut:
        yield ""
        yield f"Only the start of the response was recorded. The whole response has {size(response.size)}."
    elif len(shown) > most:
        yield f"The response has {size(response.size)}."


def block(text: str, language: str, most: int = MAX_CHARACTERS) -> Iterator[str]:
    """Yield a fenced block, and a note below it if the text had to be cut."""
    shown = text
    if len(text) > most:
        shown = text[:most]
        if "\n" in shown:
            shown = shown.rpartition("\n")[0]
    fence = "`" * max(3, _longest_run(shown) + 1)
    yield f"{fence}{language}"
    yield shown
    yield fence
    if shown is not text:
        yield ""
        yield f"Only the first {len(shown):,} of {len(text):,} characters are shown."


def code(text: str) -> str:
    text = printable(text) or " "
    ticks = "`" * (_longest_run(text) + 1)
    needs_padding = text.strip() and (text.startswith(("`", " ")) or text.endswith(("`", " ")))
    padding = " " if needs_padding else ""
    return f"{ticks}{padding}{text}{padding}{ticks}"


def _longest_run(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0)


def readable_request(subject: Subject) -> str:
    """Return the request with an indented body, or a message without HTTP."""
    if not subject.preview.line:
        return indented(subject.body)
    headers = list(subject.headers)
    if not any(name.lower() == "host" for name, _ in headers):
        headers.insert(0, ("Host", urlsplit(subject.url).netloc))
    head = [subject.preview.line, *(f"{name}: {value}".rstrip() for name, value in headers)]
    return "\n".join([*head, "", indented(subject.body)])


def _language(request: str) -> str:
    return "json" if request.startswith(("{", "[")) else "http"


def markdown(subject: Subject) -> str:
    method = ", ".join(methods_of(subject.draft))
    exchange = subject.exchange
    named = exchange.profile if exchange is not None else ""
    return call_report(method, named or subject.profile.name, subject.address, readable_request(subject), exchange)


def report_of_pair(
    left: Subject,
    right: Subject,
    exchanges: tuple[Exchange, Exchange],
    secrets: Iterable[Secret],
    ignore: Sequence[str],
) -> bytes:
    """Return the report of two calls and their responses.

    The calls are compared again without possible secrets, because other people read the report.
    """
    secrets = tuple(secrets)
    one, other = _without(exchanges[0], left, secrets), _without(exchanges[1], right, secrets)
    requests = readable_request(left), readable_request(right)
    report = pair_report(one, other, at_once(compared(one, other, ignore)), requests)
    return report.encode(errors="backslashreplace")


def pair_report(left: Exchange, right: Exchange, comparison: Comparison, requests: tuple[str, str]) -> str:
    """Return the report of two calls that contain no secrets."""
    methods = " and ".join(code(name) for name in dict.fromkeys((left.method, right.method)))
    names = names_of(left, right)
    heads, sides = ("left", "right"), ("on the left", "on the right")
    if names:
        heads = _cell(names[0]), _cell(names[1])
        sides = f"in {heads[0]}", f"in {heads[1]}"
    references = [_references(request) for request in requests]
    lines = [f"## {methods}: {OUTCOME_LABELS[left.counts_as]} and {OUTCOME_LABELS[right.counts_as]}", ""]
    lines += [f"| | {heads[0]} | {heads[1]} |", "|---|---|---|"]
    facts: dict[str, Callable[[Exchange], str]] = {
        "Profile": lambda exchange: exchange.profile,
        "Host": lambda exchange: _host(exchange.url),
        "Outcome": outcome_line,
        "Transport": transport_line,
        "Took": lambda exchange: duration(exchange.seconds),
        "When": moment,
        "Id": lambda exchange: exchange.id,
    }
    for label, fact in facts.items():
        lines.append(f"| {label} | {_cell(fact(left))} | {_cell(fact(right))} |")
    if references[0] != references[1]:
        lines.append(f"| Credentials | {references[0]} | {references[1]} |")
    lines += ["", f"- Compared: {code(summary(comparison, names))}", f"- Versions: {code(versions())}"]
    for side, exchange in zip(sides, (left, right), strict=True):
        if exchange.note:
            lines += ["", f"### Note {side}", "", *block(printable(exchange.note, lines=True), "text")]
    if comparison.differences:
        rows = [_shortened(printable(line)) for line in _diff_lines(compared_lines(comparison))]
        lines += ["", "### Differences", "", *block("\n".join(rows[:MAX_DIFF_LINES]), "diff")]
        if len(rows) > MAX_DIFF_LINES:
            lines += ["", f"Only the first {MAX_DIFF_LINES} of {len(rows):,} lines are shown."]
    lines += _requests((left, right), requests, sides)
    for side, exchange in zip(sides, (left, right), strict=True):
        lines += ["", f"### Response {side}", "", *reply(exchange, MAX_SIDE_CHARACTERS)]
    return "\n".join(lines)


def _shortened(row: str) -> str:
    return row if len(row) <= MAX_DIFF_COLUMNS else f"{row[:MAX_DIFF_COLUMNS]} ⋯"


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc or url
    except ValueError:  # The words of a process can look like a URL with a wrong host.
        return url


def _references(request: str) -> str:
    return ", ".join(map(_cell, sorted({found[0] for found in PLACEHOLDER.finditer(request)}))) or "none"


def _comparable(request: str) -> str:
    """Return a request without the parts that always differ."""
    return PLACEHOLDER.sub(r"«\g<field>»", _NOT_COMPARED.sub("", request))


def _requests(calls: tuple[Exchange, Exchange], requests: tuple[str, str], sides: tuple[str, str]) -> Iterator[str]:
    """Yield both requests, or one if they are the same.

    If a call was not sent, yield the reason.
    """
    drafts = [(call.kind, call.method, sent_draft(call).text) for call in calls]
    whys = ["", ""]
    for at, call in enumerate(calls):
        if isinstance(call.outcome, Refused):
            whys[at] = call.outcome.sentence
    is_same = drafts[0] == drafts[1] and _comparable(requests[0]) == _comparable(requests[1])
    shown = list(zip(sides, whys, requests, strict=True))
    if is_same and whys[0] == whys[1]:
        shown = [("on both sides", whys[0], requests[0])]
    for side, why, request in shown:
        yield from ("", f"### Request {side}", "")
        if why:
            yield f"Not sent: {code(why)}"
            if is_same and not all(whys):  # The request of the other side is shown.
                continue
            yield ""
        yield from block(printable(request, lines=True), _language(request), MAX_SIDE_CHARACTERS)


def _without(exchange: Exchange, subject: Subject, secrets: tuple[Secret, ...]) -> Exchange:
    """Return the exchange without possible secrets, parsed again."""
    clean = redacted(exchange, WHOLE, subject.profile, secrets)
    if subject.exchange is not None:
        clean = replace(clean, name=subject.exchange.name, note=subject.exchange.note)
    if not isinstance(clean.outcome, Result) or clean.response.cut or clean.response.body == exchange.response.body:
        return clean
    form, body = MessageForm(clean.envelope), clean.response.body
    read = decode_batch(body, (), form) if clean.kind == "batch" else decode(body, None, form)
    if not isinstance(read, Result):
        read = Malformed("rpcexplorer could not parse the response after it removed the secrets.")
    return replace(clean, outcome=read)


def _cell(text: str) -> str:
    """Return a table cell. Markdown ends a cell at a bar, even in code."""
    return code(text).replace("|", "\\|") if text else ""


def _diff_lines(lines: Sequence[ComparedLine]) -> Iterator[str]:
    """Yield a diff: for each difference the left side, then the right."""
    for (_, kind), run in groupby(lines, key=lambda line: (line.difference, line.kind)):
        pairs = list(run)
        if kind in {"equal", "fold", "note"}:
            yield from (f"  {line.left}" for line in pairs)
            continue
        before, after = ("~ ", "~ ") if kind in {"ignored", "hidden"} else ("- ", "+ ")
        yield from (f"{before}{line.left}" for line in pairs if line.left is not None)
        for line in pairs:
            if line.right is not None:
                note = f"   ({line.note})" if line.note else ""
                yield f"{after}{line.right}{note}"
