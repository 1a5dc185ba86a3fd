"""HTTP: one POST, one reply.

`request` has the exact request, `reply` the reply as it grows; both are cheap to import. `client` sends. It alone draws
in h11 and TLS: `kept` has the connections that wait for the next request, `connection` speaks HTTP over one, `streams`
carries its bytes, and `tcp` and `proxies` lead to the server.
"""
