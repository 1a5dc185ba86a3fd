"""Batches: calls that are collected for one body, and what came of each of them."""
