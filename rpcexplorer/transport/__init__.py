"""Bytes to a server and back: one request, one response, or one sentence that says why there is none.

What lives here knows no JSON, keeps nothing between two requests, and turns every failure below it into
`port.Unreachable`. What must not live here: what the bytes mean, where a URL or a secret comes from, and how anything
looks on a screen.

`port` has the values and what every transport can do; `http/` is one.
"""
