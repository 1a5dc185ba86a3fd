"""`methods` and `params`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click
from msgspec import UNSET, Raw, Struct
from msgspec.structs import astuple

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.cli.arguments import AUTH, AUTH_HELP, OneOf, params_text
from rpcexplorer.cli.completion import complete_methods, complete_params
from rpcexplorer.cli.context import (
    Invocation,
    fail,
    invocation_of,
    no_input_option,
    profile_option,
    server_after_options,
    url_after_option,
)
from rpcexplorer.cli.output import print_json, result_of
from rpcexplorer.cli.world import World
from rpcexplorer.discovery.methods import parameters_of, result_kind, similar_methods
from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.params import Typo
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Stop
from rpcexplorer.model.method import SIGN, Described, Method, SavedMethod, as_named, method_of
from rpcexplorer.model.problem import (
    PROGRAM,
    Checked,
    counted,
    joined_words,
    quoted,
)
from rpcexplorer.model.profile import DocumentSource
from rpcexplorer.schema.dialect import references_in
from rpcexplorer.schema.start import sendable_start, started, starting_point
from rpcexplorer.text.docs import changes_found, docs_page
from rpcexplorer.text.json_text import json_of, raw_of
from rpcexplorer.text.printable import printable
from rpcexplorer.text.problems import marked, unchecked_words, warning

MAX_NAMED = 5
"""Methods of each kind that are named after a refresh."""


@click.command()
@click.argument("name", required=False, shell_complete=complete_methods)
@profile_option
@click.option("--url", metavar="URL", help="Use this URL, without a profile.")
@server_after_options
@click.option("--auth", type=AUTH, help=AUTH_HELP)
@click.option("--refresh", is_flag=True, help="Discover the methods again before listing them.")
@click.option("--changes", is_flag=True, help="Print the changes that the last refresh found.")
@click.option("--json", "as_json", is_flag=True, help="Print the method list as JSON.")
@click.option("--export", type=OneOf(["openrpc"]), help="Print the methods as an OpenRPC document.")
@no_input_option
@click.pass_context
def methods(
    context: click.Context,
    name: str | None,
    profile: str | None,
    url: str | None,
    auth: str | None,
    refresh: bool,
    changes: bool,
    as_json: bool,
    export: str | None,
    ask: bool,
) -> None:
    """List the methods, or describe one of them.

    The list contains the saved calls (with an @), then the methods from rpcexplorer, the profile, discovery and earlier
    calls. You can also call methods that are not in the list. --refresh saves the discovered methods for the profile.
    It is not an error if the service does not support discovery.

    \b
    Examples:
      rpcexplorer methods
      rpcexplorer methods user.list
      rpcexplorer methods --refresh -p staging
      rpcexplorer methods --refresh --url http://127.0.0.1:8000/jsonrpc
      rpcexplorer methods --changes
      rpcexplorer methods --json | jq -r '.[].name'
      rpcexplorer methods --export openrpc > openrpc.json
    """
    if export and (name or changes or as_json):
        raise click.UsageError("--export prints the whole method list. Remove NAME, --changes and --json.")
    if changes and name:
        raise click.UsageError("--changes prints the changes of all methods. Remove NAME.")
    invocation = invocation_of(context)
    explorer = invocation.open(ask=ask)
    chosen = invocation.use(explorer, profile, url, auth)
    options = invocation.options(profile, url, auth)
    code = 0
    if refresh:
        code = _refreshed(invocation, explorer)
    else:
        explorer.read_description()
    if export:
        known = [*explorer.methods(called=False).values()]
        document = explorer.method_lists.openrpc(chosen, known)
        print_json(invocation.world, document.removesuffix("\n").encode())
    elif changes:
        _print_changes(invocation, explorer, as_json=as_json)
    else:
        listed = (
            [known_method(explorer, name, options, refreshed=refresh)] if name else explorer.listed_methods().values()
        )
        _print(invocation, explorer, [*listed], is_one=name is not None, as_json=as_json)
        if not name:
            _explain_source(invocation.world, explorer, options, refreshed=refresh)
    if explorer.method_lists.problem:
        invocation.world.say(explorer.method_lists.problem)
    context.exit(code)


def known_method(explorer: Explorer, name: str, options: str, *, refreshed: bool = False) -> Method:
    """Return the method; end the command with similar names if unknown.

    ``options`` choose the profile in the command that refreshes the list.
    """
    known = explorer.listed_methods()
    if name not in known:
        near = " or ".join(map(printable, similar_methods(name, known)))
        sentence = f"There is no method {printable(name)} in the list." + (f" Did you mean {near}?" if near else "")
        if explorer.profile and explorer.profile.ad_hoc and not refreshed:
            command = f"{PROGRAM} methods {quoted(name)} --refresh{options}"
            sentence += f" Without a profile, the list is not saved. To discover its methods, run:\n{command}"
        elif not refreshed:
            sentence += f" To refresh the list, run:\n{PROGRAM} methods --refresh{options}"
        fail(sentence)
    return known[name]


def _explain_source(world: World, explorer: Explorer, options: str, *, refreshed: bool) -> None:
    """Print which part of the method list does not come from the server."""
    profile, known = explorer.profile, explorer.listed_methods()
    assert profile is not None
    learned = explorer.method_lists.learned(profile)
    if assumed := [method.name for method in known.values() if method.source == "service"]:
        world.say(f"Assumed, not listed by the server: {joined_words(assumed)}")
    if refreshed and learned and profile.ad_hoc:
        world.hint(
            f"Without a profile, the list is not saved. To save it, add a profile and refresh its list:\n"
            f"{PROGRAM} profiles add NAME{options}\n{PROGRAM} methods --refresh -p NAME"
        )
    if refreshed or learned or profile.discovery == "none":
        return
    state = "This method list does not come from the server." if known else "The method list is empty."
    world.hint(f"{state} To discover methods, run:\n{PROGRAM} methods --refresh{options}")


TESTED_FOR = frozenset({0, 4, 5})
"""Exit codes of a discovery without methods for which a connection test helps."""


def _refreshed(invocation: Invocation, explorer: Explorer) -> int:
    stop = Stop()
    with result_of(
        invocation.world, explorer, stop, lambda watch: explorer.discover(watch=watch, stop=stop, tell=watch.on_step)
    ) as discovery:
        for sentence in discovery.sentences:
            invocation.world.say(sentence)
        for word, names in (("new", discovery.new), ("gone", discovery.gone)):
            if names:
                invocation.world.say(f"{word}: {joined_words(map(printable, names), MAX_NAMED)}")
        changed = [change for change in discovery.changed if change.kind == "changed"]
        for change in changed[:MAX_NAMED]:
            invocation.world.say(f"changed: {printable(change.line)}")
        if len(changed) > MAX_NAMED:
            more = counted(len(changed) - MAX_NAMED, "more method")
            invocation.world.say(f"changed: {more}. To list all changes, run:\n{PROGRAM} methods --changes")
    profile = explorer.profile
    asks_server = profile and isinstance(profile.discovery, str) and profile.discovery != "none"
    if profile and asks_server and not discovery.found and discovery.exit_code in TESTED_FOR:
        from rpcexplorer.client.hints import connection_test  # Only a failure needs it.

        invocation.world.hint(f"To test the connection, run:\n{connection_test(profile)}")
    if profile and isinstance(profile.discovery, DocumentSource) and profile.discovery.file and not discovery.found:
        return 2  # The sentence says what is wrong with the file.
    return discovery.exit_code


def _print_changes(invocation: Invocation, explorer: Explorer, *, as_json: bool) -> None:
    """Print the changes of the last refresh that found any."""
    assert explorer.profile is not None
    found, world = explorer.method_lists.changes(explorer.profile), invocation.world
    if found is None:
        world.say("No refresh has found changes yet.")
    else:
        world.say(changes_found(found))
    changes = found.methods if found else ()
    if as_json:
        print_json(
            world, json_of([{"name": change.name, "kind": change.kind, "what": change.what} for change in changes])
        )
        return
    for change in changes:
        world.print(f"{change.kind:<7}  {printable(change.line)}")


def _print(invocation: Invocation, explorer: Explorer, known: Sequence[Method], *, is_one: bool, as_json: bool) -> None:
    world = invocation.world
    if as_json:
        print_json(world, json_of(rows(explorer, known, whole=is_one)))
    elif is_one:
        _print_docs(invocation, explorer, known[0])
    else:
        width = max((len(printable(method.name)) for method in known), default=0)
        for method in known:
            mark = "!" if method.safe is False else " "
            line = f"{printable(method.name):<{width}}  {mark} {method.auth or '':<6}  {printable(method.doc)}"
            world.print(line.rstrip())


def _print_docs(invocation: Invocation, explorer: Explorer, method: Method) -> None:
    """Print the docs of a method, or of the method of a saved call."""
    assert explorer.profile is not None
    world = invocation.world
    if isinstance(method, SavedMethod):
        world.print(f"  {printable(method.name)} is a saved call: {printable(method.doc)}")
        world.print()
        method = explorer.listed_methods().get(as_named(method.calls)) or Method(method.calls, source="saved")
    learned = explorer.method_lists.learned(explorer.profile)
    described = explorer.described(method_of(method.name))
    asked = learned.when if learned else None
    for line in docs_page(method, described, asked, explorer.profile, width=world.width).rows:
        world.print("".join(text for text, _ in line).rstrip())


UNDESCRIBED = Described()


def rows(explorer: Explorer, methods: Iterable[Method], *, whole: bool = False) -> list[dict[str, Any]]:
    """Return a row for each method; ``whole`` adds the definitions."""
    learned = explorer.method_lists.learned(explorer.profile) if explorer.profile else None
    when = learned.when.isoformat(timespec="seconds") if learned else None
    return [_row(explorer, method, when, whole=whole) for method in methods]


def _row(explorer: Explorer, method: Method, when: str | None, *, whole: bool) -> dict[str, Any]:
    """Return the fields for ``--json``.

    ``learned`` is the time of discovery, ``start`` the params to start from. ``calls`` is the method of a saved call.
    """
    profile = explorer.profile
    assert profile is not None
    if isinstance(method, SavedMethod):
        call = explorer.saved_calls()[method.name.removeprefix(SIGN)]
        row = _facts(method, UNDESCRIBED)
        return row | {"doc": call.doc, "start": Raw((call.text or "[]").encode()), "learned": None}
    full = explorer.method_lists.described(profile, method_of(method.name))
    full = auth_of(profile).offered_in_full(method, full) if full else None
    start = bytes(raw_of(starting_point(method, full))).decode()
    start = sendable_start(profile, method_of(method.name), start)
    row = _facts(method, full or UNDESCRIBED) | {"start": Raw(start.encode())}
    if whole:
        row["definitions"] = _definitions(full) if full else {}
    return row | {"learned": when if method.protocol else None}


def _facts(method: Method, full: Described) -> dict[str, Any]:
    line = dict(zip(method.__struct_encode_fields__, astuple(method), strict=True))
    return {
        **{key: value for key, value in line.items() if key not in {"required", "has_docs", "is_check"}},
        "params": raw_of(method.params),
        "parameters": _parameters(full),
        "details": full.details,
        "result": result_kind(full) if full.result is UNSET else raw_of(full.result),
        "errors": [_values(error) for error in full.errors],
        "examples": [_values(example) for example in full.examples],
        "tags": full.tags,
    }


def _parameters(full: Described) -> list[dict[str, Any]]:
    rows = []
    for param, line in zip(full.params, parameters_of(full), strict=True):
        schema = None if param.schema is True else raw_of(param.schema)
        row = line._asdict() | {"default": raw_of(line.default), "example": raw_of(line.example), "schema": schema}
        rows.append(row | {"deprecated": param.deprecated})
    return rows


def _values(struct: Struct) -> dict[str, Any]:
    values = {name: getattr(struct, name) for name in struct.__struct_fields__}
    return {name: raw_of(value) for name, value in values.items() if value is not UNSET}


def _definitions(full: Described) -> Mapping[str, Raw]:
    """Return all schemas that the method refers to, directly or not."""
    found: dict[str, Raw] = {}
    rest = [*(param.schema for param in full.params), full.result]
    while rest:
        for reference in sorted(references_in(rest.pop())):
            if reference not in found and (schema := full.definitions.get(reference)) is not None:
                found[reference] = raw_of(schema)
                rest.append(schema)
    return found


HAS_PROBLEMS = 2
"""Exit code if the params do not match the schema."""


@click.command()
@click.argument("method", shell_complete=complete_methods)
@click.argument("given", nargs=-1, metavar="[PARAMS|@FILE|-]", shell_complete=complete_params)
@profile_option
@url_after_option
@click.option("--check", is_flag=True, help="Check these params against the schema of METHOD.")
@no_input_option
@click.pass_context
def params(
    context: click.Context, method: str, given: tuple[str, ...], profile: str | None, check: bool, ask: bool
) -> None:
    """Print JSON params that METHOD accepts.

    --check compares params with the schema of METHOD. It prints each problem with the values that are allowed there,
    and exits with code 2. Write the params as in rpcexplorer call. Nothing is sent: the schema is in the method list.

    \b
    Examples:
      rpcexplorer params user.list
      rpcexplorer params user.list > params.json
      rpcexplorer params user.list --check @params.json
      rpcexplorer params user.list --check page:=1
    """
    if given and not check:
        raise click.UsageError("To check these params, add --check. To print params for METHOD, remove them.")
    invocation = invocation_of(context)
    text = params_text(given, invocation.world)
    explorer = invocation.open(ask=ask)
    invocation.use(explorer, profile)
    explorer.read_description()
    known = known_method(explorer, method, invocation.options(profile))
    code = _check(invocation, explorer, known, text) if check else _print_start(invocation, explorer, known)
    if explorer.method_lists.problem:
        invocation.world.say(explorer.method_lists.problem)
    context.exit(code)


def _print_start(invocation: Invocation, explorer: Explorer, method: Method) -> int:
    """Print the params to start from."""
    if isinstance(method, SavedMethod):
        saved = explorer.saved_calls()[method.name.removeprefix(SIGN)]
        print_json(invocation.world, (saved.text or "[]").encode())
        return 0
    start = started(method, explorer.described(method_of(method.name)))
    assert explorer.profile is not None
    text = "[]" if start.value is None else bytes(raw_of(start.value)).decode()
    print_json(invocation.world, sendable_start(explorer.profile, method_of(method.name), text).encode())
    if start.why_not:
        invocation.world.warn(f"these params are not valid yet: {start.why_not}")
    return 0


def _check(invocation: Invocation, explorer: Explorer, method: Method, text: str) -> int:
    world, name = invocation.world, method.calls if isinstance(method, SavedMethod) else method_of(method.name)
    if isinstance(method, SavedMethod) and not text:
        text = explorer.saved_calls()[method.name.removeprefix(SIGN)].text
    read = Draft(name, text).read()
    if isinstance(read, Typo):
        world.say(f"these params cannot be sent: {read}")
        world.stderr.write(f"{marked(text, read)}\n")
        return HAS_PROBLEMS
    found = asyncio.run(_checked(explorer, name, text))
    for at, problem in enumerate(found.problems):
        world.say(warning(problem, at, len(found.problems)))
    if unchecked := unchecked_words(found):
        world.say(unchecked)
    elif found.is_right:
        world.say("no problems: the params match the schema")
    return HAS_PROBLEMS if found.problems else 0


async def _checked(explorer: Explorer, name: str, text: str) -> Checked:
    async with explorer:
        return await explorer.check_params(name, text)
