"""Looks at the scene: what of the level came, went, moved or has another shape. In slices, or at once."""

from __future__ import annotations

import gc
import hashlib
import math
import time
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, NamedTuple, cast

import bpy
import mathutils
import numpy as np
import numpy.typing as npt

from ...navcore.errors import NavmeshError
from ..axes import Transform, all_to_navcore
from ..blender_types import not_none, scene_of, view_layer_of
from ..errors import sentence
from ..gather.gather_scene import Gathering
from ..gather.gathered_level import Note, Part, as_wanted
from ..gather.mesh_arrays import EMPTY, F32, I32, RawMesh
from ..gather.placed_level import PlacedLevel
from ..gather.triangle_collector import NOT_FINITE, ZERO_SCALE, TriangleCollector
from ..mesh_attributes import corners_of, points_of, read_attribute, starts_of
from ..objects.built_from import plans_again
from ..stored.object_properties import FACE_AREA
from ..stored.preferences import live_memory
from ..stored.setups import find_setup
from ..watch.listed_changes import ChangedIdentities
from .live_delays import DELAY_AFTER_CHANGE, DELAY_IN_DRAG
from .live_level import Changes, Piece

if TYPE_CHECKING:
    from ..builds.level_gathering import Plan
    from ..scene_update import SceneUpdate
    from .live_delays import Times

# --- Grows the triangles of a level that is followed: of meshes and instances that are what they were, nothing is
# read or placed again.
#
# It takes the place of the collector of a gathering, which asks it for the same things; the arrays of the whole level
# are left to the thread that builds.

_STORED = 2.3  # times the triangles of all instances: they themselves, and what is kept of them by tile
_AT_ONCE = 1000  # instances that are looked at in a step: a millisecond or two
_PLACED_AT_ONCE = 200  # likewise, that have changed
Signature = tuple[bytes, int, bytes]  # mesh, area, matrix
MAX_BYTES = 512 << 20


class MeshCache:
    """Meshes in their own coordinates: what many objects share, and what comes back, is read once.

    The least used go first.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes, self.size = max_bytes, 0
        self._meshes: OrderedDict[bytes, RawMesh] = OrderedDict()
        self._digests: dict[Hashable, bytes] = {}  # of what Blender's data was when it was read last

    def find(self, digest: bytes) -> RawMesh | None:
        """The mesh that gave this digest."""
        found = self._meshes.get(digest)
        if found is not None:
            self._meshes.move_to_end(digest)
        return found

    def put(self, digest: bytes, mesh: RawMesh) -> None:
        """Keep it, as long as there is room."""
        if digest not in self._meshes:
            self._meshes[digest] = mesh
            self.size += _bytes(mesh)
        while self.size > self._max_bytes and len(self._meshes) > 1:
            self.size -= _bytes(self._meshes.popitem(last=False)[1])

    def digest_of(self, data: Hashable) -> bytes:
        """What data of Blender's held when it was read last; empty where it was not."""
        return self._digests.get(data, b"")

    def remember(self, read: dict[Hashable, bytes]) -> None:
        """This is all the data that a level is made of."""
        self._digests = read


def _bytes(mesh: RawMesh) -> int:
    return mesh.vertices.nbytes + mesh.triangles.nbytes + (0 if mesh.areas is None else mesh.areas.nbytes)


class TooLargeToFollow(Exception):
    """A level of which more would be kept than there is memory for. Says what to do."""


class Placed(NamedTuple):
    """What is known of one instance while its triangles lie with the thread."""

    signature: Signature
    size: int  # triangles; 0 where its points are no numbers


class Known:
    """What was followed up to now."""

    def __init__(self) -> None:
        self.meshes = MeshCache()
        self.max_bytes = live_memory()
        self.placed: dict[str, Placed] = {}
        self.missing: list[Note] | None = None  # of the level, when it was looked at first
        self.single: dict[int, tuple[str, str]] = {}  # objects that only show themselves: their part and their name

    def follow(self, seen: FollowingCollector) -> None:
        """A look is done: what it saw is known."""
        self.placed, self.single = seen.placed, seen.single
        self.meshes.remember(seen.read_now)


class FollowingCollector(TriangleCollector):
    """What a gathering puts together of a level that was followed before."""

    def __init__(self, metres_per_unit: float, before: Known, hints: ChangedIdentities) -> None:
        super().__init__(metres_per_unit)
        self._before, self._hints = before, hints
        self.placed: dict[str, Placed] = {}
        self.changed: dict[str, Piece] = {}
        self.order: list[str] = []
        self.single: dict[int, tuple[str, str]] = {}
        self.read_now: dict[Hashable, bytes] = {}
        self._keys: list[str] = []
        self._digests: list[bytes] = []  # of each mesh
        self._digest = b""
        self._sizes: list[int] = []  # of each mesh, in bytes
        self._needed = 0  # bytes of all instances
        self._counts: dict[tuple[int, int], int] = {}
        self._data_counts: dict[int, int] = {}

    def add(
        self, evaluated: bpy.types.Object, object_: bpy.types.Object, owner: bpy.types.Object, matrix: mathutils.Matrix
    ) -> None:
        before = len(self._instances)
        super().add(evaluated, object_, owner, matrix)
        pair = owner.session_uid, object_.session_uid
        count = self._counts.get(pair, 0)
        if len(self._instances) > before:
            self._counts[pair] = count + 1
            self._needed += self._sizes[self._instances[-1].mesh]
            self._keys.append(f"{pair[0]}/{pair[1]}/{count}")
            if pair[0] == pair[1] and not count:
                self.single[pair[0]] = self._keys[-1], object_.name
        if pair[0] != pair[1] or count:
            for uid in pair:
                self.single.pop(uid, None)
                self._counts.setdefault((uid, uid), 1)

    def mesh_of(self, evaluated: bpy.types.Object, slots: tuple[int, ...], name: str) -> RawMesh:
        object_ = not_none(evaluated.original)
        uid, data = object_.session_uid, not_none(object_.data)
        nth = self._data_counts[uid] = self._data_counts.get(uid, -1) + 1
        key: Hashable = (uid, nth, slots)
        if not object_.modifiers and not nth and isinstance(data, bpy.types.Mesh) and data.shape_keys is None:
            key = (data.session_uid, slots)
        digest = self._before.meshes.digest_of(key)
        found = self._before.meshes.find(digest) if self._hints.is_trusted(uid, data.session_uid) else None
        if found is None:
            self._digest = b""
            found, digest = super().mesh_of(evaluated, slots, name), self._digest
        self.read_now[key] = digest
        self._digests.append(digest)
        self._sizes.append(found.vertices.nbytes + found.triangles.nbytes)
        return found

    def read(self, mesh: bpy.types.Mesh, areas: tuple[int, ...]) -> RawMesh:
        self._digest = _digest_of(mesh, areas)
        found = self._before.meshes.find(self._digest)
        if found is None:
            found = super().read(mesh, areas)
            self._before.meshes.put(self._digest, found)
        return found

    def place(self) -> Iterator[None]:
        """Put those where they are that moved or are others."""
        self._refuse_too_much()
        yield
        matrices = np.array(self._matrices).reshape(-1, 4, 4)
        yield
        ways = all_to_navcore(matrices, self.metres)
        yield
        numbers: list[int] = []
        yield from self._find_changed(ways, numbers)
        for first in range(0, len(numbers), _PLACED_AT_ONCE):
            yield from self._place_some(ways, numbers[first : first + _PLACED_AT_ONCE])
        for number in np.flatnonzero(ways.flattens).tolist():
            if self.placed[self._keys[number]].size:
                self._note(*ZERO_SCALE[:2], self._instances[number].owner, number)
        yield from self._finish()

    def _place_some(self, ways: Transform, numbers: list[int]) -> Iterator[None]:
        """These instances have changed."""
        chosen = [self._instances[number] for number in numbers]
        used = {mesh: nth for nth, mesh in enumerate(dict.fromkeys(instance.mesh for instance in chosen))}
        level = PlacedLevel(
            [self._meshes[mesh] for mesh in used],
            [(used[instance.mesh], instance.area) for instance in chosen],
            ways.of(np.array(numbers, np.int64)),
        )
        yield from level.place()
        for number, sound, piece in zip(numbers, level.sound.tolist(), level.pieces(), strict=True):
            key = self._keys[number]
            if sound:
                self.changed[key] = Piece(*piece)
            else:
                self.placed[key] = self.placed[key]._replace(size=0)
        yield

    def _refuse_too_much(self) -> None:
        count, needed, max_bytes = len(self._instances), int(_STORED * self._needed), self._before.max_bytes
        if needed > max_bytes:
            raise TooLargeToFollow(
                f"Too large to follow: its {count:,} pieces take about {needed >> 20:,} MB, Live may keep "
                f"{max_bytes >> 20:,} MB (Preferences > Add-ons > Navmesh). Press Rebuild instead, or switch Live off "
                "and on to try again"
            )

    def _find_changed(self, ways: Transform, changed: list[int]) -> Iterator[None]:
        """The numbers of instances that are not placed as they are now are added to `changed`."""
        rows = np.concatenate([ways.linear.reshape(-1, 9), ways.offset], axis=1)
        width, matrices = rows.shape[1] * rows.itemsize, rows.tobytes()
        for number, (key, instance) in enumerate(zip(self._keys, self._instances, strict=True)):
            if number % _AT_ONCE == 0:
                yield
            matrix = matrices[number * width : (number + 1) * width]
            signature = self._digests[instance.mesh], instance.area, matrix
            before = self._before.placed.get(key)
            if before is None or before.signature != signature:
                changed.append(number)
                self.placed[key] = Placed(signature, len(self._meshes[instance.mesh].triangles))
            else:
                self.placed[key] = before

    def _finish(self) -> Iterator[None]:
        """The instances that are built from, in their order."""
        first = 0
        for number, (key, instance) in enumerate(zip(self._keys, self._instances, strict=True)):
            if number % _AT_ONCE == 0:
                yield
            size = self.placed[key].size
            if not size:
                self._note(*NOT_FINITE[:2], instance.owner)
                continue
            self.order.append(key)
            self.parts.append(Part(instance.owner, first, size, instance.member))
            self.watched.update(instance.uids)
            first += size
        yield

    def arrays(self) -> tuple[F32, I32, npt.NDArray[np.uint8] | None]:
        """The thread has them."""
        return EMPTY.vertices, EMPTY.triangles, None


def _digest_of(mesh: bpy.types.Mesh, areas: tuple[int, ...]) -> bytes:
    """All that the arrays of a mesh come from."""
    counts = len(mesh.vertices), len(mesh.polygons), len(mesh.loops)
    whole = hashlib.blake2b(repr((counts, areas)).encode(), digest_size=16)
    if not counts[1]:
        return whole.digest()
    whole.update(points_of(mesh).tobytes())
    whole.update(corners_of(mesh).tobytes())
    if counts[2] != 3 * counts[1]:
        whole.update(starts_of(mesh).tobytes())
    for name in (FACE_AREA, "material_index") if any(areas) else (FACE_AREA,):
        attribute = mesh.attributes.get(name)
        whole.update(repr((name, attribute and (attribute.domain, attribute.data_type))).encode())
        if attribute is not None and (attribute.domain, attribute.data_type) == ("FACE", "INT"):
            whole.update(read_attribute(mesh, name).tobytes())
    return whole.digest()


TOO_LONG, TOO_OFTEN = 0.05, 2  # seconds of a slice, and how many such are too many


class Look:
    """One look. Where the scene changes meanwhile it has to be dropped, with a new one in its place."""

    def __init__(self, plan: Plan, before: Known, hints: ChangedIdentities) -> None:
        self._plan, self._before, self._hints = plan, before, hints
        self._collectors: list[FollowingCollector] = []
        self._gathering = Gathering(plan.sources, self._new_collector)
        self._gathering.counts = False
        self._gathering.missing = before.missing  # to look for it anew holds people up

    def _new_collector(self, metres: float) -> FollowingCollector:
        self._collectors[:] = [FollowingCollector(metres, self._before, self._hints)]
        return self._collectors[0]

    def go_on(self, context: bpy.types.Context, seconds: float = math.inf) -> bool:
        """Look for about so long. Returns whether it is done. Raises NavmeshError where there is nothing."""
        return self._gathering.go_on(context, seconds)

    def changes(self) -> Changes:
        """What it found; from now on that is known."""
        gathered, seen = self._gathering.gathered(), self._collectors[0]
        self._before.follow(seen)
        self._before.missing = self._gathering.missing
        level = as_wanted(gathered, self._plan.prune, self._plan.setup)
        return Changes(seen.changed, tuple(seen.order), self._plan.request(level))


class Looking:
    """Looks at the level of one setup whenever something changed, in slices."""

    def __init__(self, setup: str) -> None:
        self._setup = setup
        self.hints = ChangedIdentities(everything=True)
        self.problem = ""  # why the level is too large to be looked at
        self.why_not_seen = ""  # why it can't be looked at as it is
        self.slices: list[float] = []  # seconds; the longest few
        self.last_look = 0.0
        self.last: Changes | None = None  # what was found last: where objects only move, all else is as it was
        self.known, self.look = Known(), cast("Look | None", None)
        self._is_looking = False
        self._doubts = False  # whether the mesh objects may hold what was not written last
        self._looked_for = ChangedIdentities()  # what the look that runs is about
        self._settings: object = None
        self._slow = 0

    @property
    def is_needed(self) -> bool:
        """Whether a look goes on, or is due."""
        return self.look is not None or bool(self.hints)

    def note(self, update: SceneUpdate) -> bool:
        """Blender updated something. Returns whether it is to be looked at."""
        if self._is_looking:
            return False  # which brings up to date what is being edited
        fresh = ChangedIdentities()
        fresh.note(update)
        self.hints.add(fresh)
        return bool(fresh)

    def undone(self) -> None:
        """References of before are gone, and the mesh may be an older one."""
        self.look = None
        self.hints.tell_all()
        self._doubts = True

    def is_due(self, now: float, times: Times, dragging: bool) -> bool:
        """Whether to look now."""
        if self.look is not None:
            return True
        if not self.hints:
            return False
        if dragging:
            return now - self.last_look >= max(DELAY_IN_DRAG, 2 * times.of_last_update)
        return now - times.last_change >= DELAY_AFTER_CHANGE

    def go_on(self, context: bpy.types.Context, seconds: float | None) -> Changes | None:
        """Look for so long, or until all is seen. Returns what was found, once that is known and is something new."""
        context.evaluated_depsgraph_get()  # what is out of date is told of now
        began, collections, is_first = time.thread_time(), _full_collections(), self.last is None
        try:
            if self.look is not None and self.hints:  # the scene is another one by now
                self.look = None
            found = self._found(context, math.inf if seconds is None else seconds)
        except NavmeshError as error:
            self.why_not_seen, self.look, found = sentence(error), None, None  # the next change may mend it
        except TooLargeToFollow as error:
            self.problem, self.look, found = str(error), None, None
        except ReferenceError:  # what was looked at is gone
            self.look, found = None, None
            self.hints.tell_all()
        news = found if found is not None and self._is_new(found) else None
        if seconds is not None:
            self._judge(time.thread_time() - began, is_first or _full_collections() > collections)
        return news

    def _found(self, context: bpy.types.Context, seconds: float) -> Changes | None:
        """What changed, once that is known."""
        if self.look is None:
            self.hints.add(self._looked_for)  # a look that was not done has to look for the same again
            hints, self.hints = self.hints, ChangedIdentities()
            self._looked_for = hints
            plan = plans_again(context, _setup_there(context, self._setup))[0]
            if hints.only_moved and self.last is not None and self._settings == _settings_of(plan):
                found = where_moved(context, self.known, hints.moved, self.last)
                if found is not None:
                    self._looked_for = ChangedIdentities()
                    return found
            self._settings = _settings_of(plan)
            self.look = Look(plan, self.known, hints)
        self._is_looking = True
        try:
            if not self.look.go_on(context, seconds):
                return None
        finally:
            self._is_looking = False
        found, self.look, self._looked_for = self.look.changes(), None, ChangedIdentities()
        return found

    def _is_new(self, found: Changes) -> bool:
        """A look is done: whether it found anything."""
        self.last_look, self.why_not_seen = time.monotonic(), ""
        if not self._doubts and self.last is not None and found.is_same(self.last):
            return False  # somebody selected something
        self._doubts, self.last = False, found._replace(pieces={})
        return True

    def _judge(self, seconds: float, is_excused: bool) -> None:
        """Levels whose looks hold people up are followed no more. (Counted without what other programs take.)

        `is_excused`: it was the first look, or Python looked through all objects that it has: that says nothing.
        """
        self.slices = sorted([*self.slices, seconds], reverse=True)[:20]
        self._slow += seconds > TOO_LONG and not is_excused
        if self._slow >= TOO_OFTEN:
            self.problem = (
                f"Too large to follow: a look at the level took {1000 * seconds:.0f} ms. Press Rebuild instead, or "
                "switch Live off and on to try again"
            )
            self.look = None


def where_moved(context: bpy.types.Context, known_now: Known, moved: set[int], last: Changes) -> Changes | None:
    """What is known without a look where objects only moved; None where one is needed."""
    depsgraph = context.evaluated_depsgraph_get()
    metres = last.request.gathered.metres
    pieces: dict[str, Piece] = {}
    placed_now: dict[str, Placed] = {}  # known only once all is: what a look finds placed it takes for no change
    for uid in moved:
        key, name = known_now.single.get(uid, ("", ""))
        object_ = view_layer_of(context).objects.get(name) if key else None
        placed = known_now.placed.get(key)
        if object_ is None or object_.session_uid != uid or placed is None or not placed.size:
            return None
        mesh = known_now.meshes.find(placed.signature[0])
        if mesh is None:
            return None
        matrix = np.array(object_.evaluated_get(depsgraph).matrix_world, np.float64)[None]
        ways = all_to_navcore(matrix, metres)
        level = PlacedLevel([mesh], [(0, placed.signature[1])], ways)
        for _ in level.place():
            pass
        if not level.sound.all() or ways.flattens.any():
            return None
        rows = np.concatenate([ways.linear.reshape(-1, 9), ways.offset], axis=1).tobytes()
        signature = (placed.signature[0], placed.signature[1], rows)
        if signature != placed.signature:
            pieces[key] = Piece(*next(level.pieces()))
            placed_now[key] = Placed(signature, placed.size)
    known_now.placed.update(placed_now)
    return last._replace(pieces=pieces)


def view_center(context: bpy.types.Context, metres: float) -> tuple[float, float, float] | None:
    """What the 3D view looks at, in metres and y up; None where there is none. `metres` to a unit."""
    for window in context.window_manager.windows if context.window_manager else ():
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                x, y, z = not_none(area.spaces.active).region_3d.view_location  # type: ignore[attr-defined]
                return x * metres, z * metres, -y * metres
    return None


def _full_collections() -> int:
    return int(gc.get_stats()[-1]["collections"])


def _settings_of(plan: Plan) -> object:
    return plan.settings, plan.sources, plan.prune


def _setup_there(context: bpy.types.Context, uid: str) -> str:
    setup = find_setup(scene_of(context), uid)
    return "" if setup is None else uid
