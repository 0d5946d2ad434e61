"""What a build is asked for, what it is done with, and what comes of it. Plain values: nothing here may touch bpy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..gather.gathered_level import KEEP

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
    from ..gather.gathered_level import Gathered, Note, OwnedEdit, SceneItem, Wanted
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
    sizes: tuple[tuple[str, float, float], ...] = ()  # of agents, where it is for several: name, radius, height
    wanted: Wanted | None = None  # paths and places that must be there; None where nobody asks

    @property
    def level(self) -> LevelSource:
        """What navcore builds from, and is asked about."""
        from ...navcore.level_source import LevelSource  # here: enabling does not wait for NumPy

        gathered = self.gathered
        return LevelSource(
            gathered.vertices, gathered.triangles, gathered.areas, gathered.volumes, gathered.links, gathered.bounds,
            self.seeds if self.prune else (), self.types, self._edits(), self.sizes,
        )  # fmt: skip

    @property
    def seeds(self) -> tuple[SceneItem, ...]:
        """What decides where pruning leaves ground: seeds, and places that are kept."""
        kept = (edit.item for edit in self.gathered.edits if edit.kind == KEEP)
        return (*self.gathered.seeds, *({"point": item["at"], "name": item["name"]} for item in kept))

    def _edits(self) -> NavmeshEdits | None:
        """All that was changed by hand: of links, and of ground."""
        if not self.gathered.edits:
            return self.edits
        from ...navcore.level_source import NavmeshEdits
        from ...navcore.scene import as_edits

        given = as_edits(self._with_cells(edit) for edit in self.gathered.edits)
        links = None if self.edits is None else self.edits.links
        return replace(NavmeshEdits.of(given) or NavmeshEdits(), links=links)

    def _with_cells(self, edit: OwnedEdit) -> SceneItem:
        """An edit, and how many cells of this setup it marked when it was made."""
        m2 = 0.0 if edit.kind == KEEP else edit.made_for(self.setup)
        return {**edit.item, "cells": round(m2 / self.settings.cell_size**2)} if m2 else edit.item

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
