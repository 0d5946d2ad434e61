"""What a build is asked for, what it is done with, and what comes of it. Plain values: nothing here may touch bpy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ...navcore.area_types import AreaType
    from ...navcore.build_warning import BuildWarning
    from ...navcore.formats.mesh_measures import PolygonValues
    from ...navcore.level_source import LevelSource, NavmeshEdits
    from ...navcore.reasons.intent_outcome import PathOutcome, PlaceOutcome
    from ...navcore.result.navmesh import NavMesh
    from ...navcore.settings import Settings
    from ..gather.gathered_level import Gathered, Note, Wanted
    from ..stored.area_types import RuntimeAreaType
    from ..stored.setting_properties import SettingValue


class Means(NamedTuple):
    """What to build with."""

    kernels: Path | None = None  # where compiled kernels are kept; None leaves it to navcore
    threads: int | None = None  # None for all cores
    stage_bytes: int = 0  # so much of the stages of a level in one piece may be kept without being asked for


class Request(NamedTuple):
    """One navmesh to build."""

    setup: str  # the identity of its setup
    name: str
    settings: Settings
    gathered: Gathered
    area_types: tuple[RuntimeAreaType, ...] = ()
    keep_stages: bool = False
    detour_data: bool = False  # refuse, before the build, what a .bin file cannot hold
    prune: bool = False  # leave out what no seed can reach
    instead_of: Mapping[str, SettingValue] = {}  # what the setup says where the build was given something else
    edits: NavmeshEdits | None = None  # where links are found: which are rejected, pinned or moved
    by_hand: bool = False  # that was done to this navmesh afterwards: its setup does not ask for it
    wanted: Wanted | None = None  # paths and places that must be there; None where nobody asks

    @property
    def level(self) -> LevelSource:
        """What navcore builds from, and is asked about."""
        from ...navcore.level_source import LevelSource, NavmeshEdits  # here: enabling does not wait for NumPy

        gathered, edits = self.gathered, self.edits
        if gathered.drops:
            edits = replace(edits or NavmeshEdits(), drops=[drop.item for drop in gathered.drops])
        return LevelSource(
            gathered.vertices, gathered.triangles, gathered.areas, gathered.volumes, gathered.links, gathered.bounds,
            gathered.seeds if self.prune else (), self.types, edits,
        )  # fmt: skip

    @property
    def types(self) -> dict[int, AreaType]:
        """The area table as navcore has it."""
        from ...navcore.area_types import AreaType

        return {row.area: AreaType(row.name, row.flags, row.cost, row.color) for row in self.area_types}


class Checked(NamedTuple):
    """What became of paths and places that must be there."""

    paths: tuple[PathOutcome, ...] = ()
    places: tuple[PlaceOutcome, ...] = ()
    warnings: tuple[BuildWarning, ...] = ()  # what was there in the build before

    @property
    def rows(self) -> list[dict[str, Any]]:
        """All of them, as reports have them."""
        return [*(path.to_mapping() for path in self.paths), *(place.to_mapping() for place in self.places)]


class BuiltNavmesh(NamedTuple):
    """One navmesh that was built."""

    request: Request
    navmesh: NavMesh
    islands: npt.NDArray[np.int32]  # (P,) of each polygon, tile after tile
    values: PolygonValues  # likewise
    notes: tuple[Note, ...] = ()  # what is odd about the level
    fingerprint: str = ""  # of the level, to see later whether it has changed
    checked: Checked = Checked()
