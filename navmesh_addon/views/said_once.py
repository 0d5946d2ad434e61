"""Faults in what Blender calls at each drawing: said once, not with every drawing."""

from __future__ import annotations

import traceback
from collections.abc import Callable

_said: set[str] = set()  # what was printed


def said_once(draw: Callable[[], None]) -> Callable[[], None]:
    """The same drawing; a fault of ours in it is printed when it happens first."""

    def drawn() -> None:
        try:
            draw()
        except Exception:  # noqa: BLE001 - Blender would print it with every drawing
            text = traceback.format_exc()
            if text not in _said:
                _said.add(text)
                print(text)  # noqa: T201 - where Blender prints what goes wrong in handlers

    return drawn


def forget() -> None:
    """The extension is disabled: what goes wrong after it was enabled again is said again."""
    _said.clear()
