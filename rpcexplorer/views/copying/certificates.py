"""The certificates of a profile in a copied call: whom it trusts, and who it says that it is.

curl and HTTPie know no certificate by its SHA-256 alone. So what is pasted saves the server's first, and goes on only
if it is the one that is trusted; they look at its name and dates all the same.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from rpcexplorer.model.profile import Profile
from rpcexplorer.views.copying.quoting import python_expression, quoted

CURL = ("--cacert", "--cert", "--key")
SAVED = '"$certificate"'
"""A file of its own, so that none of a person's is written over."""
HTTPIE = ("--verify", "--cert", "--cert-key")


def saved_in_shell(profile: Profile) -> list[str]:
    """Pieces of a shell command that go ahead of the call; each ends with ``&&``."""
    if not profile.certificate:
        return []
    host, port = _place(profile)
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    digits = profile.certificate.partition(":")[2]
    shown = ":".join(digits[at : at + 2] for at in range(0, len(digits), 2))
    return [
        "certificate=$(mktemp) &&",
        f"openssl s_client -connect {quoted(place)} </dev/null 2>/dev/null | openssl x509 -out {SAVED} &&",
        f"openssl x509 -in {SAVED} -noout -fingerprint -sha256 | grep -qi {quoted(f'={shown}')} &&",
    ]


def in_options(profile: Profile, names: tuple[str, str, str]) -> list[str]:
    """Options of curl or HTTPie; the first names whom to trust, the others who calls."""
    trusted = profile.ca_file and quoted(profile.ca_file)
    own = (file and quoted(file) for file in (profile.cert_file, profile.key_file))
    files = zip(names, (SAVED if profile.certificate else trusted, *own), strict=True)
    return [f"{name} {file}" for name, file in files if file]


def in_python(profile: Profile) -> list[str]:
    """Lines that make ``trust``; none where nothing is said of certificates."""
    name = profile.name
    if profile.certificate:
        digits = python_expression(profile.certificate.partition(":")[2], name)
        host, port = _place(profile)
        lines = [
            f"certificate = ssl.get_server_certificate(({python_expression(host, name)}, {port}))",
            f"if hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate)).hexdigest() != {digits}:",
            '    raise SystemExit("The server shows another certificate.")',
            "trust = ssl.create_default_context(cadata=certificate)",
            "trust.check_hostname = False  # this one certificate, whatever name it bears",
            "trust.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN",
        ]
    elif profile.ca_file:
        lines = [f"trust = ssl.create_default_context(cafile={python_expression(profile.ca_file, name)})"]
    else:
        lines = ["trust = ssl.create_default_context()"] if profile.cert_file else []
    if profile.cert_file:
        files = [python_expression(file, name) for file in (profile.cert_file, profile.key_file) if file]
        lines.append(f"trust.load_cert_chain({', '.join(files)})")
    return lines


def _place(profile: Profile) -> tuple[str, int]:
    """Host and port, as Python takes them."""
    parts = urlsplit(profile.url)
    return parts.hostname or "", parts.port or 443
