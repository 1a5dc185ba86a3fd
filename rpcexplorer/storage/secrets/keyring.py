"""The system's keyring, for those who chose it. Nothing is imported before the first use.

Keyrings raise whatever their desktop raises, some accept everything and keep nothing, and on many machines there
is none. All of that leaves here as a ``FileTrouble`` that says what to do instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rpcexplorer.files.io import FileTrouble

SERVICE = "rpcexplorer"
INSTEAD = 'unlock it, or write store = "file" below [secrets] in settings.toml'


def fetch(account: str) -> str | None:
    with _trouble("read"):
        import keyring

        return keyring.get_password(SERVICE, account)


def keep(account: str, text: str) -> None:
    """Store ``text``, and look whether it is really there."""
    with _trouble("write to"):
        import keyring

        keyring.set_password(SERVICE, account, text)
    if fetch(account) != text:
        raise FileTrouble(f"the system's keyring does not keep what it is given; {INSTEAD}")


def drop(account: str) -> bool:
    """Remove what is stored; False where there was nothing."""
    if fetch(account) is None:
        return False
    with _trouble("write to"):
        import keyring

        keyring.delete_password(SERVICE, account)
    return True


@contextmanager
def _trouble(doing: str) -> Iterator[None]:
    try:
        yield
    except ImportError:
        raise FileTrouble("no keyring is installed: run `pip install rpcexplorer[keyring]`, or " + INSTEAD) from None
    except Exception as error:  # noqa: BLE001 - what D-Bus and friends raise has no common base, and may quote values
        raise FileTrouble(f"cannot {doing} the system's keyring ({type(error).__name__}); {INSTEAD}") from None
