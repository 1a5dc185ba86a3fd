"""The embedded service: what ``service.md`` describes, made real on the loopback, with things worth exploring.

The document leaves much open. What was chosen here:

- **Replies.** Every JSON-RPC reply is HTTP 200 with ``Content-Type: application/json-rpc``, errors included. A
  notification, and a batch of nothing else, is answered with 204 and no body, whatever became of it.
- **Requests.** The media type is application/json-rpc, application/json or application/jsonrequest; any other
  is 415, which also keeps web pages out: browsers ask before they send these. ``params`` must be there. ``id`` is a
  string; numbers are accepted and come back as they were spelled; null is refused. Text is UTF-8 and strict JSON.
- **auth** takes ``username`` and ``password``, by name or by position. It answers ``{"user", "expires_in"}`` and
  delivers the session in ``Set-Cookie: sessionid=…``. Logging in again opens one more session.
- **Sessions** end 30 minutes after the last call that needed them, by ``demo.logout``, or with the service.
  Calls that need no session do not prolong it, and one opened inside a batch counts from the next request on.
- **Refusals** have the code -32001: ``authentication required`` when nothing was supplied, ``authentication
  failed`` when it was wrong, ``session has ended`` when the cookie names no live session. They come before any
  problem about params, which would tell a stranger what a method takes.
- **Precedence.** A method asks for one way only. Where credentials in ``params`` are asked for (``arg_test``), they
  decide alone: a cookie beside them is neither looked at nor prolonged. Where the cookie is asked for, it decides
  alone, and ``username`` and ``password`` are params like any other.
- **arg_test** answers with the other members of its params, spelled as they came. Its params must be an object.
- **Limits.** A body of 8 MiB, a head of 32 KiB, 1,000 calls in a batch.

This file holds only words and names, so that asking for the credentials costs nothing.
"""

from __future__ import annotations

PATH = "/api/v2/"
"""The one endpoint; everything else is 404."""
COOKIE = "sessionid"
"""The cookie that carries a session."""
USERNAME = "demo"
PASSWORD = "demo-password"  # noqa: S105 - public on purpose: it opens nothing but this service
USER = "ada"
"""Who logs in with these credentials."""
