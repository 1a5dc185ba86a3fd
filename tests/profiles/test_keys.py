"""The table of profile keys."""

from __future__ import annotations

from rpcexplorer.model.profile import Login, Profile
from rpcexplorer.profiles.keys import PROFILE_KEYS
from rpcexplorer.text.connection_test import OPTIONS

NOT_IN_FILES = {"name", "assumes_auth", "has_login", "history_inside", "command_folder", "ad_hoc", "typed"}
"""Fields of a profile that rpcexplorer sets itself."""


def test_every_field_of_a_profile_has_a_row() -> None:
    fields = {*Profile.__struct_fields__, *(f"login.{field}" for field in Login.__struct_fields__)} - NOT_IN_FILES
    # These are not fields of a profile.
    keys = {row.key for row in PROFILE_KEYS if row.part != "Auth"} - {"call", "variables"}
    assert fields - {"auth", "login", "methods", "answers", "openings"} == keys - {"method", "answer", "open"}


def test_suggested_commands_use_options_of_the_table() -> None:
    assert {row.key: row.option for row in PROFILE_KEYS if row.key in OPTIONS} == OPTIONS
