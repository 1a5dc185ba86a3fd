"""`call`, `notify`, `batch`, `login` and `logout`."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import starmap
from typing import Any, Literal
from urllib.parse import urlsplit

import click
from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.cli.arguments import FILE_HELP, draft_of, input_text, seconds, set_option
from rpcexplorer.cli.completion import complete_methods, complete_params
from rpcexplorer.cli.output import Output, Waiting, result_of
from rpcexplorer.cli.run import (
    F,
    Run,
    auth_option,
    fail,
    fail_if,
    form_options,
    no_input_option,
    profile_option,
    together,
    url_options,
    yes_option,
)
from rpcexplorer.cli.world import World, ask
from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.params import Params, Typo
from rpcexplorer.model.draft import Batch, Draft, judged
from rpcexplorer.model.exchange import Cancelled, Exchange, Preview, Refused
from rpcexplorer.model.method import SIGN, method_of, no_such_call
from rpcexplorer.model.problem import Checked, SchemaProblem, counted, cut, joined_words
from rpcexplorer.model.profile import Profile
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result, array_of
from rpcexplorer.text.exchange import SIGNS, failed_count, failed_lines, outcome_line, times, transport_line
from rpcexplorer.text.json_text import highlighted, inked, painted
from rpcexplorer.text.printable import printable
from rpcexplorer.variables.references import name_and_value

SECRET_REFERENCE = regex(rb"\xab([\w.-]+|not recorded)\xbb")
"""A secret reference in Latin-1 bytes; it is printed as UTF-8."""


Part = Literal["result", "text", "response", "body"]
"""The part of a response that goes to stdout."""


def check_pointers(ignore: Iterable[str]) -> None:
    for pointer in ignore:
        if not pointer.startswith("/"):
            found = pointer or "an empty text"
            raise click.UsageError(f"--ignore: {found} is not a JSON pointer. Begin it with a slash.")


def warn_about_other_url(run: Run, call: Exchange, profile: Profile) -> None:
    """Print a warning if a recorded call will go to another URL."""
    if run.explorer.cases.goes_elsewhere(call, profile):
        recorded_at = call.url or "an unknown URL"
        place = f"{profile.endpoint} ({profile.name})"
        run.world.warn(f"calls recorded at {recorded_at} will be sent to {place}")


def question_about(explorer: Explorer, drafts: Sequence[Draft | Batch], profile: Profile) -> str:
    """Return the sentence that asks to confirm; empty if none is needed."""
    methods = explorer.to_ask_about(drafts, profile)
    if not methods:
        return ""
    which = "all" if profile.confirm == "always" else "unsafe"
    named = ", ".join(starmap(times, methods.items()))
    badge = f" ({profile.badge})" if profile.badge else ""
    return f"Profile {profile.name}{badge} asks to confirm {which} calls: {named}."


def confirm_sending(run: Run, sent: Sequence[tuple[Profile, Draft | Batch]], calls: str, question: str = "") -> None:
    """Ask about calls that their profiles want to be confirmed; end the command unless the answer is yes.

    ``question`` is asked, too, and ``--yes`` does not confirm it.
    """
    by_name: dict[str, tuple[Profile, list[Draft | Batch]]] = {}
    for profile, draft in sent:
        by_name.setdefault(profile.name, (profile, []))[1].append(draft)
    questions = [question] if question else []
    if not run.yes:
        for name in sorted(by_name):
            profile, drafts = by_name[name]
            if asked := question_about(run.explorer, drafts, profile):
                questions.append(asked)
    if not questions:
        return
    asked, places = " ".join(questions), joined_words(dict.fromkeys(profile.origin for profile, _ in sent))
    if not run.asks:
        fail(f"{asked} Add --yes to send {calls} to {places}.")
    if not run.agrees(f"{asked} Send {calls} to {places}?"):
        fail("Nothing was sent.")


def confirm_many(run: Run, profile: Profile, question: str, calls: str, *, host_is: str | None) -> None:
    """Ask before many calls to production, or if there is a question; end the command unless the answer is yes.

    It also ends if the profile has another host than ``host_is``. On production, --yes confirms only together with the
    host, and only if the user cannot be asked.
    """
    host, is_prod = profile.origin.partition("://")[2], profile.badge == "prod"
    if host_is is not None and host_is not in {host, urlsplit(profile.origin).hostname}:
        fail(f"Nothing was sent: the host of profile {profile.name} is {host}, not {host_is}.")
    if run.yes and (not is_prod or (host_is is not None and not run.asks)):
        return
    if not (is_prod or question):
        return
    before = f"{question} " if question else ""
    if not run.asks:
        more = f"--yes and --host-is {host}" if is_prod else "--yes"
        fail(f"{before}Add {more} to send {calls}.")
    if not run.agrees(f"{before}Send {calls}?"):
        fail("Nothing was sent.")


def values_of(words: Sequence[str]) -> dict[str, str]:
    """Return the values of ``--set``. The last value of a name wins."""
    given = {}
    for word in words:
        if not (pair := name_and_value(word)):
            raise click.UsageError(
                f"--set {word} is not NAME=VALUE. For {{{{page}}}} in the params, write --set page=2."
            )
        given[pair[0]] = pair[1]
    return given


def resolved(run: Run, draft: Draft | Batch, given: Sequence[str], id: str = "") -> Draft | Batch:
    """Return the call with its variables replaced.

    End the command if one has no value. A call that is typed without ``--set`` stays unchanged: variables without a
    value are sent as typed.
    """
    explorer, values = run.explorer, values_of(given)
    is_saved = isinstance(draft, Draft) and draft.method.startswith(SIGN) and method_of(draft.method) == draft.method
    if isinstance(draft, Draft):
        draft = _saved(explorer, draft) if is_saved else replace(draft, method=method_of(draft.method))
    if not (is_saved or values):
        return draft
    from rpcexplorer.variables.resolve import Missing, used_in  # Few calls have variables.

    if not isinstance(draft.read(), Typo):  # Params with a problem are not sent, and their variables are unknown.
        used = {variable.name.partition(":")[0] for variable in used_in(draft)}
        for name in values.keys() - used:
            run.world.warn(f"--set {name}=… has no effect: the params contain no {{{{{name}}}}}")
    found = explorer.resolved(draft, values, id=id)
    if isinstance(found, Missing) and run.asks:
        found = explorer.resolved(draft, values | _asked(found.names), id=id)
    if isinstance(found, Missing):
        if not found.names:
            fail(found.sentence)
        ways = " ".join(f"--set {name}=…" for name in found.names)
        fail(f"{found.sentence} Add {ways}, or set {joined_words(found.names)} in [variables] of sessions.toml.")
    return found


def _saved(explorer: Explorer, draft: Draft) -> Draft:
    name, calls = draft.method.removeprefix(SIGN), explorer.saved_calls()
    if name not in calls:
        if problem := explorer.problem_of_call(name):
            where = f"{problem.file}:{problem.line}"
            fail(f"Nothing was sent: {draft.method} has a problem in {where}. Correct it first.")
        fail(no_such_call(draft.method, calls, explorer.profile.name if explorer.profile else ""))
    if draft.text:
        fail(f"The saved call {draft.method} already has params. To set its variables, use --set NAME=VALUE.")
    return calls[name].draft(notification=draft.notification)


def _asked(names: Iterable[str]) -> dict[str, str]:
    """Ask for the variables. Enter alone gives no value."""
    values = {}
    for name in names:
        if value := ask(f"{{{{{name}}}}}"):
            values[name] = value
    return values


class Sending(Struct, frozen=True):
    """How to send a call, and what to print of its response."""

    response: bool
    envelope: bool
    body: bool
    text: bool
    include: bool
    output: str | None
    dry_run: bool
    timeout: float | None
    id: str | None
    history: bool
    given: tuple[str, ...]
    """Values of ``--set``."""

    @property
    def part(self) -> Part:
        if self.response or self.envelope:
            return "response"
        if self.body:
            return "body"
        return "text" if self.text else "result"


def sending_options(*, has_response: bool = True) -> Callable[[F], F]:
    """Return the options of a command that sends. Those of a response are hidden if there is none."""
    of_response = partial(click.option, hidden=not has_response)
    return together(
        profile_option(),
        url_options("Call this URL, without a profile."),
        auth_option,
        form_options,
        of_response("--response", is_flag=True, help="Print the whole response, not only its result."),
        click.option("--envelope", is_flag=True, hidden=True),  # Former name of --response.
        click.option("--body", is_flag=True, help="Print the body of the response, byte for byte."),
        of_response("--text", is_flag=True, help="Print the texts in the result: Markdown, code, strings."),
        click.option("-i", "--include", is_flag=True, help="Print the status line and headers first."),
        click.option("-o", "--output", metavar="FILE", help=FILE_HELP),
        click.option("--dry-run", is_flag=True, help="Print the exact request without secrets, and send nothing."),
        click.option(
            "--timeout",
            type=seconds,
            metavar="SECONDS",
            help="Timeout of the whole call, instead of the profile's timeout.",
        ),
        of_response("--id", metavar="ID", help="Use this id instead of a new one."),
        click.option("--no-history", "history", flag_value=False, default=True, help="Do not record the call."),
        no_input_option(),
        yes_option(),
        set_option,
    )


@click.command()
@click.argument("method", shell_complete=complete_methods)
@click.argument("params", nargs=-1, shell_complete=complete_params)
@sending_options()
@click.pass_obj
def call(run: Run, /, method: str, params: tuple[str, ...], **options: Any) -> int:
    """Call METHOD and print its result.

    PARAMS is JSON text, @FILE, or - for stdin. Words such as name=text and name:=json make an object, words without a
    name are params by position; write -- before a negative number. METHOD can also be a saved call, @NAME, which has
    its own params. If the name of a method begins with @, write @@.

    \b
    Examples:
      rpcexplorer call ping
      rpcexplorer call -p staging user.list '{"page": 1}'
      rpcexplorer call user.list page:=1 name=Ada
      rpcexplorer call eth_getBlockByNumber 0x1 false
      rpcexplorer call report.run @params.json | jq .total
      rpcexplorer call ping --url http://127.0.0.1:8000 --auth none
      rpcexplorer call @"list users" --set page=2
    """
    return _send(run, Sending(**options), partial(_draft, run, method, params), params)


@click.command()
@click.argument("method", shell_complete=complete_methods)
@click.argument("params", nargs=-1, shell_complete=complete_params)
@sending_options(has_response=False)
@click.pass_obj
def notify(run: Run, /, method: str, params: tuple[str, ...], **options: Any) -> int:
    """Send METHOD as a notification.

    A notification has no id and gets no response.

    \b
    Examples:
      rpcexplorer notify cache.clear
      rpcexplorer notify log.write level=info text='all is well'
    """
    sending = Sending(**options)
    if sending.id is not None:
        raise click.UsageError("A notification has no id. Remove --id, or use call.")
    if sending.part in {"response", "text"}:
        raise click.UsageError(f"A notification gets no response. Remove --{sending.part}, or use call.")
    prints = sending.include or sending.body or sending.dry_run
    if sending.output is not None and not prints:
        raise click.UsageError("A notification gets no result to write. Remove --output, or use call.")
    return _send(run, sending, partial(_draft, run, method, params, notification=True), params, has_result=False)


@click.command()
@click.argument("file", default="-", metavar="[FILE|-]")
@sending_options()
@click.pass_obj
def batch(run: Run, /, file: str, **options: Any) -> int:
    """Send several calls in one request.

    FILE, or stdin, contains a JSON array of objects with "method" and "params". An object with "id": null is a
    notification.

    \b
    Examples:
      rpcexplorer batch calls.json
      echo '[{"method": "ping"}, {"method": "user.list", "params": {"page": 1}}]' | rpcexplorer batch
    """
    return _send(run, Sending(**options), lambda: Batch(input_text(file.removeprefix("@"), run.world)))


def _draft(run: Run, method: str, words: Sequence[str], *, notification: bool = False) -> Draft:
    return draft_of(method, words, run.world, lambda: run.explorer.described(method), notification=notification)


def _send(
    run: Run,
    sending: Sending,
    make: Callable[[], Draft | Batch],
    words: Sequence[str] = (),
    *,
    has_result: bool = True,
) -> int:
    """Send a draft and print its outcome.

    ``make`` returns it once the profile is chosen; ``words`` are its params as they were typed.
    """
    if [sending.part == "response", sending.body, sending.text].count(True) > 1:
        raise click.UsageError("Use only one of --response, --body and --text.")
    if sending.id == "":
        raise click.UsageError("--id is empty. Name an id, or remove --id to use a new one.")
    if sending.dry_run and sending.include:
        raise click.UsageError("--dry-run has no response with headers. Remove --include.")
    world, out = run.world, Output(run.world, sending.output)
    if has_result:
        world.write(b"")  # If the result cannot be printed, nothing is sent.
    profile, explorer = run.use(), run.explorer
    explorer.journal.recording = explorer.journal.recording and sending.history
    draft = resolved(run, make(), sending.given, sending.id or "")
    if sending.dry_run:
        code = show_preview(out.world, explorer.preview(draft, id=sending.id, can_ask=True))
        mark(world, draft, words)
        out.write()
        return code
    confirm_sending(run, [(profile, draft)], "the request")

    async def send(watch: Waiting) -> tuple[Exchange, Checked, Checked]:
        exchange = await explorer.call(draft, id=sending.id, timeout=sending.timeout, watch=watch, stop=run.stop)
        params = await check_params(explorer, draft, exchange)
        return exchange, params, await explorer.check_result(exchange, quickly=True)

    with result_of(run, send) as (exchange, params, result):
        show(out.world, exchange, sending.part, include=sending.include)
        warn_about_schemas(world, params, result, words)
        body = exchange.response.body
        is_unread = exchange.outcome_name in {"unreached", "cancelled", "malformed"}
        if is_unread and body and sending.part in {"result", "text"}:
            world.hint(f"To print the response body ({counted(len(body), 'byte')}), add --body.")
        connection = explorer.connection_of(profile)
        if connection is not None and connection.requests.note:
            world.say(connection.requests.note)
        advise(run, exchange)
        mark(world, draft, words)
        run.warn_unless_recorded("the call was not recorded")
        out.write(exchange, recorded=explorer.journal.recording and not explorer.journal.problem)
    return exchange.exit_code or int(world.lacks_answer)


async def check_params(explorer: Explorer, draft: Draft | Batch, exchange: Exchange) -> Checked:
    """Check the params of a call; of one that succeeded, names and types are enough."""
    if isinstance(draft, Batch) or not isinstance(draft.read(), Params):
        return Checked()
    quickly = not isinstance(exchange.outcome, ErrorObject)
    return await explorer.check_params(draft.method, draft.text or "[]", quickly=quickly)


def warn_about_schemas(world: World, params: Checked, result: Checked, words: Sequence[str]) -> None:
    """Print what does not match the schemas, and how to write the params instead."""
    if not params.problems and not result.problems:
        return
    from rpcexplorer.text.problems import params_remarks, result_remark  # Most calls have no problem.

    for remark in params_remarks(params.problems):
        world.warn(remark)
    for problem in params.problems:
        if problem.fix is not None:
            word = _as_json(problem, words)
            world.hint(f"write {word}" if word else f"{problem.fix.label}: {cut(problem.fix.text)}")
            break
    if remark := result_remark(result.problems):
        world.warn(remark)


def _as_json(problem: SchemaProblem, words: Sequence[str]) -> str:
    """Return ``name:=json`` for a word ``name=text`` that must not be a string."""
    for word in words:
        name, _, value = word.partition("=")
        if problem.keyword == "type" and problem.pointer == (name,):
            return shlex.quote(f"{name}:={value}")
    return ""


def mark(world: World, draft: Draft | Batch, words: Sequence[str] = ()) -> None:
    """Show the typo in a text, and the text to write instead; ``words`` may name its file."""
    read, remark = judged(draft.text)
    if remark:
        world.warn(remark)
    if isinstance(read, Typo):
        from rpcexplorer.text.problems import marked

        if len(words) == 1 and words[0].startswith("@"):
            world.say(f"{words[0][1:]} does not contain JSON params:")
        world.stderr.write(f"{marked(draft.text, read)}\n")


def show(world: World, exchange: Exchange, part: Part = "result", *, include: bool = False) -> None:
    """Print an exchange: the result on stdout, messages on stderr."""
    for note in exchange.notes:
        world.say(note)
    if include and exchange.response.status is not None:
        _head(world, exchange)
    _print_part(world, exchange, part)
    for remark in exchange.remarks:
        world.warn(remark)
    if isinstance(exchange.outcome, Result) and exchange.parts and part == "result":
        came = counted(len(exchange.parts), "part")
        world.say(f"the result came in {came}: the last one is printed. To print each, use listen")
    words = ""
    if exchange.kind == "batch":
        from rpcexplorer.model.batch import parts_of

        parts = parts_of(exchange)
        for line in failed_lines(parts):
            world.say(line)
        words = failed_count(parts) if parts.apart else ""
    if exchange.exit_code:
        show_failure(world, exchange, words)


def _print_part(world: World, exchange: Exchange, part: Part) -> None:
    body, outcome = exchange.response.body, exchange.outcome
    if part == "result":
        match outcome:
            case Result(text=text):
                world.print_json(text)
            case ErrorObject(value=value) if value.lstrip().startswith(b"["):
                world.print_json(value)  # Some calls of the batch failed, the others have results.
            case Malformed() if exchange.kind == "batch" and body[:1] in {b"[", b"{"}:
                world.print_json(body)  # Some calls of the batch got no response.
    elif part == "text" and isinstance(outcome, Result):
        _print_texts(world, outcome)
    elif body and part == "response" and isinstance(outcome, Result | ErrorObject):
        world.print_json(body)
    elif body and part != "text":
        world.print_bytes(body)


def _print_texts(world: World, result: Result) -> None:
    """Print the texts of a result, or of all its parts: laid out on a terminal, as they are in a pipe."""
    from rpcexplorer.text.blocks import block_rows, plain_text, text_blocks  # Few calls ask for them.

    blocks = text_blocks(array_of(result.parts) if result.parts else bytes(result.text))
    if not blocks:
        world.say("the result contains no text, at most short strings. To print it as JSON, remove --text")
    elif world.shows:
        for row in block_rows(blocks, world.width).rows:
            world.print(painted(row, colour=world.colours).rstrip())
    else:
        world.print(plain_text(blocks))


def advise(run: Run, exchange: Exchange) -> None:
    """Print a hint for a failed call, with the commands to run."""
    explorer, profile = run.explorer, run.explorer.profile
    if exchange.exit_code == 0 or profile is None:
        return
    from rpcexplorer.client.hints import hint_for  # A call that succeeds needs no hint.

    hint = hint_for(exchange, profile, variables=explorer.credentials.from_environment(profile))
    # The sentence about a missing secret already names the command.
    if hint and (hint.tests or not isinstance(exchange.outcome, Refused) or exchange.outcome.rejected):
        run.world.hint("\n".join([hint.sentence, *hint.commands]))
    elif meant := explorer.meant_methods(exchange):
        run.world.hint(f"Did you mean {' or '.join(map(printable, meant))}?")


def show_preview(world: World, preview: Preview | Refused) -> int:
    if isinstance(preview, Refused):
        world.say(preview.sentence)
        return 3 if preview.why == "credentials" else 2
    if preview.logs_in_first:
        world.say("there is no session yet, so a login would be sent first")
    for label, value in preview.facts:
        world.say(f"{label}: {value}")
    if preview.line:
        world.print(inked(printable(preview.line), "bold", colour=world.colours))
    for name, value in preview.headers:
        world.print(inked(printable(name), "json-key", colour=world.colours) + printable(f": {value}"))
    if preview.line or preview.headers:
        world.print()
    world.print_json(preview.body)
    for remark in preview.remarks:
        world.warn(remark)
    if preview.doubt:
        world.say(preview.doubt)
    return 2 if preview.doubt else 0


def _head(world: World, exchange: Exchange) -> None:
    response = exchange.response
    lines = [f"{response.version} {response.status} {response.reason}".rstrip()]
    lines += [f"{name}: {value}" for name, value in response.headers]
    for line in (*lines, ""):
        # Headers arrive as Latin-1, and a pipe gets the same bytes. Only secret references, which are ours, become
        # UTF-8.
        if world.shows:
            world.print(printable(line))
        else:
            world.write(SECRET_REFERENCE.sub("«\\1»".encode(), line.encode("latin-1", errors="replace")) + b"\n")


def show_failure(world: World, exchange: Exchange, words: str = "") -> None:
    """Print how a call failed; ``words`` replace the outcome."""
    outcome = f"{SIGNS[exchange.outcome_name]} {words}" if words else outcome_line(exchange)
    match exchange.outcome:
        case Refused(sentence=sentence):
            world.say(sentence)
            return
        case ErrorObject(data=data):
            world.say(f"{outcome}  {transport_line(exchange)}".rstrip())
            if exchange.outcome.code is None and not exchange.outcome.value.startswith(b'"'):
                world.say(f"error object: {highlighted(exchange.outcome.value, colour=False)}")
            elif data is not None:
                world.say(f"data: {highlighted(data, colour=False)}")
        case Cancelled(maybe_ran=True):
            world.say("cancelled: the server may have run the call")
        case Cancelled():
            world.say("cancelled: the server did not run the call")
        case _:
            world.say(f"{outcome}  {transport_line(exchange)}".rstrip())
    world.say(f"called {exchange.url}")


@click.command()
@profile_option()
@url_options(hidden=True)
@no_input_option()
@click.option("--paste", is_flag=True, help="Type the URL at which the browser of an OAuth login ends.")
@click.option("--yes", is_flag=True, help="Ask other servers for a token without confirmation, for scripts.")
@click.pass_obj
def login(run: Run, paste: bool, yes: bool) -> int:
    """Open a new session and store it for the next calls.

    With auth type oauth, this prints an address to open in a browser, and waits for its redirect. If the browser is on
    another machine, its last page cannot be loaded: add --paste, and type the URL of that page.

    \b
    Examples:
      rpcexplorer login -p staging
      RPCEXPLORER_STAGING_PASSWORD=… rpcexplorer login -p staging --no-input
    """
    run.pastes, run.agrees_to_servers = paste, yes
    run.use()
    with result_of(run, lambda watch: run.explorer.login(watch=watch, stop=run.stop)) as exchange:
        show(run.world, exchange)
        advise(run, exchange)
    return exchange.exit_code


@click.command()
@profile_option()
@url_options(hidden=True)
@click.pass_obj
def logout(run: Run) -> None:
    """Forget the stored session, without informing the server.

    \b
    Example:
      rpcexplorer logout -p staging
    """
    profile = run.use()
    had_session, problem = run.explorer.credentials.log_out(profile)
    fail_if(problem)
    if had_session:
        run.world.say(f"forgot the session of {profile.name}")
        return
    fail_if(run.explorer.secrets.problem())
    run.world.say(f"{profile.name} has no session")
