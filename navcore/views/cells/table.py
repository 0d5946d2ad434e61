"""The views of cells, in the order of the stages."""

from __future__ import annotations

from ..picture import View

CELL_VIEWS: tuple[View, ...] = ()
