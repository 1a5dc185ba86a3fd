"""The kind inline: what its flow puts into params, and what is left to the person."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rpcexplorer.auth.basic import InlineAuth
from rpcexplorer.auth.credentials import Message
from rpcexplorer.auth.registry import auth_of
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.method import Method, Parameter, described_by
from rpcexplorer.model.profile import MethodNote, Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.rpc.messages import Call
from rpcexplorer.schema.start import starting_point
from tests.auth.driving import INLINE, PASSWORD, PONG, drive, end, kinds, message, received, requests


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("[]", '{"username":"ada","password":"«shop.password»"}'),
        ("{}", '{"username":"ada","password":"«shop.password»"}'),
        ('{"x":1.10}', '{"x":1.10,"username":"ada","password":"«shop.password»"}'),
        ('{"username":"bob"}', '{"username":"bob","password":"«shop.password»"}'),
    ],
)
def test_credentials_are_members_of_params_when_the_call_is_sent(typed: str, sent: str) -> None:
    steps = drive(INLINE, message(typed), None, [PASSWORD, received(PONG)])
    assert requests(steps)[0].message.calls[0].params == sent
    assert not requests(steps)[0].headers


def test_an_object_that_holds_both_is_sent_as_typed() -> None:
    typed = '{"password":"p","username":"u"}'
    steps = drive(INLINE, message(typed), None, [received(PONG)])
    assert kinds(steps) == ["Send", "Ended"]
    assert requests(steps)[0].message.calls[0].params == typed


def test_an_array_that_is_not_empty_is_refused_with_the_reason() -> None:
    outcome = end(drive(INLINE, message("[1]"), None, []))
    assert isinstance(outcome, Refused)
    assert outcome.why == "params"
    assert "an array has no place" in outcome.sentence


def test_the_members_names_can_be_set_and_the_name_can_be_a_secret() -> None:
    profile = replace(INLINE, auth=InlineAuth(username_member="user", password_member="pass word"))
    steps = drive(profile, message(), None, [Secret("ada", "shop.username"), PASSWORD, received(PONG)])
    assert requests(steps)[0].message.calls[0].params == '{"user":"«shop.username»","pass word":"«shop.password»"}'


def test_a_method_noted_as_public_gets_no_credentials() -> None:
    profile = replace(INLINE, methods={"ping": MethodNote(auth="none")})
    assert requests(drive(profile, message(), None, [received(PONG)]))[0].message.calls[0].params == "[]"


def test_every_call_of_a_batch_gets_the_credentials() -> None:
    batch = Message("batch", (Call("a", "[]", "1"), Call("b", '{"x":1}', "2")))
    sent = requests(drive(INLINE, batch, None, [PASSWORD, received(PONG)]))[0].message.calls
    assert all("«shop.password»" in call.params for call in sent)


def test_credentials_that_the_profile_puts_in_are_not_for_the_person_to_give() -> None:
    parameters = (Parameter("user", True, "string"), Parameter("password", True), Parameter("id", True, "integer"))
    profile = Profile("p", "https://x.example", auth=InlineAuth(username_member="user"))
    known = (Method("m", parameters=parameters), Method("auth", parameters=parameters, auth="none"))
    found = auth_of(profile).offered({method.name: method for method in known})
    assert starting_point(found["m"]) == {"id": 0}
    assert [parameter.name for parameter in found["m"].parameters] == ["user", "password", "id"]
    assert starting_point(found["auth"]) == {"user": "", "password": None, "id": 0}
    full = [auth_of(profile).offered_in_full(method, described_by(method)) for method in known]
    assert [[param.required for param in each.params] for each in full] == [[False, False, True], [True, True, True]]


def test_params_go_by_name_where_the_credentials_have_names() -> None:
    """A profile that refuses an array offers no start that is one."""
    method = Method("m", parameters=(Parameter("a", True, "string"),), by="position")
    offered = InlineAuth().offered({"m": method, "free": replace(method, auth="none")})
    assert [starting_point(each) for each in offered.values()] == [{"a": ""}, [""]]
