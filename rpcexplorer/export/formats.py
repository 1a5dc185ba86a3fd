"""The formats in which a call is copied."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from msgspec import Struct

from rpcexplorer.auth.credentials import NOT_RECORDED
from rpcexplorer.export.report import markdown
from rpcexplorer.export.request import KEPT, Subject
from rpcexplorer.export.snippets import command, curl, httpie, python
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.problem import counted
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import HIDDEN, UNRECORDED, Secret
from rpcexplorer.redaction.exchange import COPY, EXAMPLES, redacted


class CopyForm(Struct, frozen=True):
    """A format; a new one is a row of ``FORMS`` and a function that writes it."""

    words: str
    """What people call it."""
    ending: str
    """How the name of a file of it ends."""
    snippet: Callable[[Subject], str] | None = None
    """Writes it as text; the request and the reply are bytes."""
    runs: bool = False
    """It runs elsewhere, where nothing knows what a placeholder stands for."""
    tells: bool = False
    """It only tells of a call: it can be made of one that its profile would not send today."""


FORMS: Final[Mapping[str, CopyForm]] = {
    "curl": CopyForm("a curl command", ".sh", curl, runs=True),
    "python": CopyForm("Python with httpx", ".py", python, runs=True),
    "httpie": CopyForm("an HTTPie command", ".sh", httpie, runs=True),
    "command": CopyForm("an rpcexplorer command", ".sh", command),
    "report": CopyForm("a report in Markdown", ".md", markdown, tells=True),
    "request": CopyForm("the request", ".http", tells=True),
    "response": CopyForm("the response", ".txt"),
}


FORMER_NAMES: Final = {"markdown": "report", "reply": "response"}
"""Names of formats in earlier versions, which scripts still use."""


def render(form: str, subject: Subject) -> bytes:
    """Return a call in one of ``FORMS``, but not its reply, which was not sent."""
    snippet = FORMS[form].snippet
    return request(subject) if snippet is None else snippet(subject).encode(errors="backslashreplace")


def request(subject: Subject) -> bytes:
    """The HTTP request: its line, its headers, an empty line, its body, as they go out but for placeholders."""
    sent = subject.exchange.sent if subject.exchange is not None and HIDDEN.search(subject.body) else 0
    lines = [subject.preview.line]
    for name, value in subject.all_headers:
        real = str(sent) if sent and name.lower() == "content-length" else value  # that of the body with its secrets
        lines.append(f"{name}: {real}".rstrip())
    head = "\n".join([*lines, "", ""])
    return head.encode(errors="surrogateescape") + subject.preview.body


def reply(exchange: Exchange, profile: Profile, secrets: Iterable[Secret]) -> bytes:
    """The body of the reply, exactly as it was recorded, without the secrets that are known by now."""
    return redacted(exchange, KEPT, profile, secrets).response.body


def head(exchange: Exchange, profile: Profile, secrets: Iterable[Secret]) -> bytes:
    """The status and all headers of the reply, as text."""
    response = redacted(exchange, COPY, profile, secrets).response
    lines = [f"{response.version} {response.status} {response.reason}".strip()]
    lines += [f"{name}: {value}".rstrip() for name, value in response.headers]
    return "\n".join(lines).encode(errors="surrogatepass")


def count_replaced(form: str, subject: Subject, content: bytes) -> int:
    if not FORMS[form].runs:
        return marks(content)
    sent = (subject, *filter(None, [subject.login]))
    return _count("\n".join(text for each in sent for text in (each.url, each.body, *each.values)))


def marks(content: bytes) -> int:
    """For how many secrets a placeholder stands in a text; what only speaks of placeholders has none."""
    text = content.decode(errors="replace")
    for sentence in (EXAMPLES, NOT_RECORDED.format(UNRECORDED)):
        text = text.replace(sentence, "")
    return _count(text)


def _count(text: str) -> int:
    """Those with a name count once, wherever they stand; of those without, each place may hold another."""
    found = [mark[0] for mark in HIDDEN.finditer(text)]
    return len(set(found) - {UNRECORDED}) + found.count(UNRECORDED)


def replaced_words(count: int) -> str:
    return f"{counted(count, 'secret')} replaced" if count else ""
