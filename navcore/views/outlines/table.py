"""The views of outlines and meshes, in the order of the stages."""

from __future__ import annotations

from ..picture import View

OUTLINE_VIEWS: tuple[View, ...] = ()
