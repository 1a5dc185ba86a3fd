"""Files: paths, profiles, secrets, settings, history, themes. Nothing here knows a server or a screen."""

from __future__ import annotations
