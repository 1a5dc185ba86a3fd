"""TLS for whatever goes over it: whom to trust and who we are, and what stands in a certificate.

No socket, and nothing of HTTP.
"""
