"""The table of the keys of a profile."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from rpcexplorer.model.profile import Login, Profile
from rpcexplorer.profiles.keys import PROFILE_KEYS
from rpcexplorer.text.connection_test import OPTIONS

NOT_IN_FILES = {"name", "assumes_auth", "has_login", "history_inside", "ad_hoc"}
"""Fields of a profile that rpcexplorer sets by itself."""
WITH_A_NEW_ROW = """
import sys
from importlib.util import find_spec, module_from_spec
from pathlib import Path

import rpcexplorer.model.profile as model

class Profile(model.Profile, frozen=True):
    region: str = ""

model.Profile = Profile
spec = find_spec("rpcexplorer.profiles.keys")
table = "PROFILE_KEYS: Final = ("
row = 'ProfileKey("region", choice_rule("eu", "us"), "about", help="Where it is.", label="region", hint="eu"),'
source = Path(spec.origin).read_text()
assert table in source
keys = sys.modules[spec.name] = module_from_spec(spec)
exec(source.replace(table, table + row), vars(keys))

from rpcexplorer.tui.profile_form import fields_of
from tests.fakes.shell import Shell

shell = Shell(Path(sys.argv[1]))
for region in ("mars", "eu"):
    print(shell.run("profiles", "add", "shop", "--url", "http://127.0.0.1:9", "--region", region).err)
print(shell.run("profiles", "show", "shop").text)
shown = Profile("shop", "http://127.0.0.1:9", region="eu")
print([(field.label, field.value, field.hint) for field in fields_of(shown) if field.key == "region"])
"""


def test_new_row_is_checked_and_has_option_and_line(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITH_A_NEW_ROW, str(tmp_path)]
    ran = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    refused, shown, line = (text for text in ran.stdout.splitlines() if "region" in text)
    assert refused == 'rpcexplorer: --region: must be one of "eu", "us"'
    assert shown.split() == ["region", "eu", f"{tmp_path}/home/config/sessions.toml:5"]
    assert line == "[('region', 'eu', 'eu')]"
    assert (ran.returncode, ran.stderr) == (0, "")


def test_every_field_of_a_profile_has_a_row() -> None:
    fields = {*Profile.__struct_fields__, *(f"login.{field}" for field in Login.__struct_fields__)} - NOT_IN_FILES
    keys = {row.key for row in PROFILE_KEYS if row.part != "auth"} - {"call", "variables"}  # kept beside the profile
    assert fields - {"auth", "login", "methods"} == keys - {"method"}


def test_commands_that_are_proposed_use_options_of_the_table() -> None:
    assert {row.key: row.option for row in PROFILE_KEYS if row.key in OPTIONS} == OPTIONS
