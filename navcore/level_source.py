"""What a navmesh is built from: a level's triangles, and all that is said of them, as one bundle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from .agent_sizes import GivenSizes
from .area_types import AREA_TYPES, AreaType
from .build_warning import BuildWarning
from .scene import (
    AreaEdit,
    Block,
    Drop,
    Edit,
    GivenVolume,
    KeepEdit,
    Link,
    PatchEdit,
    Scene,
    Seed,
    as_drops,
    as_edits_of,
)
from .types import ArrayLike
from .wide_links import LinkEdits

Volumes: TypeAlias = Iterable[GivenVolume | Mapping[str, Any]]
Links: TypeAlias = Iterable[Link | Mapping[str, Any]]
Seeds: TypeAlias = Iterable[Seed | Sequence[float] | Mapping[str, Any]]
Drops: TypeAlias = Iterable[Drop | Mapping[str, Any]]
AreaTypes: TypeAlias = Mapping[int, AreaType]


@dataclass(frozen=True)
class NavmeshEdits:
    """What somebody changed by hand, for builds that make it again. No Recast ancestor."""

    links: LinkEdits | None = None  # where links are found: which are rejected, pinned, moved or drawn
    drops: Drops = ()  # islands that are left out
    # What marks the ground of the level, after its volumes: patches first, then areas, then blocks. Mappings as in a
    # scene file may stand for each; their kind may be left out.
    block: Iterable[Block | Mapping[str, Any]] = ()  # no ground within an outline
    area: Iterable[AreaEdit | Mapping[str, Any]] = ()  # another area
    keep: Iterable[KeepEdit | Mapping[str, Any]] = ()  # places whose islands stay, however small
    patch: Iterable[PatchEdit | Mapping[str, Any]] = ()  # ground that somebody has modelled

    @classmethod
    def of(cls, edits: Iterable[Edit]) -> NavmeshEdits | None:
        """Those of a scene file, each where it belongs; None where there is none."""
        given = tuple(edits)
        if not given:
            return None
        return cls(
            drops=tuple(edit for edit in given if isinstance(edit, Drop)),
            block=tuple(edit for edit in given if isinstance(edit, Block)),
            area=tuple(edit for edit in given if isinstance(edit, AreaEdit)),
            keep=tuple(edit for edit in given if isinstance(edit, KeepEdit)),
            patch=tuple(edit for edit in given if isinstance(edit, PatchEdit)),
        )

    def checked(self) -> NavmeshEdits:
        """The same with each edit as what it is, or BadInput saying what is wrong."""
        return NavmeshEdits(
            self.links,
            tuple(as_drops(self.drops)),
            tuple(as_edits_of(Block, self.block)),
            tuple(as_edits_of(AreaEdit, self.area)),
            tuple(as_edits_of(KeepEdit, self.keep)),
            tuple(as_edits_of(PatchEdit, self.patch)),
        )

    def marks(self) -> list[Block | AreaEdit | KeepEdit | PatchEdit]:
        """Those that mark ground, in the order in which they do."""
        return [*self.patch, *self.keep, *self.area, *self.block]  # type: ignore[list-item]  # they were checked

    def kept_places(self) -> list[Seed]:
        """Where islands are kept, as seeds."""
        return [Seed(point=keep.at, name=keep.name) for keep in as_edits_of(KeepEdit, self.keep)]


@dataclass(frozen=True, eq=False)
class LevelSource:
    """A level as `build_navmesh` and `why` take it: in place of vertices, triangles, and the keywords named as here.

    `vertices` (V, 3) in metres, y up; `triangles` (T, 3), counter-clockwise seen from above; `areas` (T,) area ids;
    `area_types` the flags that areas get in runtime data, those of RecastDemo where it is None; `bounds` six numbers,
    minimum then maximum, those of the vertices where it is None. `seeds` are where agents set out: builds warn of
    those that stand on no ground, `why` tells what they do not reach, and `prune_navmesh` leaves it out. It is
    checked where it is used. No Recast ancestor.
    """

    vertices: ArrayLike
    triangles: ArrayLike
    areas: ArrayLike | None = None
    volumes: Volumes = ()
    links: Links = ()
    bounds: Sequence[float] | None = None
    seeds: Seeds = ()
    area_types: AreaTypes | None = None
    edits: NavmeshEdits | None = None
    sizes: GivenSizes = ()  # of agents, in place of the settings' radius and height: see `AgentSize`

    @classmethod
    def of(cls, mesh: Sequence[Any], scene: Scene) -> LevelSource:
        """The vertices, triangles and areas of a mesh file, with what a scene file says of them."""
        vertices, triangles, areas = mesh[:3]
        return cls(
            vertices, triangles, areas, scene.volumes, scene.links, scene.bounds, scene.seeds, scene.area_types,
            NavmeshEdits.of(scene.edits),
        )  # fmt: skip

    @property
    def link_edits(self) -> LinkEdits | None:
        """The part of `edits` that is about links."""
        return None if self.edits is None else self.edits.links


def nothing_passes(links: Sequence[Link], types: AreaTypes) -> Iterator[BuildWarning]:
    """Links and areas with flags 0: no filter takes what has no flag."""
    bare = [(number, link) for number, link in enumerate(links, 1) if link.flags == 0]
    if bare:
        number, link = bare[0]
        name = f"“{link.name}”" if link.name else f"link {number}"
        x, y, z = link.start
        more = f" (and {len(bare) - 1:,} more)" if len(bare) > 1 else ""
        yield BuildWarning(
            "NO_FLAGS",
            f"Flags of {name}{more} are 0: filters look for flags, so that no agent takes it. Give it one, "
            "8 for a jump.",
            (round(x, 3), round(y, 3), round(z, 3)), link.name,
        )  # fmt: skip
    for area, kind in types.items():
        if kind.flags == 0 and AREA_TYPES.get(area) != kind:
            yield BuildWarning(
                "NO_FLAGS",
                f"Flags of area {area} ({kind.name}) are 0: filters look for flags, so that no agent walks there. Give "
                "it one, 1 for ground; what nobody may walk on has area 0.",
                None, kind.name,
            )  # fmt: skip
