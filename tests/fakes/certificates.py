"""Self-signed certificates for servers and clients."""

from __future__ import annotations

import datetime as dt
import hashlib
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import trustme

PAST = dt.datetime(2001, 1, 1, tzinfo=dt.UTC)


class Identity:
    """A certificate with its key."""

    def __init__(self, certificate: bytes, key: bytes) -> None:
        self.certificate = certificate
        self.key = key
        self.der = ssl.PEM_cert_to_DER_cert(certificate.decode())
        self.fingerprint = f"sha256:{hashlib.sha256(self.der).hexdigest()}"

    def write(self, folder: Path, name: str = "me") -> tuple[Path, Path]:
        """Write both to files of their own."""
        files = folder / f"{name}.pem", folder / f"{name}.key"
        for file, content in zip(files, (self.certificate, self.key), strict=True):
            file.write_bytes(content)
        return files

    def server(
        self, folder: Path, version: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3, wants: Path | None = None
    ) -> ssl.SSLContext:
        """Return a TLS context; ``wants`` signs the client certificates."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.write(folder, "server"))
        context.minimum_version = context.maximum_version = version
        if wants is not None:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(wants)
        return context


def self_signed() -> Identity:
    """Return a self-signed certificate without a name."""
    ca = trustme.CA(organization_name="a box in the cellar")
    return Identity(ca.cert_pem.bytes(), ca.private_key_pem.bytes())


def issued(ca: trustme.CA, *names: str, expired: bool = False) -> Identity:
    ends = PAST + dt.timedelta(days=1) if expired else None
    leaf = ca.issue_cert(*(names or ("127.0.0.1",)), not_before=PAST, not_after=ends)
    return Identity(leaf.cert_chain_pems[0].bytes(), leaf.private_key_pem.bytes())


@contextmanager
def refusing(context: ssl.SSLContext) -> Iterator[str]:
    """Yield the URL of a server that rejects every client with an alert.

    It reads on until the client got the alert: a reset could overtake it.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_refuse, args=(listener, context))
        thread.start()
        yield f"https://127.0.0.1:{listener.getsockname()[1]}/"
        thread.join()


def _refuse(listener: socket.socket, context: ssl.SSLContext) -> None:
    connection, _ = listener.accept()
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    handshake = context.wrap_bio(incoming, outgoing, server_side=True)
    with connection, suppress(ConnectionError):
        while chunk := connection.recv(65536):
            incoming.write(chunk)
            with suppress(ssl.SSLError):
                handshake.do_handshake()
            connection.sendall(outgoing.read())
