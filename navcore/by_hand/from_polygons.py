"""`navmesh_from_polygons`: a mesh whose faces are the polygons, as a navmesh like any other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from numbers import Real
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from ..area_types import AREA_TYPES, as_area_types
from ..build_warning import BuildWarning
from ..errors import BadInput, NothingWalkable
from ..level_source import AreaTypes, Links, nothing_passes
from ..progress import Progress, ProgressReport
from ..report import Report
from ..result.navmesh import NavMesh
from ..scene import as_links
from ..settings import Settings
from ..types import F64, I64, ArrayLike, Bools, PolygonMesh
from .face_triangles import is_convex, triangles_of
from .given_faces import FaceFault, checked_faces, refuse
from .loose_corners import Splits, corners_on_edges, edges_apart, told_splits, with_splits
from .lying_over import crowded_edges, folded_slivers, overlapping_sheets
from .own_tiles import FaceShape, lines_around, tiles_of
from .sound_faces import Dropped, OwnFaces, Told, middle_of, sound_rings, turned_up, weld_corners
from .whole_steps import Steps, on_steps, steps_for

MOST_WELD = 1.0  # metres; more would weld what is meant
_REFERENCE_BITS, _TILE_BITS = 22, 14
_FEW = 12  # corners of a polygon at most, whatever the settings are
_STAGES = 3
_STEPS_BETWEEN = 1.5  # of the grid: no corner of what became a line on it was farther from the edge across


class Conversion(NamedTuple):
    """What became of each face of a mesh that is a navmesh now."""

    faces: int  # as given
    kept: int  # that are one polygon, or a part of one
    split: int  # that are several
    dropped: tuple[Dropped, ...]
    mended: tuple[Told, ...]
    moved: float  # metres: how far the corner went that went farthest
    cell_size: float  # metres: the step of the grid on which corners lie
    tiles: int

    def to_mapping(self) -> dict[str, Any]:
        """The JSON form of `navcore convert --report`."""
        return {
            **self._asdict(), "dropped": [row._asdict() for row in self.dropped],
            "mended": [row._asdict() for row in self.mended],
        }  # fmt: skip


def navmesh_from_polygons(
    vertices: ArrayLike,
    faces: Iterable[Sequence[int]],
    settings: Settings | None = None,
    areas: ArrayLike | None = None,
    keep_faces: bool = False,
    weld: float = 0.001,
    *,
    area_types: AreaTypes = AREA_TYPES,
    links: Links = (),
    progress: Progress | ProgressReport | None = None,
    trusted: ArrayLike = False,
) -> NavMesh:
    """A navmesh whose polygons are the faces of a mesh, exactly where they lie.

    `vertices` (V, 3) in metres, y up; `faces` lists of corner numbers, counter-clockwise seen from above, any number of
    corners each; `areas` one id a face, 63 plain ground, 0 no ground. Corners within `weld` metres become one, and
    corners that lie on other faces' edges split them; what that was, which faces are no ground, and how far corners
    have moved is in `.report.conversion`. Faces that are not convex or have too many corners are cut, and faces of one
    plane and area are merged where that stays convex; with `keep_faces` no two faces are. Of `settings` the agent
    counts, `vertices_per_polygon`, `detail_mesh` and `detail_sample_max_error` × `cell_height`, how far merged faces
    may be off their plane. Raises `BadFaces`, a `BadInput` whose `faults` have places and faces, where faces overlap,
    cross themselves, or where three meet at an edge: unless they are `trusted` (all, or one truth a face), being
    another navmesh's polygons, which are taken as they are: edges and planes may lie closer over each other than the
    ground did. No Recast ancestor.
    """
    began = perf_counter()
    settings = Settings() if settings is None else settings
    if not isinstance(settings, Settings):
        raise BadInput(f"settings must be Settings, not {type(settings).__name__}.", "WRONG_KIND")
    if not (isinstance(weld, Real) and not isinstance(weld, bool) and 0 <= weld <= MOST_WELD):
        raise BadInput(f"weld must be metres from 0 to {MOST_WELD:g}, not {weld!r:.40}.")
    all_links, types = tuple(as_links(links)), as_area_types(area_types)
    watch = progress if isinstance(progress, Progress) else Progress(progress)
    watch.begin(_STAGES)
    given = checked_faces(vertices, faces, areas)
    work = _Work(settings, float(weld), watch, _each_trusted(trusted, len(given.rings)))
    with watch.stage("faces"):
        mended = work.mended_faces(given.points, given.rings, given.area.tolist())
    with watch.stage("overlaps"):
        shapes = work.checked_shapes(mended)
    with watch.stage("polygons"):
        done = tiles_of(mended.whole, shapes, work.steps, settings, keep_faces, watch)
    watch.done()
    told = [*nothing_passes(all_links, types), *work.warnings, *done.warnings]
    report = Report(settings, warnings=told, total_seconds=perf_counter() - began)
    report.seconds = dict(watch.seconds)
    meshes = [tile.polygon_mesh for tile in done.tiles]
    report.counts = _counts_of(meshes)
    report.conversion = Conversion(
        len(given.rings), len(mended.faces.rings) - done.split, done.split, tuple(sorted(work.dropped)),
        tuple(work.told), work.moved, work.steps.cell_size, len(meshes),
    ).to_mapping()  # fmt: skip
    navmesh = NavMesh(settings, done.tiles, done.tile_grid, all_links, report, dict(types), by_hand=True)
    if not all_links:
        return navmesh
    from ..detour.queries.checked_links import with_checked_links  # here, so that only those with links wait for it

    return with_checked_links(navmesh)


def _counts_of(meshes: Sequence[PolygonMesh]) -> dict[str, int]:
    """As a report has them."""
    return {
        "tiles": len(meshes), "polygons": sum(len(mesh.polygons) for mesh in meshes),
        "vertices": sum(len(mesh.vertices) for mesh in meshes),
    }  # fmt: skip


def _each_trusted(trusted: ArrayLike, count: int) -> Bools:
    """One truth for each of so many faces. Raises BadInput."""
    given = np.asarray(trusted, np.bool_)
    if given.shape not in ((), (count,)):
        raise BadInput(f"trusted must be one truth, or one for each of the {count:,} faces.", "WRONG_KIND")
    return np.broadcast_to(given, count)


class MendedFaces(NamedTuple):
    """Faces that are sound, of the corners that were given."""

    faces: list[list[int]]  # counter-clockwise seen from above
    given: list[int]  # which of the given faces each was
    dropped: tuple[Dropped, ...]
    mended: tuple[Told, ...]


def mended_faces(
    vertices: ArrayLike, faces: Iterable[Sequence[int]], settings: Settings, weld: float = 0.001
) -> MendedFaces:
    """What `navmesh_from_polygons` makes of faces before it asks whether they can be a navmesh: welded, turned up,
    without doubles and faces that are no ground, with the corners that lie on their edges. Raises NothingWalkable where
    none is left. No Recast ancestor.
    """
    given = checked_faces(vertices, faces, None)
    work = _Work(settings, weld, Progress(None), np.zeros(len(given.rings), np.bool_))
    whole = work.mended_faces(given.points, given.rings, given.area.tolist()).whole
    return MendedFaces(whole.rings, whole.face, tuple(sorted(work.dropped)), tuple(work.told))


class _Mended(NamedTuple):
    """Faces after welding, dropping and turning, before corners on edges split them."""

    faces: OwnFaces
    splits: Splits
    whole: OwnFaces  # with the corners on their edges


class _Work:
    """One conversion, and what it has to say."""

    def __init__(self, settings: Settings, weld: float, progress: Progress, trusted: Bools) -> None:
        self.settings, self.weld, self.progress, self.trusted = settings, weld, progress, trusted
        self.told: list[Told] = []
        self.dropped: list[Dropped] = []
        self.warnings: list[BuildWarning] = []
        self.moved = 0.0
        self.points: F64 = np.zeros((0, 3))
        self.steps = Steps(0.0, 0.0, np.zeros((0, 3), np.int64))

    # --- faces

    def mended_faces(self, points: F64, rings: list[list[int]], area: list[int]) -> _Mended:
        """Faces that are sound, on the grid."""
        welded = weld_corners(points, self.weld)
        for corner in np.flatnonzero(welded.moved > 0).tolist():
            self.told.append(Told("welded", middle_of(points, [corner])))
        become = welded.of.tolist()
        faces = OwnFaces([[become[corner] for corner in ring] for ring in rings], list(range(len(rings))), area)
        used = sorted({corner for ring in faces.rings for corner in ring})
        cell_size, cell_height = steps_for(points[used], self.settings.agent_height)
        self.points = points
        while True:
            self.progress.check()
            self.steps = Steps(cell_size, cell_height, on_steps(points, faces.rings, cell_size, cell_height))
            dropped: list[Dropped] = []
            stepped = self._on_one_step(faces)
            sound = sound_rings(stepped, points, self.steps.flat(), self._tolerance, dropped)
            if not sound.rings:
                raise NothingWalkable(_nothing(dropped))
            if not self._too_many_tiles(sound):
                break
            cell_size *= 2
        self.dropped += dropped
        narrow = [stepped.rings[row.face] for row in dropped if row.reason == "sliver"]
        mended = self._split(turned_up(sound, points, self.steps.flat(), self.told), narrow)
        self._measure_moves(welded.of, rings)
        self.told += told_splits(mended.splits, points)
        return mended

    def _split(self, faces: OwnFaces, gone: list[list[int]]) -> _Mended:
        """Faces with the corners on their edges, without those so narrow that they come to lie on others by that.

        `gone` are the rings of faces that were too narrow before. Their corners may be farther from the edge across,
        where steps are coarse.
        """
        within, metres = np.full(len(self.points), self._tolerance), self.steps.all_metres()
        farther = max(self._tolerance, _STEPS_BETWEEN * self.steps.cell_size) if self.weld else self._tolerance
        while True:
            within[[corner for ring in gone for corner in ring]] = farther
            splits = corners_on_edges(faces, self.points, within)
            whole = with_splits(faces, splits)
            narrow = [row for row in folded_slivers(whole, metres, self._width) if not self.trusted[faces.face[row]]]
            if not narrow:
                return _Mended(faces, splits, whole)
            gone = [faces.rings[row] for row in narrow]
            self.dropped += [
                Dropped(faces.face[row], "sliver", middle_of(self.points, faces.rings[row])) for row in narrow
            ]  # fmt: skip
            left = sorted(set(range(len(faces.rings))) - set(narrow))
            rings, face, area = faces
            faces = OwnFaces([rings[row] for row in left], [face[row] for row in left], [area[row] for row in left])

    @property
    def _tolerance(self) -> float:
        return max(self.weld, 1e-6)

    @property
    def _width(self) -> float:
        """Metres: what is narrower does not count as lying over something."""
        return max(self.weld, 2 * self.steps.cell_size)

    def _on_one_step(self, faces: OwnFaces) -> OwnFaces:
        """Corners that lie on one step of the grid become one."""
        _, at, same = np.unique(self.steps.points, axis=0, return_index=True, return_inverse=True)
        first = at[same.ravel()].tolist()
        return faces._replace(rings=[[first[corner] for corner in ring] for ring in faces.rings])

    def _too_many_tiles(self, faces: OwnFaces) -> bool:
        """Whether tiles with these steps would be more than references can number."""
        lines = lines_around(faces, self.steps)
        tiles = lines.columns * lines.rows
        if tiles == 1:
            return False
        each = max(1, 4 * len(faces.rings) // tiles)
        return tiles > 1 << _TILE_BITS or (tiles - 1).bit_length() + each.bit_length() > _REFERENCE_BITS

    def _measure_moves(self, become: I64, rings: list[list[int]]) -> None:
        gone = {row.face for row in self.dropped}
        used = np.unique([c for k, ring in enumerate(rings) if k not in gone for c in ring])
        apart = self.steps.all_metres()[become[used]] - self.points[used]
        self.moved = float(np.sqrt(np.einsum("ij,ij->i", apart, apart).max(initial=0.0)))

    # --- shapes

    def checked_shapes(self, mended: _Mended) -> list[FaceShape]:
        """Each face as triangles. Raises BadFaces."""
        flat = self.steps.flat()
        shapes, faults = [], []
        for before, ring, face in zip(mended.faces.rings, mended.whole.rings, mended.faces.face, strict=True):
            self.progress.check()
            triangles = triangles_of(flat, before, mended.splits if ring != before else {})
            if triangles is None:
                faults.append(FaceFault("FACE_CROSSES_ITSELF", middle_of(self.points, before), (face,), ""))
            shapes.append(FaceShape(triangles or [], len(ring) <= _FEW and is_convex(flat, ring)))
        if self.trusted.all():
            return shapes
        met = crowded_edges(mended.whole, self.points)
        faces = [f for shape, f in zip(shapes, mended.faces.face, strict=True) for _ in shape.triangles]
        triangles = [triangle for shape in shapes for triangle in shape.triangles]
        room = self.settings.agent_height
        met += overlapping_sheets(triangles, faces, self.steps.all_metres(), room, self._width)
        refuse([*faults, *(fault for fault in met if not self.trusted[list(fault.faces)].all())])
        self.warnings += edges_apart(mended.whole, self.points)
        return shapes


def _nothing(dropped: list[Dropped]) -> str:
    reasons = Counter(row.reason for row in dropped)
    told = ", ".join(f"{count:,} {reason}" for reason, count in sorted(reasons.items()))
    return f"No face is ground: {told}. A navmesh is modelled of faces that look up."
