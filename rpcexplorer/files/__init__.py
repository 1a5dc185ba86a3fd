"""Paths, safe reading and writing, private files, TOML read and edited."""
