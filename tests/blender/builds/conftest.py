"""What tests of building on a thread have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.blender.builds.preparation import TELLS
from tests.blender.builds.stepped_operator import Stepped, threads


@pytest.fixture
def start(bpy: Any, addon: Any) -> Any:
    yield lambda **wanted: Stepped(bpy, addon, **wanted)
    addon("builds.active_build").shut_down()
    assert threads() == [], "a thread is left"


@pytest.fixture
def preparation(addon: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module; whatever it starts is ended."""
    module = addon("starter", "navcore.compile_ahead")
    monkeypatch.setattr(module, "_SCRIPT", TELLS.format(line="0.250 1.00 compiling", seconds=60))
    yield module
    module.stop()
