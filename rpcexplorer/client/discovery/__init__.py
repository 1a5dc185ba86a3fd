"""Asking a service for its methods: a dialect is the questions it knows and how their replies are read."""

from __future__ import annotations
