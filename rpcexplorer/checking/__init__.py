"""JSON against the schemas of a service, in a process that can be killed: a schema from outside may hang it."""

from __future__ import annotations
