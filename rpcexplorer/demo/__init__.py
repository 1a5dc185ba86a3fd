"""The demo service: ``service.md`` on loopback, with more methods.

``service.md`` leaves much open. These are the choices made here:

- **Responses.** Every JSON-RPC response is HTTP 200 with ``Content-Type: application/json-rpc``, errors included. A
  notification, or a batch of notifications only, gets 204 without a body, whatever its outcome.
- **Requests.** The media type is application/json-rpc, application/json or application/jsonrequest. Any other
  gets 415, which also keeps web pages out: browsers send a preflight request before these types. ``params`` is
  required. ``id`` is a string. Numbers are accepted and are returned as they were spelled. Null is rejected. Text is
  UTF-8 and strict JSON.
- **auth** takes ``username`` and ``password``, by name or by position. It returns ``{"user", "expires_in"}`` and
  sends the session in ``Set-Cookie: sessionid=…``. A second login opens a second session.
- **Sessions** end 30 minutes after the last call that needed them, by ``demo.logout``, or with the service.
  Calls that need no session do not prolong it. A session opened inside a batch is valid from the next request on.
- **Rejected credentials** have the code -32001: ``authentication required`` if there were none, ``authentication
  failed`` if they were wrong, ``session has ended`` if the cookie names no open session. They are checked before the
  params, because a message about params would show a stranger which params a method takes.
- **Precedence.** A method has one auth type only. A method with credentials in ``params`` (``arg_test``) ignores the
  session cookie and does not prolong the session. For a method with the cookie, ``username`` and ``password`` are
  params like any other.
- **arg_test** returns the other members of its params, spelled as they were sent. Its params must be an object.
- **HTTP.** A body has a ``Content-Length``; one in chunks gets 411. After a request that is not a call, such as one
  with another path, the connection is closed.
- **Limits.** A body of 8 MiB, a head of 32 KiB, 1,000 calls in a batch.

This module holds only constants, so that other modules can import the credentials without the service.
"""

from __future__ import annotations

PATH = "/api/v2/"
"""The only endpoint. Every other path is 404."""
BODY_LIMIT = 8 * 1024 * 1024
"""Bytes of a request's body, or of a message on stdin."""
COOKIE = "sessionid"
USERNAME = "demo"
PASSWORD = "demo-password"  # noqa: S105 - public on purpose: it opens nothing but this service
USER = "ada"
"""The user that these credentials log in."""
