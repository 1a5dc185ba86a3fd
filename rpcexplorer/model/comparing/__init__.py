"""Two replies compared: what differs and where, exact to the letter. How it is shown is for `views/comparing/`."""

from rpcexplorer.model.comparing.compare import compared, compared_texts
from rpcexplorer.model.comparing.comparison import (
    ComparedPlace,
    ComparedVerdict,
    Comparison,
    Difference,
    DifferenceKind,
    PassedOver,
)

__all__ = [
    "ComparedPlace",
    "ComparedVerdict",
    "Comparison",
    "Difference",
    "DifferenceKind",
    "PassedOver",
    "compared",
    "compared_texts",
]
