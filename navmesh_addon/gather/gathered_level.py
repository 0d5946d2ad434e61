"""What gathering gives: plain arrays and values, safe on another thread."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from ...navcore.reasons.intent import Intent
    from ...navcore.types import Geometry
    from ..stored.setup_properties import Sources


_AT_ONCE = 100_000  # triangles
DROP, KEEP = "drop", "keep"
_MARKING = ("patch", KEEP, "area", "block")
SceneItem = dict[str, Any]  # a volume, a link, a seed or a drop as scene files of navcore's have it


class SceneObstacle(NamedTuple):
    """What one object, or one instance of it, stands in the way with."""

    uid: int  # session_uid
    name: str  # of the object
    shown_by: str  # whose instance it is, "" for the object itself
    items: tuple[SceneItem, ...]  # as OBSTACLES.json of navcore's has them


class SceneDoor(NamedTuple):
    """Which object says in what state a door is."""

    door: str  # its name
    uid: int  # session_uid of the object
    name: str  # of the object


class Note(NamedTuple):
    """Something a person should know about one object."""

    code: str
    message: str
    name: str


MISSING = frozenset({"MISSING_LIBRARY", "MISSING_DATA", "MODIFIER_FAILED"})
"""Codes of notes that say: this is not the level that its makers see."""


class Part(NamedTuple):
    """The triangles of one object (or instance) in the whole."""

    name: str
    first: int
    size: int  # triangles
    member: str = ""  # of an instance: the object that it shows


class OwnedEdit(NamedTuple):
    """Something that was changed by hand, of which mark it comes, and whose navmesh it is for."""

    item: SceneItem
    uid: int  # session_uid of the mark
    setup: str  # "" for all
    library: str = ""  # the file that the mark is linked from
    digest: str = ""  # of what it is, but for its name
    made: tuple[tuple[str, float], ...] = ()  # square metres that it marked when it was made, by setup

    @property
    def kind(self) -> str:
        return str(self.item["kind"])

    def content(self) -> SceneItem:
        """What of it decides about the navmesh."""
        return {name: value for name, value in self.item.items() if name != "name"}

    def made_for(self, setup: str) -> float:
        """Square metres that it marked in the navmesh of a setup when it was made; 0 where nobody knows."""
        return dict(self.made).get(setup, 0.0)


@dataclass(frozen=True)
class OwnMesh:
    """The faces of one object that is the navmesh. Equal to another that has the same."""

    name: str
    uid: int  # session_uid
    setup: str  # whose navmesh it is, "" for all
    metres: float  # to one of Blender's units
    has_modifiers: bool
    digest: str
    points: npt.NDArray[np.float32] = field(compare=False)  # (V, 3) metres, y up
    corners: npt.NDArray[np.int32] = field(compare=False)  # the vertex of each corner, face after face
    starts: npt.NDArray[np.int32] = field(compare=False)  # (F,) the first corner of each face
    areas: npt.NDArray[np.uint8] = field(compare=False)  # (F,) as while building
    trusted: npt.NDArray[np.bool_] = field(compare=False)  # (F,) polygons as they were taken over

    def in_scene(self, point: tuple[float, float, float]) -> tuple[float, float, float]:
        """A place of navcore's in Blender's coordinates."""
        x, y, z = (part / self.metres for part in point)
        return x, 0.0 - z, y

    @property
    def rings(self) -> list[list[int]]:
        """The vertices around each face."""
        ends = [*self.starts[1:].tolist(), len(self.corners)]
        return [self.corners[first:end].tolist() for first, end in zip(self.starts.tolist(), ends, strict=False)]


class Gathered(NamedTuple):
    """Everything that a build needs of the scene: plain arrays and values, safe on another thread."""

    vertices: npt.NDArray[np.float32]  # (V, 3) metres, y up
    triangles: npt.NDArray[np.int32]  # (T, 3)
    areas: npt.NDArray[np.uint8] | None  # (T,) as navcore has them; None where all is plain
    volumes: tuple[SceneItem, ...]
    links: tuple[SceneItem, ...]
    bounds: tuple[float, ...] | None
    parts: tuple[Part, ...]
    skipped: tuple[tuple[str, str], ...]  # name, why
    notes: tuple[Note, ...]
    sources: Sources  # with the names that were selected, so that the same can be gathered again
    watched: frozenset[int] = frozenset()  # session_uids of objects that make the navmesh out of date when they change
    seeds_watched: frozenset[int] = frozenset()  # of those that do where it is pruned
    seeds: tuple[SceneItem, ...] = ()
    seconds: float = 0.0  # that gathering took
    edits: tuple[OwnedEdit, ...] = ()  # made by hand; of all setups, until `as_wanted` has chosen

    own: tuple[OwnMesh, ...] = ()  # meshes that are the navmesh; of all setups, until `as_wanted` has chosen

    obstacles: tuple[SceneObstacle, ...] = ()  # of a game that runs: no navmesh is built from them

    doors: tuple[SceneDoor, ...] = ()  # whose states, at the time, are in `volumes`

    listed: tuple[int, ...] = ()  # session_uids of whom the names of `sources` mean

    metres: float = 1.0  # to one of Blender's units, with the scale of `sources`

    @property
    def drops(self) -> tuple[OwnedEdit, ...]:
        """Those of the edits that leave islands out."""
        return tuple(edit for edit in self.edits if edit.kind == DROP)

    @property
    def marks(self) -> tuple[OwnedEdit, ...]:
        """Those that mark ground, in the order in which reports of builds tell them."""
        return tuple(sorted((e for e in self.edits if e.kind != DROP), key=lambda e: _MARKING.index(e.kind)))

    @property
    def used(self) -> list[str]:
        """Names of the objects that triangles came from."""
        return list(dict.fromkeys(part.name for part in self.parts))


class Wanted(NamedTuple):
    """What must hold of a navmesh."""

    intent: Intent  # metres, y up
    passed: frozenset[str] = frozenset()  # keys of what held of the build before, see `stored/path_tests.py`


def geometry_of(gathered: Gathered) -> Geometry:
    """Its triangles as navcore takes them."""
    import numpy as np

    from ...navcore.types import Geometry

    areas = np.empty(0, np.uint8) if gathered.areas is None else gathered.areas
    return Geometry(gathered.vertices, gathered.triangles, areas)


def for_pruning(gathered: Gathered) -> Gathered:
    """The same where seeds decide what is left: a navmesh is out of date when one of them moves."""
    return gathered._replace(watched=gathered.watched | gathered.seeds_watched)


def as_wanted(gathered: Gathered, prune: bool, setup: str) -> Gathered:
    """What counts for the navmesh of a setup: its own marks, and seeds where it is pruned by them."""
    if prune:
        gathered = for_pruning(gathered)
    if gathered.own:
        meshes = tuple(mesh for mesh in gathered.own if mesh.setup in ("", setup))
        gathered = gathered._replace(own=meshes, watched=gathered.watched | {mesh.uid for mesh in meshes})
    if not gathered.edits:
        return gathered
    own = tuple(edit for edit in gathered.edits if edit.setup in ("", setup))
    return gathered._replace(edits=own, watched=gathered.watched | {edit.uid for edit in own})


def is_level_of(gathered: Gathered, prune: bool, remembered: object) -> bool:
    """Whether a fingerprint is this level's: that of today, or one of a file from before names ceased to count."""
    return remembered in (fingerprint(gathered, prune), fingerprint(gathered, prune, named=True))


def fingerprint(gathered: Gathered, prune: bool = False, named: bool = False) -> str:
    """The level in 128 bits: the same whenever it is gathered again unchanged, in whatever order Blender lists it.

    Seeds count where a navmesh is pruned by them, names of objects where `named` says so.
    """
    import hashlib

    if gathered.own:
        return _fingerprint_of_own(gathered, prune)
    parts = []
    for part in gathered.parts:
        chosen = slice(part.first, part.first + part.size)
        digest = hashlib.blake2b(part.name.encode(errors="replace") if named else b"", digest_size=16)
        digest.update(gathered.vertices[gathered.triangles[chosen]].tobytes())
        digest.update(b"" if gathered.areas is None else gathered.areas[chosen].tobytes())
        parts.append(digest.digest())
    links = [{key: value for key, value in link.items() if key != "name"} for link in gathered.links]  # for messages
    seeds = [seed if named else seed["point"] for seed in gathered.seeds] if prune else []
    groups: list[Any] = [gathered.volumes, links, seeds]
    if gathered.drops:  # files from before there were any have a fingerprint without
        groups.append([(drop.item["at"], drop.item["m2"]) for drop in gathered.drops])
    if gathered.marks:  # likewise
        groups.append([edit.content() for edit in gathered.marks])
    markers = [sorted(map(repr, group)) for group in groups]
    whole = hashlib.blake2b(b"".join(sorted(parts)), digest_size=16)
    whole.update(repr((markers, gathered.bounds)).encode())
    return whole.hexdigest()


def _fingerprint_of_own(gathered: Gathered, prune: bool) -> str:
    """Of meshes that are the navmesh: the level around them counts for nothing."""
    import hashlib

    links = [{key: value for key, value in link.items() if key != "name"} for link in gathered.links]
    seeds = [seed["point"] for seed in gathered.seeds] if prune else []
    kept = [edit.content() for edit in gathered.edits if edit.kind == KEEP] if prune else []
    groups: list[list[Any]] = [[mesh.digest for mesh in gathered.own], links, seeds, kept]
    whole = repr([sorted(map(repr, group)) for group in groups])
    return hashlib.blake2b(whole.encode(), digest_size=16).hexdigest()


def _by_triangles(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """Parts that lie one behind the other, so many that NumPy has something to do."""
    some: list[Part] = []
    for part in parts:
        if part.size:
            some.append(part)
        if some and part.first + part.size - some[0].first >= _AT_ONCE:
            yield some
            some = []
    if some:
        yield some


def flipped_floors(gathered: Gathered) -> list[Note]:
    """Objects whose flat faces all look down: floors that nobody could stand on."""
    import numpy as np

    sums_of: dict[str, list[float]] = {}
    for parts in _by_triangles(gathered.parts):
        first, last = parts[0].first, parts[-1].first + parts[-1].size
        a, b, c = (gathered.vertices[gathered.triangles[first:last, k]] for k in range(3))
        up = (b[:, 2] - a[:, 2]) * (c[:, 0] - a[:, 0]) - (b[:, 0] - a[:, 0]) * (c[:, 2] - a[:, 2])
        starts = [part.first - first for part in parts]
        upward, downward = (np.add.reduceat(side.clip(0), starts, dtype=np.float64) for side in (up, -up))
        for part, *areas in zip(parts, upward.tolist(), downward.tolist(), strict=True):
            sums = sums_of.setdefault(part.name, [0.0, 0.0])
            sums[0] += areas[0]
            sums[1] += areas[1]
    return [
        Note("FLIPPED", "has floors that look down: nothing on it is walkable. Flip its normals (Mesh > Normals)", name)
        for name, (upward, downward) in sums_of.items()
        if downward > 0 and upward < 0.02 * downward
    ]
