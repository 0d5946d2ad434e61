"""The builder where Numba is missing."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from tools.package import GENERATIONS


def test_a_missing_numba_is_one_sentence(addon: Any, monkeypatch: Any) -> None:
    builder, errors = addon("builds.run_builds"), addon("errors")
    text = builder.why_missing(ModuleNotFoundError("No module named 'numba'"))
    assert "Numba" in text and "zip for Blender" in text and "\n" not in text
    navcore = f"{builder.__package__.rpartition('.navmesh_addon')[0]}.navcore"
    monkeypatch.setitem(sys.modules, f"{navcore}.kernels.kept_kernels", None)
    monkeypatch.delattr(sys.modules[f"{navcore}.kernels"], "kept_kernels", raising=False)
    with pytest.raises(errors.BuilderMissing):
        builder.load(None)


@pytest.mark.parametrize(
    ("python", "way_out"),
    [
        ((3, 11, 7), "zip for Blender 4.2 to 5.0"),
        ((3, 13, 0), "zip for Blender 5.1 and newer"),
        ((3, 14, 1), "install Blender from blender.org"),
    ],
)
def test_a_python_without_wheels_is_told_which_zip_would_do(
    addon: Any, monkeypatch: Any, python: tuple[int, ...], way_out: str
) -> None:
    builder = addon("builds.run_builds")
    monkeypatch.setattr(builder.sys, "version_info", SimpleNamespace(major=python[0], minor=python[1]))
    text = builder.why_missing(ModuleNotFoundError("No module named 'numba'"))
    assert way_out in text and f"Python {python[0]}.{python[1]}" in text


def test_the_zips_that_are_named_are_those_there_are(addon: Any) -> None:
    named = {f"cp{python.replace('.', '')}": blenders for python, blenders in addon("builds.run_builds")._ZIPS.items()}
    assert set(named) == {generation.python for generation in GENERATIONS}
    for generation in GENERATIONS:
        assert f"Blender {generation.first.rpartition('.')[0]} " in named[generation.python]
