"""What stands for a secret in a text: what is told apart, and what is never opened."""

from __future__ import annotations

import json

import pytest

from rpcexplorer.model.secret import (
    PROFILE_NAME,
    UNRECORDED,
    defused,
    of_another,
    of_this,
    standing,
    unsendable,
    without,
)
from rpcexplorer.secrets.leaks import suspects


def test_no_profile_can_be_called_like_the_mark() -> None:
    assert not PROFILE_NAME.fullmatch(UNRECORDED.strip("«»").partition(".")[0])


@pytest.mark.parametrize(
    "text", ['"«not recorded»"', '"a «not recorded» b"', r'"\u00abnot recorded\u00BB"', "«RPCEXPLORER_X_PASSWORD»"]
)
def test_what_nobody_can_put_back_is_found_also_as_a_part(text: str) -> None:
    assert unsendable(text)


@pytest.mark.parametrize("text", ['"«shop.password»"', '"not recorded"', '"«recorded»"', '"«»"'])
def test_nothing_else_is_taken_for_it(text: str) -> None:
    assert not unsendable(text)


def test_placeholders_belong_to_the_profile_whose_name_they_have() -> None:
    text = '["«a.b.password»", "«a.password»", "«a.colour»"]'
    assert of_this(text, "a.b")
    assert of_another(text, "a.b") == "«a.password»"
    assert of_another('["«a.password»"]', "a") == ""


def test_what_is_defused_is_the_same_json_and_holds_no_placeholder() -> None:
    value = {"«shop.password»": ["x «shop.session» y", "«é»"]}
    text = defused(json.dumps(value, ensure_ascii=False))
    assert json.loads(text) == value
    assert not of_this(text, "shop")


def test_where_a_placeholder_stands_is_told_as_a_pointer() -> None:
    text = '{"a": {"note": "«shop.password»"}, "b": [1, "x «shop.session»"], "«shop.username»": "«a.password»"}'
    assert sorted(standing(text, "shop")) == [("/", "username"), ("/a/note", "password"), ("/b/1", "session")]
    assert [field for _, field in standing('["«shop.password»", "never closed', "shop")] == ["password"]


def test_a_deep_text_is_looked_into_in_a_moment() -> None:
    assert standing('{"a":' * 3_000 + '"«shop.password»"' + "}" * 3_000, "shop")


def test_in_the_text_of_somebody_else_nothing_stands_for_a_secret_of_ours() -> None:
    assert without('["«shop.password»", "«other.password»"]', "shop") == '["«not recorded»", "«other.password»"]'


@pytest.mark.parametrize("mark", [UNRECORDED, "«RPCEXPLORER_OLD_PASSWORD»", r"\u00abnot recorded\u00bb"])
def test_a_search_for_secrets_takes_no_mark_for_one(mark: str) -> None:
    assert list(suspects(f'params = "{{\\"password\\":\\"{mark}\\"}}"\npassword = "{mark}"'.encode())) == []
