"""Bytes to a server and back: one request, one answer, or one sentence that says why there is none.

What lives here knows HTTP and no JSON, keeps nothing between two requests, and turns every failure below it
into `wire.Unreachable`. What must not live here: what the bytes mean, where a URL or a secret comes from, and
how anything looks on a screen.

`wire` has the values, `outgoing` the exact request, `incoming` the reply as it grows; all three are cheap to
import. `http` sends; it alone draws in httpx, together with `failures`, which only `http` imports.
"""
