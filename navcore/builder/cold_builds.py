"""Builds that may be begun again: who calls them where kernels are not compiled yet."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

_Given = ParamSpec("_Given")
_Built = TypeVar("_Built")
ColdBuild = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]


class _WhoBuilds:
    """Who calls the builds of this process."""

    cold: ColdBuild | None = None  # None: nobody but who wants the navmesh
    stage_by_stage = 0  # how many builds there are now whose tiles are


_WHO = _WhoBuilds()


def let_build_cold(build: ColdBuild | None) -> None:
    """Choose who calls builds of this process, knowing what to do where kernels are not compiled yet; None: nobody."""
    _WHO.cold = build


def builds(function: Callable[_Given, _Built]) -> Callable[_Given, _Built]:
    """`function` builds from its arguments alone, so that it can be begun again; `let_build_cold` says who calls it."""

    @functools.wraps(function)
    def call(*arguments: _Given.args, **names: _Given.kwargs) -> _Built:
        if _WHO.cold is None:
            return function(*arguments, **names)
        built: _Built = _WHO.cold(function, arguments, names)
        return built

    return call


@contextmanager
def stage_by_stage() -> Iterator[None]:
    """While this lasts, tiles are built by the kernels of each stage: the one for whole tiles takes long to compile."""
    _WHO.stage_by_stage += 1
    try:
        yield
    finally:
        _WHO.stage_by_stage -= 1


def goes_stage_by_stage() -> bool:
    """Whether it lasts, for any build: the mesh is the same."""
    return _WHO.stage_by_stage > 0
