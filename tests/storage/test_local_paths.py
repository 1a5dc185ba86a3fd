"""Where files lie on this machine, and whose it is, is in nothing that is handed on."""

from __future__ import annotations

import getpass
from pathlib import Path

import pytest

from rpcexplorer.history.export import LocalPaths
from rpcexplorer.model.profile import Profile

LONG = "/tmp/reader/Ada Lovelace, née Byron: keys/ca; old.pem"
NOW = Profile("tls", "https://rpc.example.com", ca_file=LONG, cert_file="/srv/Ada Lovelace/my cert.pem")
OURS = Path("/work/of Ada/rpc explorer")


@pytest.mark.everyday(12)
@pytest.mark.parametrize(
    ("sentence", "left"),
    [
        (f"The ca_file {LONG} cannot be read", "The ca_file ca; old.pem cannot be read"),
        ("The cert_file /srv/Ada Lovelace/my cert.pem or its key", "The cert_file my cert.pem or its key"),
        (
            "The ca_file /tmp/reader/Ada Lovelace/ca.pem cannot be read as certificates: name another/one",
            "The ca_file ca.pem cannot be read as certificates: name another/one",
        ),
        (
            "ask who runs it; the ca_file /old/Ada L/ca.pem does not vouch for https://rpc.example.com/api/v2/x",
            "ask who runs it; the ca_file ca.pem does not vouch for https://rpc.example.com/api/v2/x",
        ),
        ("The key_file ~/Ada L/k.pem belongs", "The key_file k.pem belongs"),
        (r"The ca_file C:\Users\Ada L\ca.pem cannot", "The ca_file ca.pem cannot"),
        (f"no such file {OURS}/state/x.sock here", "no such file x.sock here"),
        (f"the folder {OURS} is", "the folder  is"),
        (f"it is {Path.home()}/keys/a.pem", "it is a.pem"),
        (f"it is {getpass.getuser()}/a.pem", "it is a.pem"),
        (f"at https://rpc.example.com/{getpass.getuser()}/a", f"at https://rpc.example.com/{getpass.getuser()}/a"),
        ("nothing came from https://rpc.example.com/api/v2/: HTTP/1.1", None),
    ],
)
def test_a_file_of_this_machine_has_only_its_name(sentence: str, left: str | None) -> None:
    assert LocalPaths([NOW], [OURS]).without(sentence) == (sentence if left is None else left)
