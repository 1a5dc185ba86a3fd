"""Checks: saved calls with expectations, their verdicts and reports."""
