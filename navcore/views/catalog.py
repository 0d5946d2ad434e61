"""Every view, in the order of the stages."""

from __future__ import annotations

from .cells.table import CELL_VIEWS
from .outlines.table import OUTLINE_VIEWS
from .picture import View

VIEWS: dict[str, View] = {view.name: view for view in (*CELL_VIEWS, *OUTLINE_VIEWS)}
