"""The options of curl: which of them take a value, and what is said of those that mean something else here."""

from __future__ import annotations

from typing import Final

WITHOUT_VALUE: Final = frozenset({
    "anyauth", "append", "basic", "ca-native", "cert-status", "compressed", "compressed-ssh", "create-dirs", "crlf",
    "digest", "disable", "disable-eprt", "disable-epsv", "disallow-username-in-url", "doh-cert-status",
    "doh-insecure", "fail", "fail-early", "fail-with-body", "false-start", "form-escape", "ftp-create-dirs",
    "ftp-pasv", "ftp-pret", "ftp-skip-pasv-ip", "ftp-ssl-ccc", "ftp-ssl-control", "get", "globoff",
    "haproxy-protocol", "head", "help", "http0.9", "http1.0", "http1.1", "http2", "http2-prior-knowledge", "http3",
    "http3-only", "ignore-content-length", "include", "insecure", "ipv4", "ipv6", "junk-session-cookies",
    "list-only", "location", "location-trusted", "manual", "mail-rcpt-allowfails", "metalink", "mptcp", "negotiate",
    "netrc", "netrc-optional", "next", "no-alpn", "no-buffer", "no-clobber", "no-keepalive", "no-npn",
    "no-progress-meter", "no-sessionid", "ntlm", "ntlm-wb", "parallel", "parallel-immediate", "path-as-is",
    "post301", "post302", "post303", "progress-bar", "proxy-anyauth", "proxy-basic", "proxy-ca-native",
    "proxy-digest", "proxy-http2", "proxy-insecure", "proxy-negotiate", "proxy-ntlm", "proxy-ssl-allow-beast",
    "proxy-ssl-auto-client-cert", "proxy-tlsv1", "proxytunnel", "raw", "remote-header-name", "remote-name",
    "remote-name-all", "remote-time", "remove-on-error", "retry-all-errors", "retry-connrefused", "sasl-ir",
    "show-error", "show-headers", "silent", "skip-existing", "socks5-basic", "socks5-gssapi", "socks5-gssapi-nec",
    "ssl", "ssl-allow-beast", "ssl-auto-client-cert", "ssl-no-revoke", "ssl-reqd", "ssl-revoke-best-effort",
    "sslv2", "sslv3", "styled-output", "suppress-connect-headers", "tcp-fastopen", "tcp-nodelay", "tftp-no-options",
    "tls-earlydata", "tlsv1", "tlsv1.0", "tlsv1.1", "tlsv1.2", "tlsv1.3", "tr-encoding", "trace-ids", "trace-time",
    "use-ascii", "verbose", "version", "xattr",
})  # fmt: skip
"""Options of curl that stand alone; what begins with ``no-`` does so too."""
SHORT: Final = {
    "A": "user-agent", "b": "cookie", "c": "cookie-jar", "C": "continue-at", "d": "data", "D": "dump-header",
    "e": "referer", "E": "cert", "F": "form", "G": "get", "g": "globoff", "H": "header", "I": "head", "K": "config",
    "k": "insecure", "L": "location", "m": "max-time", "n": "netrc", "o": "output", "O": "remote-name", "P": "ftp-port",
    "Q": "quote", "r": "range", "t": "telnet-option", "T": "upload-file", "u": "user", "U": "proxy-user",
    "w": "write-out", "x": "proxy", "X": "request", "y": "speed-time", "Y": "speed-limit", "z": "time-cond",
    ":": "next",
}  # fmt: skip
"""Short options that say something here, and all that take a value."""
READS: Final = {
    "config": "its options", "netrc-file": "credentials", "netrc": "credentials", "netrc-optional": "credentials",
    "upload-file": "its body", "variable": "variables",
}  # fmt: skip
"""What curl would have read from a file, and this program does not."""
OTHERWISE: Final = {
    "insecure": "certificates are checked here all the same: `rpcexplorer profiles trust NAME` trusts one",
    "location": "redirects are shown here, and never followed",
    "location-trusted": "redirects are shown here, and never followed",
    "cert": "it shows a certificate of its own: a profile has that in `cert_file`",
    "cacert": "it asks other authorities: a profile has them in `ca_file`",
    "unix-socket": "it goes through a socket of the machine that it was written on",
    "resolve": "it goes to another machine than its address says",
    "connect-to": "it goes to another machine than its address says",
}  # fmt: skip
