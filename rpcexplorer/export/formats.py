"""The formats of a copied call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from msgspec import Struct

from rpcexplorer.auth.credentials import NOT_RECORDED
from rpcexplorer.export.report import markdown
from rpcexplorer.export.request import WHOLE, Subject
from rpcexplorer.export.snippets import command, curl, httpie, python
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.problem import counted
from rpcexplorer.model.profile import Profile, split_socket
from rpcexplorer.model.secret import HIDDEN, UNRECORDED, Secret
from rpcexplorer.redaction.exchange import COPY, EXAMPLES, redacted


class CopyForm(Struct, frozen=True):
    """A copy format; a new one is a row of ``FORMS`` and a function."""

    words: str
    """Name of the format in messages."""
    ending: str
    """Ending of the file name."""
    language: str = ""
    """Language of its colours, as ``code_lines`` names it; empty for none."""
    snippet: Callable[[Subject], str] | None = None
    """Writes the call as text; None for bytes: request and response."""
    runs: bool = False
    """Whether it runs elsewhere, where secret references have no meaning."""
    describes: bool = False
    """Whether it only describes a call, even one that cannot be sent now."""


FORMS: Final[Mapping[str, CopyForm]] = {
    "curl": CopyForm("a curl command", ".sh", "sh", curl, runs=True),
    "python": CopyForm("Python with httpx", ".py", "python", python, runs=True),
    "httpie": CopyForm("an HTTPie command", ".sh", "sh", httpie, runs=True),
    "command": CopyForm("an rpcexplorer command", ".sh", "sh", command),
    "report": CopyForm("a report in Markdown", ".md", "", markdown, describes=True),
    "request": CopyForm("the request", ".http", "http", describes=True),
    "response": CopyForm("the response", ".txt"),
}


FORMER_NAMES: Final = {"markdown": "report", "reply": "response"}
"""Names of formats in earlier versions, which scripts may still use."""


def render(form: str, subject: Subject) -> bytes:
    """Return a call in one of ``FORMS``, except the response."""
    snippet = FORMS[form].snippet
    return request(subject) if snippet is None else snippet(subject).encode(errors="backslashreplace")


def find_uncopyable(form: str, profile: Profile) -> str:
    """Return why a call of a profile cannot be copied in a form, or empty text."""
    if form == "httpie" and split_socket(profile.endpoint)[0]:
        return "HTTPie cannot connect to a Unix socket. Copy the call as curl or python."
    if profile.is_open_connection and FORMS[form].runs:
        words = f"A call on a connection that stays open cannot be copied as {form}"
        return f"{words}. Copy it as command, report, request or response."
    if profile.connection_kind == "process" and not profile.command and form == "command":
        return "Someone else recorded the words of this process. Copy the call as report, request or response."
    return ""


def request(subject: Subject) -> bytes:
    """Return the request as it is sent, with secret references."""
    lines = []
    if subject.preview.line:
        lines.append(subject.preview.line)
    sent = 0
    if subject.exchange is not None and HIDDEN.search(subject.body):
        sent = subject.exchange.sent  # length of the body with its secrets
    for name, value in subject.all_headers:
        if sent and name.lower() == "content-length":
            lines.append(f"{name}: {sent}")
        else:
            lines.append(f"{name}: {value}".rstrip())
    if lines:
        lines += ["", ""]
    return "\n".join(lines).encode(errors="surrogateescape") + subject.preview.body


def reply(exchange: Exchange, profile: Profile, secrets: Iterable[Secret]) -> bytes:
    """Return the body of the response as recorded, without known secrets."""
    return redacted(exchange, WHOLE, profile, secrets).response.body


def head(exchange: Exchange, profile: Profile, secrets: Iterable[Secret]) -> bytes:
    """Return the status and all headers of the response as text."""
    response = redacted(exchange, COPY, profile, secrets).response
    lines = [f"{response.version} {response.status} {response.reason}".strip()]
    lines += [f"{name}: {value}".rstrip() for name, value in response.headers]
    return "\n".join(lines).encode(errors="surrogatepass")


def count_replaced(form: str, subject: Subject, content: bytes) -> int:
    if not FORMS[form].runs:
        return count_references(content)
    text = [subject.url, subject.body, *subject.values]
    if login := subject.login:
        text += [login.url, login.body, *login.values]
    return _count("\n".join(text))


def count_references(content: bytes) -> int:
    """Return the number of secrets that references in a text replace."""
    text = content.decode(errors="replace")
    for sentence in (EXAMPLES, NOT_RECORDED.format(UNRECORDED)):
        text = text.replace(sentence, "")
    return _count(text)


def _count(text: str) -> int:
    """Count each named reference once, and each place of an unnamed one."""
    found = [mark[0] for mark in HIDDEN.finditer(text)]
    return len(set(found) - {UNRECORDED}) + found.count(UNRECORDED)


def replaced_words(count: int) -> str:
    return f"{counted(count, 'secret')} replaced" if count else ""
