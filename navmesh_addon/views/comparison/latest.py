"""The comparison that is shown, and the one that runs. Plain Python, no bpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .compare_thread import Compared, CompareThread

_shown: dict[int, Compared] = {}  # by scene
_running: list[CompareThread] = []


def shown(scene: int) -> Compared | None:
    """What was compared last in a scene, None for nothing."""
    return _shown.get(scene)


def show(compared: Compared) -> None:
    """It takes the place of the one before."""
    _shown[compared.scene] = compared


def hide(scene: int) -> bool:
    """Forget it. Returns whether there was one."""
    return _shown.pop(scene, None) is not None


def running() -> CompareThread | None:
    """The comparison that runs, None for none."""
    return _running[0] if _running else None


def begin(thread: CompareThread) -> None:
    """Start a comparison; one that still runs is no longer wanted."""
    cancel()
    _running.append(thread)
    thread.start()


def ended(thread: CompareThread) -> None:
    """Its result was taken, or nobody wants it."""
    if thread in _running:
        _running.remove(thread)


def cancel() -> None:
    """Stop the one that runs; it ends by itself."""
    while _running:
        _running.pop().cancel()


def forget() -> None:
    """Another file is loaded, or the extension is disabled."""
    cancel()
    _shown.clear()
