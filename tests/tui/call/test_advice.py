"""Checks of the typed params and of the result against the schema."""

from __future__ import annotations

import json
from collections.abc import Callable

from rpcexplorer.discovery.methods import Discovery
from rpcexplorer.explorer import MAX_RESULT_BYTES, Explorer
from rpcexplorer.model.method import By, Described, DescribedParam, Method
from rpcexplorer.model.problem import Checked, SchemaProblem
from rpcexplorer.tui.call.advice import MAX_PARAMS_CHARACTERS
from tests.fakes.wire import RawServer, Received, http_reply
from tests.history.recording import START
from tests.history.recording import exchange as recorded
from tests.tui.program import open_program

USER = Method("user.get", params={}, by="name", required=("id",), safe=True)
TOLD = Described(
    (DescribedParam("token"), DescribedParam("id", {"type": "object", "required": ["token"]}, True)), {"type": "object"}
)


class SternChecker:
    """A checker that reports problems for everything, and records its input."""

    def __init__(self) -> None:
        self.asked: list[tuple[Described, str, By | None]] = []

    async def params(self, described: Described, text: str, *, by: By | None = None) -> Checked:
        self.asked.append((described, text, by))
        needed = [(param.name,) for param in described.params if param.required]
        missing = [
            SchemaProblem(path, "required", f"{'.'.join(path)} is missing") for path in (*needed, ("id", "token"))
        ]
        return Checked(tuple(missing))

    async def result(self, described: Described, text: str) -> Checked:
        self.asked.append((described, text, None))
        return Checked((SchemaProblem(("items", 0), "type", "items/0 must be a number"),) * 5)

    async def close(self) -> None:
        """Do nothing."""


async def test_params_and_results_are_checked_against_the_schema(make_explorer: Callable[..., Explorer]) -> None:
    checker = SternChecker()
    results = ["x", "x" * MAX_RESULT_BYTES, "x", "x"]

    def answer(request: Received) -> bytes:
        return request.reply(result=results[0])

    with RawServer(answer) as server:
        made = make_explorer(f'version = 1\n[profile.demo]\nurl = "{server.origin}"\n')
        made.__dict__["checker"] = checker
        profile = made.use("demo")
        found = Discovery(START, (USER,), ("said",), described={"user.get": TOLD})
        made.method_lists.settle(profile, found)
        async with open_program(made, profile="demo") as program:
            calls = program.calls
            await program.sees("! line 1, column 1: id is missing. (1 of 2, ")
            sentence = calls.params.warnings.problems[1].sentence
            assert sentence == "id.token is missing", "a member of another param can be missing, too"
            assert checker.asked[-1] == (TOLD, "{}", "name")
            asked = len(checker.asked)
            for is_checked in (True, False):  # a large result is not checked
                await program.sent()
                of_result = [worker for worker in program.app.workers if worker.group == "result"]
                await program.app.workers.wait_for_complete(of_result)
                await program.pause()
                assert calls.response.schema_remark.endswith("must be a number. 2 more problems.") == is_checked
                mismatch = "does not match its schema. At /items/0: items/0 must be a number."
                assert (mismatch in program.text) == is_checked
                results.pop(0)
                calls.exchange = None
                assert not calls.response.schema_remark
            calls.drafts.choose("other")  # its result has no schema
            await program.sent()
            assert (len(checker.asked), calls.response.schema_remark) == (asked + 1, "")


async def test_new_method_has_valid_params_and_old_values(make_explorer: Callable[..., Explorer]) -> None:
    kind = DescribedParam("kind", {"enum": ["calm", "loud"]}, True)
    owner = DescribedParam("owner_id", {"type": "integer"})
    described = {"user.make": Described((kind, owner)), "@kind.set": Described((kind,))}
    methods = tuple(Method(name, by="name", source="discovered") for name in described)

    with RawServer(http_reply(b'{"jsonrpc":"2.0","id":"x","result":1}')) as server:
        variables = '[profile.demo.variables]\nowner_id = "5"\n'
        made = make_explorer(f'version = 1\n[profile.demo]\nurl = "{server.origin}"\n{variables}')
        made.__dict__["checker"] = SternChecker()
        profile = made.use("demo")
        made.method_lists.settle(profile, Discovery(START, methods, ("said",), described=described))
        made.remembered.set_method("demo", "user.make")
        for call in (
            recorded(0, profile="demo", params='{"owner_id": 40}'),
            *(recorded(number, profile="demo") for number in range(1, 10)),
            recorded(10, profile="other", params='{"owner_id": 41}'),
            recorded(11, profile="demo", params='{"owner_id": 42}', foreign=True),
        ):
            made.journal.record(call, profile)
        async with open_program(made, profile="demo") as program:
            calls = program.calls
            calls.drafts.choose("user.make")
            assert json.loads(calls.params.text) == {"kind": "calm"}

            def offered(text: str) -> list[str]:
                found = calls.advice.complete(text, len(text) - 1)
                return [candidate.shown for candidate in found.candidates] if found else []

            await program.until(lambda: offered('{"owner_id": }') == ["{{owner_id}}", "40"])  # an old call had it
            calls.params.replace('{"owner_id": 77}')
            await program.sent()
            await program.until(lambda: offered('{"owner_id": }') == ["{{owner_id}}", "77", "40"])
            assert calls.advice.signature('{"owner_id": }', 13) == "owner_id integer, next: kind"
            long = f'{{"note": "{"x" * MAX_PARAMS_CHARACTERS}", "owner_id": }}'
            assert offered(long) == [], "a long text is not checked"
            calls.drafts.choose("@@kind.set")  # it takes named params only
            assert (calls.advice.signature("[1]", 1), calls.advice.signature("{}", 1)) == ("", "kind")
