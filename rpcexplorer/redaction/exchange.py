"""Redact exchanges and drafts before they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache, partial
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.credentials import leaves
from rpcexplorer.auth.registry import auth_of
from rpcexplorer.jsontext.pointers import names_of, spans_at
from rpcexplorer.jsontext.scan import decoded, elements, members
from rpcexplorer.jsontext.steps import Steps, at_once
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange, Outcome, Refused, Sent, Unreached
from rpcexplorer.model.problem import cut, joined_words
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import HIDDEN, MARGIN, UNRECORDED, Secret, squashed, unrecorded
from rpcexplorer.patterns import regex
from rpcexplorer.redaction.addresses import redacted_address, secrets_in
from rpcexplorer.redaction.redactor import (
    WINDOW,
    Edit,
    Redactor,
    edited,
    header_secrets,
    holds_secret,
    kind_of,
    plain_keys,
    redacted_in_pieces,
    value_after,
    words_of,
)
from rpcexplorer.rpc.codec import LARGE, native_parts, parts_in
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result, spelled

if TYPE_CHECKING:
    from rpcexplorer.model.event import Event

_LOGIN = regex(r".*(?<!last)(?:login|logon|signin|authenticate)(?:(?:with|by).*)?")
"""A single lower-case word that means a login."""
_TWO = frozenset({"log in", "log on", "sign in", "auth token"})
"""Two words that mean a login."""
_AFTER = frozenset({"history", "attempt", "attempts", "count", "list"})
"""Words after a login that mean a report of logins."""
_LAST = regex(
    r"(?:.* )?(?:auth|(?:create|open|new|start) ?session"
    r"|(?:get|create|new|request) ?(?:(?:access|api|auth|bearer|session|user) ?)?token)"
)
"""The last words of a name."""
_SESSION = regex(r".*sessions?(?:create|open|start|new)")
"""A whole name in lower case without separators."""
_MEMBER = regex(r"result|.*session|sid|ticket|auth|key|value")
"""Names of a session in the response to a login."""
_TOKEN = regex(r"(?=\S*\d)\S{8,}|\S{20,}")
"""A session, not a word of welcome."""
_FILLED = regex(r"\{(?:username|password)\}")
"""A credential in the params of a profile's login."""
LEVELS: Final = 4
"""Nested lists and objects that are searched for a password."""
BETWEEN: Final = ", "
"""Between the methods of a batch."""


def is_login(method: str, own: str = "") -> bool:
    """Return whether the response to a call, or to a batch, may be a session.

    ``own`` is the method that the profile logs in with, whatever its name.
    """
    return any(_names_login(name) or name == own != "" for name in method.split(BETWEEN))


def own_login(profile: Profile, params: str) -> str:
    """Return the profile's login method, if these params may be a login.

    Some servers have one method for everything, and the params decide.
    """
    for _, text in leaves(profile.login.params):
        if isinstance(text, str) and not _FILLED.fullmatch(text) and spelled(text) not in params:
            return ""
    return profile.login.method


@lru_cache(1024)
def _names_login(name: str) -> bool:
    words = words_of(name)
    last = max((at for at, word in enumerate(words) if word in _AFTER), default=-1)
    for at, word in enumerate(words[last + 1 :], start=last + 1):
        says_so = _LOGIN.fullmatch(word) or " ".join(words[at : at + 2]) in _TWO
        if says_so and words[max(at - 1, 0)] != "last":
            return True
    return bool(_LAST.fullmatch(" ".join(words[-3:])) or _SESSION.fullmatch(squashed(name)))


def without_session(body: bytes) -> bytes:
    text = body.decode("utf-8", "surrogateescape")
    edits = [*sessions(text)]
    return edited(text, edits).encode("utf-8", "surrogateescape") if edits else body


def without_password(params: str) -> str:
    """Return a login's params without a password that has no name."""
    return edited(params, passwords(params))


def without_passwords(batch: str, own: str = "") -> str:
    """Return a batch without such passwords; ``own`` as in ``is_login``."""
    return edited(batch, passwords_in_batch(batch, own))


def passwords(params: str) -> list[Edit]:
    """Return edits for possible passwords in the lists of a login's params.

    Only the first text of a list is not a password, unless it is the only one.
    """
    found: list[Edit] = []
    parts = [(0, params, 0)]
    while parts:
        at, part, depth = parts.pop()
        inside = elements(part)
        if inside is None:
            inside = [member.value for member in members(part) or ()]
        else:
            texts = [(start, end) for start, end in inside if part[start] == '"']
            for start, end in texts[1:] or texts:
                if not HIDDEN.fullmatch(part[start + 1 : end - 1]) and end - start > len('""'):
                    found.append(Edit(at + start, at + end, f'"{UNRECORDED}"'))
        if depth < LEVELS:
            parts += [(at + start, part[start:end], depth + 1) for start, end in inside if part[start] in "[{"]
    return sorted(found)


def passwords_in_batch(batch: str, own: str = "") -> list[Edit]:
    """Return the edits of ``passwords`` for every login in a batch."""
    found: list[Edit] = []
    for start, end in elements(batch, int(batch.startswith("\ufeff"))) or ():
        parts = members(batch[start:end]) or ()
        names = [decoded(batch[start + at : start + to]) for name, _, (at, to) in parts if name == "method"]
        if any(is_login(name, own) for name in names):
            for at, to in (part.value for part in parts if part.name == "params"):
                inside = passwords(batch[start + at : start + to])
                found += [Edit(start + at + edit.start, start + at + edit.end, edit.put) for edit in inside]
    return found


def sessions(reply: str) -> Iterator[Edit]:
    """Yield edits for sessions in the response to a login, cut or not."""
    end = 0
    for key in plain_keys(reply):
        if key.start < end or not _MEMBER.fullmatch(squashed(key.name)):
            continue
        value = value_after(reply, key.start, key.end)
        if value and value.inner and _TOKEN.fullmatch(value.inner) and not HIDDEN.fullmatch(value.inner):
            end = value.end
            yield Edit(value.start, value.end, value.quote + UNRECORDED + value.quote)


def redactor_of(
    profile: Profile, secrets: Iterable[Secret], *, guesses: bool = False, names: bool = True, of_reply: bool = False
) -> Redactor:
    """Return the redactor for the texts of a profile's calls.

    With ``guesses`` it also redacts what may be a secret. The places of a profile only say where a short or public
    secret or a user name may be, because a shared file could name any place. Without ``names``, names of JSON members
    stay. Auth puts no user name into a response.
    """
    auth = auth_of(profile)
    in_address = secrets_in(profile.endpoint) if guesses else []
    own = [unrecorded(value) for value in in_address]
    return Redactor(
        [*own, *secrets],
        profile=profile.name,
        places=auth.places(profile),
        username_places=() if of_reply else auth.username_places(profile),
        guesses=guesses,
        names=names,
    )


def redactor_for_files(profile: Profile, method: str, secrets: Iterable[Secret]) -> Redactor | None:
    """Return the redactor for a draft that is saved.

    None if nothing may be saved: for a profile made from a URL, and for a method whose name contains a secret.
    """
    if profile.ad_hoc:
        return None
    hide = redactor_of(profile, secrets)
    return hide if hide.text(method) == method else None


def redacted_draft(draft: Draft | Batch, profile: Profile, hide: Redactor) -> Draft | Batch:
    """Return a draft that can be sent again.

    A secret reference replaces only the value that it resolves to.
    """
    if isinstance(draft, Batch):
        typed = None if draft.typed is None else redacted_params(draft.typed, None, profile, hide)
        return Batch(redacted_params(draft.text, None, profile, hide), typed)
    text = redacted_params(draft.text, draft.method, profile, hide)
    typed = None if draft.typed is None else redacted_params(draft.typed, draft.method, profile, hide)
    return replace(draft, method=hide.text(draft.method), text=text, typed=typed)


def redacted_params(text: str, method: str | None, profile: Profile, hide: Redactor) -> str:
    """Redact the params of a call, or the calls of a batch (no ``method``)."""
    params = hide.params(text)
    if not hide.guesses:
        return params
    if method is None:
        return without_passwords(params, own_login(profile, params))
    return without_password(params) if is_login(method, own_login(profile, params)) else params


class Policy(Struct, frozen=True):
    """How to redact an exchange, beyond known secrets."""

    guesses: bool = False
    """Redact what may be a secret, too.

    This means values with a name like one in params and responses, parts of an address that look like one, and the
    session in the response to a login. The value of a result stays, because it is the body that is kept.
    """
    body_limit: int | None = None
    """Bytes of the body to keep."""
    names: bool = True
    """Redact secrets in the names of a body's members, too."""


SHOW: Final = Policy()
"""For the screen: a member ``password`` stays, as the user may need it."""
PRINT: Final = Policy(names=False)
"""For stdout, which programs read: names of members stay."""
COPY: Final = Policy(guesses=True, body_limit=1024 * 1024)
"""For text to paste elsewhere; a report shows less of a body."""


def for_history(body_limit: int | None) -> Policy:
    """Return the policy for files, which other people may read."""
    return Policy(guesses=True, body_limit=body_limit)


HEADERS: Final = 8 * 1024
"""Bytes of a response's headers to record."""
NAMED: Final = 5
"""Headers to name if some are not recorded."""
EXAMPLES: Final = "«profile.password», or «not recorded»"
HIDDEN_IN_RESPONSE: Final = f"the response contained a secret: it is shown as {EXAMPLES}"


def redacted(exchange: Exchange, policy: Policy, profile: Profile, secrets: Iterable[Secret]) -> Exchange:
    return Redaction(profile, secrets).redacted(exchange, policy)


class Redaction:
    """Redacts exchanges of one profile, while the known secrets do not change: its redactors are made once."""

    def __init__(self, profile: Profile, secrets: Iterable[Secret]) -> None:
        self.profile, self.secrets = profile, secrets
        self._redactors: dict[tuple[bool, bool, bool], Redactor] = {}

    def redactor(self, *, guesses: bool = False, names: bool = True, of_reply: bool = False) -> Redactor:
        """Return the redactor that `redactor_of` makes for the profile."""
        flags = (guesses, names, of_reply)
        if flags not in self._redactors:
            self._redactors[flags] = redactor_of(
                self.profile, self.secrets, guesses=guesses, names=names, of_reply=of_reply
            )
        return self._redactors[flags]

    def redacted(self, exchange: Exchange, policy: Policy) -> Exchange:
        return at_once(self.in_steps(exchange, policy))

    def in_steps(self, exchange: Exchange, policy: Policy) -> Steps[Exchange]:
        """Redact an exchange in steps, for a large body."""
        is_clean = self._finds_nothing(exchange)
        if is_clean and not policy.guesses:
            return exchange
        if is_clean and (policy.body_limit is None or len(exchange.response.body) <= policy.body_limit):
            return _clean_record(exchange)
        hide = self.redactor(guesses=policy.guesses, names=policy.names)
        hide_reply = self.redactor(guesses=policy.guesses, names=policy.names, of_reply=True)
        exchange = _redact_around_body(exchange, hide)
        if policy.guesses:
            record = _record_of(exchange, policy, self.profile, hide, hide_reply)
            return self._with_plain(record, exchange.response.body, policy)
        return (yield from _for_screen(exchange, hide_reply))

    def _with_plain(self, record: Exchange, received: bytes, policy: Policy) -> Exchange:
        """Return a record with the values of its result that the profile marks as plain; known secrets stay hidden."""
        note = self.profile.methods.get(record.method)
        if note is None or not note.plain or record.kind == "batch":
            return record
        body, _ = clipped(received, policy.body_limit)
        shown = self.redactor(names=policy.names, of_reply=True).body(body).decode("utf-8", "surrogateescape")
        text = record.response.body.decode("utf-8", "surrogateescape")
        for pointer in note.plain:
            text = _with_values(text, shown, ("result", *names_of(pointer)))
        body = text.encode("utf-8", "surrogateescape")
        return replace(record, response=replace(record.response, body=body))

    def _finds_nothing(self, exchange: Exchange) -> bool:
        """Return whether there is nothing to redact under any policy: one look at all texts shows it for most calls."""
        response, outcome = exchange.response, exchange.outcome
        is_long = len(response.body) > LARGE
        # Any call of a batch may be a login, whatever the batch is named.
        if is_long or exchange.kind in {"batch", "opening"} or is_login(exchange.method, self.profile.login.method):
            return False
        texts = [exchange.url, exchange.method, exchange.params, exchange.params_sent or "", exchange.name]
        texts += [exchange.note, exchange.expect, response.reason, response.body.decode("utf-8", "surrogateescape")]
        for name, value in response.headers:
            may_be_token = "=" in value or "eyJ" in value
            if holds_secret(name) or (may_be_token and any(header_secrets(value))):
                return False
            texts += [name, value]
        for part in ("message", "reason", "sentence"):
            texts.append(getattr(outcome, part, ""))
        texts += [*exchange.remarks, *exchange.notes, *exchange.rounds]
        return not self.redactor(guesses=True).finds("\n".join(texts))


def _with_values(text: str, source: str, path: Sequence[str]) -> str:
    """Return JSON with the texts and numbers at a path from another text with the same structure."""
    spans, sources = spans_at(text, path), spans_at(source, path)
    if len(spans) != len(sources):  # One of them was cut.
        return text
    pairs = zip(spans, sources, strict=True)
    edits = [Edit(*span, source[start:end]) for span, (start, end) in pairs if source[start] not in "[{"]
    return edited(text, edits)


def _clean_record(exchange: Exchange) -> Exchange:
    """Return an exchange without secrets as it is recorded."""
    response = exchange.response
    headers, missing = _short_enough(response.headers)
    if missing:
        response = replace(response, headers=headers, remarks=(*response.remarks, *missing))
    return replace(exchange, url=redacted_address(exchange.url), response=response)


def clipped(body: bytes, limit: int | None) -> tuple[bytes, bool]:
    """Return at most ``limit`` bytes, and whether any are missing.

    A character of UTF-8 is never cut.
    """
    if limit is None or len(body) <= limit:
        return body, False
    end = limit
    while end > max(0, limit - 3) and body[end] & 0xC0 == 0x80:
        end -= 1
    return body[:end], True


def _clipped_again(redacted: bytes, limit: int | None, *, is_cut: bool) -> tuple[bytes, bool]:
    """Clip a redacted text, which was cut ``MARGIN`` bytes after the limit before.

    Its end may then be the first part of a secret, and it is nearer than the limit if the references are short.
    """
    return clipped(redacted, min(limit, max(len(redacted) - MARGIN, 0)) if is_cut and limit is not None else limit)


MAX_METHOD: Final = 200
"""Characters of the name of an event to record."""


@lru_cache(1024)
def _means_secret(method: str, login: str) -> bool:
    """Return whether a request of the server may ask for a secret, or contain a session."""
    return is_login(method, login) or bool(kind_of(method.lower()))


class EventRedactor:
    """Redacts the events of one profile; made once for many."""

    def __init__(
        self,
        profile: Profile,
        secrets: Iterable[Secret],
        *,
        guesses: bool = False,
        names: bool = True,
    ) -> None:
        """``guesses`` and ``names`` are as in `Policy`."""
        self._profile, self._secrets = profile, [*secrets]
        self._redactor = partial(redactor_of, profile, self._secrets, guesses=guesses, names=names)
        self._hide_message = self._redactor(of_reply=True)

    @cached_property
    def _hide(self) -> Redactor:
        """The redactor of texts that are not messages; the search of many messages needs none."""
        return self._redactor()

    @cached_property
    def url(self) -> str:
        return self._hide.text(redacted_address(self._profile.endpoint))

    @property
    def margin(self) -> int:
        """Return how many characters before a cut may be the beginning of a secret."""
        return self._hide_message.margin

    def messages(self, events: Sequence[Event], limit: int | None = None) -> list[bytes]:
        """Return the messages of events, at most ``limit`` bytes of each, redacted together, which is fast."""
        messages = [clipped(event.text, limit)[0] for event in events]
        if self._hide_message.guesses or max(map(len, messages), default=0) <= WINDOW:
            redacted = self._hide_message.bodies(messages)
        else:
            redacted = [at_once(redacted_in_pieces(message, self._hide_message)) for message in messages]
        for at, event in enumerate(events):
            if self._may_be_session(event):
                redacted[at] = without_session(redacted[at])
        return redacted

    def cut_messages(self, events: Sequence[Event], limit: int) -> list[tuple[bytes, bool]]:
        """Return at most ``limit`` bytes of the redacted messages, and whether they were cut."""
        found = list[tuple[bytes, bool]]()
        for event, text in zip(events, self.messages(events, limit + MARGIN), strict=True):
            is_cut = event.size > limit + MARGIN
            kept, is_long = _clipped_again(text, limit, is_cut=is_cut)
            found.append((kept, is_cut or is_long))
        return found

    def message(self, event: Event) -> bytes:
        """Return the message of an event; the same object if there is nothing to redact."""
        return self.part(event, event.text)

    def part(self, event: Event, part: bytes) -> bytes:
        """Return a part of the message of an event."""
        text = self._hide_message.body(part)
        return without_session(text) if self._may_be_session(event) else text

    def text(self, text: str) -> str:
        return self._hide.text(text)

    def method(self, name: str) -> str:
        """Return at most 200 characters of a name; it is redacted first, so that no secret is cut in half."""
        return self._hide.text(name[:MARGIN])[:MAX_METHOD]

    def answer(self, event: Event) -> str:
        """Return the answer to a request of the server as a JSON object."""
        if event.answer is None:
            return ""
        name, _, _ = event.answer.partition(b":")
        hidden = b'%b:"%b"' % (name, UNRECORDED.encode())
        is_secret = _means_secret(event.method[:MAX_METHOD], self._profile.login.method)
        member = hidden if is_secret else event.shown_answer or event.answer
        return self._hide.text(f"{{{member.decode()}}}")

    def _may_be_session(self, event: Event) -> bool:
        """Return whether a message may contain a session.

        The call that a late response answers is not known: it may be a login.
        """
        if event.kind in {"response", "unreadable"}:
            return True
        return self._hide_message.guesses and _means_secret(event.method[:MAX_METHOD], self._profile.login.method)


def _for_screen(exchange: Exchange, hide: Redactor) -> Steps[Exchange]:
    received = exchange.response.body
    body = hide.body(received) if len(received) <= LARGE else (yield from redacted_in_pieces(received, hide))
    if body == received:
        return exchange
    response = replace(exchange.response, body=body, remarks=(*exchange.response.remarks, HIDDEN_IN_RESPONSE))
    outcome = exchange.outcome
    if isinstance(outcome, Result | ErrorObject) and outcome.parts:
        outcome = replace(outcome, parts=parts_in(body, exchange.id))
    if not isinstance(outcome, Result) or len(body) <= LARGE:
        return replace(exchange, outcome=_redact_parts_of_body(outcome, hide), response=response)
    members = native_parts(body) if exchange.envelope != "transmission" else None
    result = members.get("result") if members else None
    text = memoryview(result) if result else (yield from redacted_in_pieces(outcome.value, hide))
    return replace(exchange, outcome=replace(outcome, text=text), response=response)


def _record_of(exchange: Exchange, policy: Policy, profile: Profile, hide: Redactor, hide_reply: Redactor) -> Exchange:
    response, outcome = exchange.response, exchange.outcome
    headers, missing = _short_enough(response.headers)
    searched, more = clipped(response.body, None if policy.body_limit is None else policy.body_limit + MARGIN)
    body = hide_reply.body(searched)
    logs_in = exchange.kind == "opening" and profile.logs_in_at_opening
    if logs_in or is_login(exchange.method, own_login(profile, exchange.params)):
        body = without_session(body)
    body, too_long = _clipped_again(body, policy.body_limit, is_cut=more)
    method, sent = None if exchange.kind == "batch" else exchange.method, exchange.params_sent
    return replace(
        exchange,
        method=hide.text(exchange.method),
        params=redacted_params(exchange.params, method, profile, hide),
        params_sent=None if sent is None else redacted_params(sent, method, profile, hide),
        url=hide.text(redacted_address(exchange.url)),
        name=hide.text(exchange.name),
        note=hide.text(exchange.note),
        expect=hide.text(exchange.expect),
        outcome=_redact_parts_of_body(outcome, hide_reply) if isinstance(outcome, ErrorObject) else outcome,
        response=replace(
            response,
            headers=headers,
            body=body,
            cut=response.cut or more or too_long,
            remarks=(*response.remarks, *missing),
        ),
    )


def _short_enough(headers: Sequence[tuple[str, str]]) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Return the headers to record, and a notice about the others.

    Short headers are recorded first, because support engineers need them, such as the id of a request.
    """
    sizes = [len(f'"{name}: {value}", '.encode("utf-8", "surrogatepass")) for name, value in headers]
    if sum(sizes) <= HEADERS:
        return tuple(headers), ()
    shortest = sorted(range(len(headers)), key=sizes.__getitem__)
    together = accumulate(sizes[at] for at in shortest)
    kept = {at for at, size in zip(shortest, together, strict=True) if size <= HEADERS}
    long = dict.fromkeys(cut(name) for at, (name, _) in enumerate(headers) if at not in kept)
    omitted = f"{len(headers) - len(kept):,} of {len(headers):,} headers omitted, because they are too long"
    return tuple(headers[at] for at in sorted(kept)), (f"{omitted}: {joined_words(long, NAMED)}",) if long else ()


def _redact_around_body(exchange: Exchange, hide: Redactor) -> Exchange:
    """Redact everything about the response but its body."""
    response, outcome = exchange.response, exchange.outcome
    headers = tuple((hide.text(name), hide.header(name, value)) for name, value in response.headers)
    if isinstance(outcome, Malformed):  # The sentence may quote the target of a redirect.
        for (name, was), (_, put) in zip(response.headers, headers, strict=True):
            if was != put and name.lower() == "location":
                outcome = replace(outcome, reason=outcome.reason.replace(was, put))
    return replace(
        exchange,
        outcome=_redact_sentences(outcome, hide),
        response=replace(
            response,
            reason=hide.text(response.reason),
            headers=headers,
            remarks=tuple(map(hide.text, response.remarks)),
        ),
        notes=tuple(map(hide.text, exchange.notes)),
        rounds=tuple(map(hide.params, exchange.rounds)),
    )


def _redact_sentences(outcome: Outcome, hide: Redactor) -> Outcome:
    if isinstance(outcome, Result | ErrorObject | Malformed | Sent):
        outcome = replace(outcome, remarks=tuple(map(hide.text, outcome.remarks)))
    match outcome:
        case ErrorObject(message=message) | Result(message=message):
            return replace(outcome, message=hide.text(message))
        case Malformed(reason=reason):
            return replace(outcome, reason=hide.text(reason))
        case Unreached(sentence=sentence) | Refused(sentence=sentence):
            return replace(outcome, sentence=hide.text(sentence))
    return outcome


def _redact_parts_of_body(outcome: Outcome, hide: Redactor) -> Outcome:
    """Redact the parts of the body that the outcome contains."""
    match outcome:
        case Result(value=value):
            return replace(outcome, text=hide.body(value))
        case ErrorObject(data=data, value=value):
            return replace(outcome, data=None if data is None else hide.body(data), value=hide.body(value))
    return outcome
