"""A certificate is read as far as it goes, and whatever the bytes, its fingerprint comes out."""

from __future__ import annotations

import datetime as dt
import ssl

import pytest
import trustme
from cryptography import x509
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.transport.tls import certificate_from
from tests.fakes.certificates import PAST, issued, self_signed

CA = trustme.CA(organization_name="Nobody, O=Bank\\")
LEAF = issued(CA, "rpc.example.com", "*.example.org", "127.0.0.1", "::1", "ada@example.com", "bücher.example")
BOX = self_signed()


def test_what_a_person_needs_to_know_is_read() -> None:
    found = certificate_from(LEAF.der)
    reference = x509.load_der_x509_certificate(LEAF.der)
    assert found.fingerprint == LEAF.fingerprint
    assert set(found.names) == {
        "rpc.example.com", "*.example.org", "127.0.0.1", "::1", "ada@example.com", "xn--bcher-kva.example"
    }  # fmt: skip
    assert (found.since, found.until) == (PAST, reference.not_valid_after_utc)
    assert not found.self_signed
    assert not found.remark


def test_a_name_cannot_look_like_two() -> None:
    assert "O=Nobody\\, O=Bank\\\\" in certificate_from(LEAF.der).issuer.split(", OU")[0]


def test_one_that_its_owner_signed_says_so() -> None:
    found = certificate_from(BOX.der)
    assert found.self_signed
    assert found.subject == found.issuer
    assert "O=a box in the cellar" in found.subject
    assert found.names == ()


@pytest.mark.parametrize("year", [1950, 1999, 2049, 2050, 2999])
def test_both_forms_of_a_date_are_read(year: int) -> None:
    since, until = dt.datetime(year, 2, 28, 23, 59, 58, tzinfo=dt.UTC), dt.datetime(2999, 12, 31, tzinfo=dt.UTC)
    leaf = CA.issue_cert("a", not_before=since, not_after=until)
    der = ssl.PEM_cert_to_DER_cert(leaf.cert_chain_pems[0].bytes().decode())
    found = certificate_from(der)
    assert (found.since, found.until) == (since, until)


def unread(der: bytes) -> bool:
    """Whether nothing is claimed of it but its fingerprint."""
    found = certificate_from(der)
    assert found.fingerprint.startswith("sha256:")
    assert bool(found.remark) == (found.since is None)
    return bool(found.remark)


@given(st.binary(max_size=300))
def test_any_bytes_have_a_fingerprint(der: bytes) -> None:
    unread(der)


@given(st.integers(0, len(LEAF.der) - 1), st.binary(max_size=8), st.integers(0, 8))
def test_any_damage_is_survived(at: int, put: bytes, instead: int) -> None:
    unread(LEAF.der[:at] + put + LEAF.der[at + instead :])


@pytest.mark.parametrize("at", range(0, len(LEAF.der), 7))
def test_one_that_is_cut_short_is_not_read(at: int) -> None:
    assert unread(LEAF.der[:at])


@pytest.mark.parametrize(
    "der",
    [
        b"",
        b"0",
        b"0\x80\0\0",  # without a length
        b"0\x84\xff\xff\xff\xff",  # longer than there is
        b"0\xff" + b"\xff" * 127,  # a length of 127 bytes
        b"\x1f\x81\x01\x00",  # a tag of several bytes
        b"0\x82\x01\x00" * 400,  # one in the other
        b"0\x06" + b"0\x04" + b"0\x02" + b"0\x00",
    ],
)
def test_what_is_no_certificate_is_not_read(der: bytes) -> None:
    assert unread(der)


def test_thousands_of_nested_elements_cost_nothing(soon: None) -> None:
    der = b""
    for _ in range(5000):
        der = b"0\x83" + len(der).to_bytes(3, "big") + der
    assert unread(der)
