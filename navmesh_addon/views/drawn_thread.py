"""Pictures of finished navmeshes, made on a thread: nothing here may touch bpy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..background import OneWorker
from .helper_pictures import helper_picture
from .navmesh_parts import Arrays, Parts, parts_of_arrays, parts_of_result, surface

if TYPE_CHECKING:
    from concurrent.futures import Future

    from ...navcore.views.picture import Picture
    from ..builds.request_and_result import BuiltNavmesh

Pictures = dict[str, "Picture"]  # by the name of the part
AreaColors = Mapping[int, tuple[float, float, float]]
worker = OneWorker("navmesh-drawn")


def ask(arrays: Arrays, built: BuiltNavmesh | None, colors: AreaColors) -> Future[Pictures]:
    """Everything there is to draw of a navmesh, soon; `built` is None where it is in memory no longer."""
    return worker.ask(_pictures, arrays, built, colors)


def _pictures(arrays: Arrays, built: BuiltNavmesh | None, colors: AreaColors) -> Pictures:
    parts: Parts = parts_of_arrays(arrays) if built is None else parts_of_result(built.navmesh)
    pictures = {"surface": surface(arrays), **parts._asdict()}
    if built is not None:
        gathered, settings = built.request.gathered, built.request.settings
        agent = settings.agent_radius, settings.agent_height
        pictures["helpers"] = helper_picture(gathered.volumes, gathered.bounds, gathered.seeds, agent, colors)
    return pictures
