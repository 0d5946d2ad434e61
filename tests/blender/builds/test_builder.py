"""The builder where Numba is missing."""

from __future__ import annotations

import sys
from typing import Any

import pytest


def test_a_missing_numba_is_one_sentence(addon: Any, monkeypatch: Any) -> None:
    builder, errors = addon("builds.builder"), addon("errors")
    text = builder.why_missing(ModuleNotFoundError("No module named 'numba'"))
    assert "Numba" in text and "Blender from blender.org" in text and "\n" not in text
    navcore = f"{builder.__package__.rpartition('.navmesh_addon')[0]}.navcore"
    monkeypatch.setitem(sys.modules, f"{navcore}.jit", None)
    monkeypatch.delattr(sys.modules[navcore], "jit", raising=False)
    with pytest.raises(errors.BuilderMissing):
        builder.load(None)
