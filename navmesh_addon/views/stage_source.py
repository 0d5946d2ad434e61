"""Stages to look at: those that a build kept, or built again, tile by tile, within a budget of memory.

Plain Python for the thread of stage_worker.py: no bpy.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...navcore.geometry.tile_key import TileKey

if TYPE_CHECKING:
    from ...navcore.progress import Progress
    from ..builds.request_and_result import BuiltNavmesh

_WHOLE = TileKey(-1, -1)  # of a level in one piece


class StageCache:
    """What was built again, by build and tile. What was not asked for the longest time goes first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, TileKey], tuple[Any, int]] = OrderedDict()

    @property
    def bytes(self) -> int:
        """What it holds."""
        return sum(size for _, size in self._kept.values())

    def stages(
        self, build: str, built: BuiltNavmesh, places: Sequence[TileKey] | None, budget: int, progress: Progress
    ) -> dict[str, Any]:
        """As NavMesh.stages has them, of the tiles at `places` (None: of all there is). Raises NavmeshError.

        More than the budget is kept only while it is what was asked for last.
        """
        kept = dict(built.navmesh.stages)
        if kept and (places is None or built.navmesh.tile_grid is None):
            return kept
        if kept:
            names = [place.stages_name for place in places or ()]
            return {name: kept[name] for name in names if name in kept}
        wanted = [_WHOLE] if places is None or built.navmesh.tile_grid is None else list(places)
        missing = [place for place in wanted if (build, place) not in self._kept]
        if missing:
            self._put(build, missing, _built_again(built, None if missing == [_WHOLE] else missing, progress))
        found: dict[str, Any] = {}
        for place in wanted:
            self._kept.move_to_end((build, place))
            stages = self._kept[build, place][0]
            found.update(stages if place == _WHOLE else {place.stages_name: stages} if stages else {})
        asked = {(build, place) for place in wanted}
        while self.bytes > budget and next(iter(self._kept)) not in asked:
            self._kept.popitem(last=False)
        return found

    def clear(self) -> None:
        self._kept.clear()

    def _put(self, build: str, places: Sequence[TileKey], stages: dict[str, Any]) -> None:
        from ...navcore.builder.rebuilt_stages import bytes_of

        for place in places:
            of_place = stages if place == _WHOLE else stages.get(place.stages_name, {})
            self._kept[build, place] = of_place, bytes_of(of_place)


def _built_again(built: BuiltNavmesh, places: Sequence[TileKey] | None, progress: Progress) -> dict[str, Any]:
    from ...navcore.builder.rebuilt_stages import rebuilt_stages

    return rebuilt_stages(built.navmesh, built.request.level, tiles=places, progress=progress)
