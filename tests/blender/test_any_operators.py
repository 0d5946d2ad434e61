"""All operators in any order with any values, a little of it; tests/soak/any_operators.py does more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.soak.any_operators import AnyOperators


def nothing(_line: str) -> None: ...


def test_any_operators_in_any_order(bpy: Any, addon: Any, tmp_path: Path) -> None:
    session = AnyOperators(bpy, addon, 1, tmp_path)
    session.run(60, nothing)
    assert session.finds == [] and len(session.done) > 10


def test_a_traceback_is_a_find(bpy: Any, addon: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = AnyOperators(bpy, addon, 1, tmp_path)
    monkeypatch.setattr(addon("interface.panels.edits_panel"), "edit_results", None)
    session.run(1, nothing)
    (found,) = session.finds
    assert found.startswith("session 1, step 0, ") and "not callable" in found
