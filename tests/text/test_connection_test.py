"""Tests of the certificate rows that help a user to decide."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from rpcexplorer.text.connection_test import certificate_rows
from rpcexplorer.transport.port import Certificate, ShownCertificate

NOW = datetime(2026, 6, 1, tzinfo=UTC)
BOX = Certificate(
    "sha256:01", "CN=box", "CN=box", ("box.lan",), datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)
)


def rows(certificate: Certificate, trusted: str | None = None, problem: str = "") -> dict[str, str]:
    return dict(certificate_rows(ShownCertificate(certificate, problem), trusted, NOW))


def test_certificate_rows_show_all_fields() -> None:
    assert rows(BOX, problem="It is self-signed. Do this.") == {
        "fingerprint": "sha256:01",
        "subject": "CN=box",
        "issuer": "self-signed",
        "hosts": "box.lan",
        "valid": "2026-01-01 to 2027-01-01",
        "verified": "It is self-signed",
    }


def test_certificate_rows_name_missing_and_omitted_parts() -> None:
    many = rows(replace(BOX, subject="", issuer="", names=tuple(f"{at}.lan" for at in range(900))))
    assert many["subject"] == "no name"
    assert many["issuer"] == "no name"
    assert many["hosts"].endswith("5.lan, 894 more")
    assert many["verified"] == "yes"
    assert rows(replace(BOX, names=()))["hosts"] == "none"
    assert len(rows(replace(BOX, subject="x" * 9000))["subject"]) <= 200


@pytest.mark.parametrize(("now", "state"), [(2025, "(not valid yet)"), (2028, "(expired)")])
def test_dates_are_judged(now: int, state: str) -> None:
    told = dict(certificate_rows(ShownCertificate(BOX), None, datetime(now, 1, 1, tzinfo=UTC)))
    assert told["valid"] == f"2026-01-01 to 2027-01-01  {state}"


def test_changed_certificate_shows_pinned_fingerprint() -> None:
    assert rows(BOX, "sha256:02")["pinned before"] == "sha256:02  (different)"
    assert "pinned before" not in rows(BOX, "sha256:01")


def test_unreadable_certificate_shows_its_fingerprint() -> None:
    told = rows(Certificate("sha256:03", remark="its content cannot be read"))
    assert list(told) == ["fingerprint", "warning", "verified"]
