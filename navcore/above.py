"""What lies on a floor above and is asked for from below: the package's entrance names it, who needs it calls it.

So a navmesh can show itself as a page, though it knows nothing of pages.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_loaders: dict[str, Callable[[], Any]] = {}


def name_loader(name: str, load: Callable[[], Any]) -> None:
    """`load` returns what is called `name`, and imports it when it is wanted."""
    _loaders[name] = load


def from_above(name: str) -> Any:
    """What is called `name`."""
    return _loaders[name]()
