"""What tests of watching a level ask the panel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def why(bpy: Any, addon: Any) -> Callable[[], str]:
    """why(): what the panel says of the navmesh."""

    def ask() -> str:
        bpy.context.view_layer.update()
        setup = bpy.context.scene.navmesh.setups[0]
        return str(addon("watch.out_of_date").out_of_date(bpy.data.objects["Navmesh"], setup))

    return ask
