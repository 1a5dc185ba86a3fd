"""HTTP: one POST, one reply.

`request` has the exact request, `reply` the reply as it grows; both are cheap to import. `client` sends; it alone draws
in httpx, together with `failures`, which only `client` imports.
"""
