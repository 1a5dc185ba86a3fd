"""The copy formats that are text."""

from __future__ import annotations

from rpcexplorer.export.formats import FORMS

SNIPPETS = [name for name, form in FORMS.items() if form.snippet]
