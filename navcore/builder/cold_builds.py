"""Builds that may be begun again: who calls them where kernels are not compiled yet."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

_Given = ParamSpec("_Given")
_Built = TypeVar("_Built")
ColdBuild = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]


class _WhoBuilds:
    """Who calls the builds of this process."""

    cold: ColdBuild | None = None  # None: nobody but who wants the navmesh


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
