"""What is compared, the comparison that is shown, and the one that runs. Plain Python, no bpy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..kept_value import KeptValue

if TYPE_CHECKING:
    from ...navcore.difference.compare import Difference
    from ...navcore.result.navmesh import NavMesh
    from ...navcore.views.picture import Picture
    from ..background import Job
    from ..builds.request_and_result import Request


class Side(NamedTuple):
    """One of the two. It is in memory, or it is read from a file or built again while they are compared."""

    name: str  # for people
    setup: str = ""  # whose navmesh it is now; "" for files, and for what another build took the place of
    build: str = ""  # "" for files
    navmesh: NavMesh | None = None
    request: Request | None = None
    path: Path | None = None


class Compared(NamedTuple):
    """What came of it."""

    scene: int  # its session_uid
    sides: tuple[Side, Side]
    found: Difference  # without its cells
    picture: Picture


_shown: dict[int, Compared] = {}  # by scene
_running: KeptValue[Job[Compared] | None] = KeptValue(None)


def shown(scene: int) -> Compared | None:
    """What was compared last in a scene, None for nothing."""
    return _shown.get(scene)


def show(compared: Compared) -> None:
    """It takes the place of the one before."""
    _shown[compared.scene] = compared


def hide(scene: int) -> bool:
    """Forget it. Returns whether there was one."""
    return _shown.pop(scene, None) is not None


def running() -> Job[Compared] | None:
    """The comparison that runs, None for none."""
    return _running.value


def begin(job: Job[Compared]) -> None:
    """Start a comparison; one that still runs is no longer wanted."""
    cancel()
    _running.value = job
    job.start()


def ended(job: Job[Compared]) -> None:
    """Its result was taken, or nobody wants it."""
    if _running.value is job:
        _running.forget()


def cancel() -> None:
    """Stop the one that runs; it ends by itself."""
    if _running.value is not None:
        _running.value.cancel()
        _running.forget()


def forget() -> None:
    """Another file is loaded, or the extension is disabled."""
    cancel()
    _shown.clear()
