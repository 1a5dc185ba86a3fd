"""A comparison as words and lines, for both fronts. What differs is found in `model/comparing/`."""

from rpcexplorer.views.comparing.lines import ComparedLine, LineKind, compared_lines
from rpcexplorer.views.comparing.summary import summary

__all__ = ["ComparedLine", "LineKind", "compared_lines", "summary"]
