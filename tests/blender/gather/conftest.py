"""What tests of gathering have in common."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def gather(bpy: Any, addon: Any) -> Any:
    """gather(scope="VISIBLE", **sources)"""
    Sources = addon("stored.setup_properties").Sources  # noqa: N806 - a class

    def run(scope: str = "VISIBLE", **sources: Any) -> Any:
        bpy.context.view_layer.update()
        return addon("gather.gather_scene").gather(bpy.context, Sources(scope=scope, **sources))

    return run


def refused(addon: Any) -> Any:
    return addon("errors", "navcore").BadInput
