"""What came in, checked once at the border: after this, kernels may index without looking."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from ..agent_sizes import AgentSize, as_sizes
from ..area_types import AREA_TYPES, as_area_types
from ..errors import BadInput
from ..level_source import AreaTypes, LevelSource, NavmeshEdits
from ..progress import Progress
from ..scene import AreaEdit, Block, GivenVolume, KeepEdit, Link, PatchEdit, Volume, as_links, as_volumes
from ..settings import Settings
from ..types import F32, I32, U8, WALKABLE, AnyArray, ArrayLike, Geometry
from ..wide_links import LinkEdits

_MAX_SHOWN = 80  # characters of what was given instead
_AREA_TYPES_KIND = "a mapping from area ids to AreaType"
_NOT_GIVEN: tuple[object, ...] = (None, (), AREA_TYPES)  # what keywords are where nobody gives them
NO_EDITS = NavmeshEdits()


class CheckedLevel(NamedTuple):
    """A level once it was checked, as all pieces of a build share it."""

    geometry: Geometry  # after stage 1 with its areas
    volumes: Sequence[Volume] = ()
    links: tuple[Link, ...] = ()
    bounds: tuple[F32, F32] | None = None
    area_types: AreaTypes = AREA_TYPES
    edits: NavmeshEdits = NO_EDITS
    sizes: tuple[AgentSize, ...] = ()

    @property
    def given_volumes(self) -> list[GivenVolume]:
        """The volumes that are no edits."""
        return [volume for volume in self.volumes if not isinstance(volume, (Block, AreaEdit, KeepEdit, PatchEdit))]

    def as_source(self, bounds: Sequence[float] | None) -> LevelSource:
        """The same to build from again, however often; `bounds` as they were given."""
        vertices, triangles, area = self.geometry
        return LevelSource(
            vertices, triangles, area if len(area) else None, self.given_volumes, self.links, bounds,
            area_types=self.area_types, edits=self.edits, sizes=self.sizes,
        )  # fmt: skip

    def used_flags(self, settings: Settings) -> int:
        """All flags that anything in the level has, or asks for."""
        flags = [kind.flags for kind in self.area_types.values()] + [link.flags for link in self.links]
        flags += [volume.ability for volume in self.given_volumes]
        flags += [settings.link_jump_flags, settings.link_drop_flags, settings.link_climb_flags]
        return int(np.bitwise_or.reduce(np.array(flags, np.int64)))


def checked_geometry(vertices: ArrayLike, triangles: ArrayLike, areas: ArrayLike | None) -> Geometry:
    """(V, 3) and (T, 3) arrays of any kind as contiguous float32 and int32, or BadInput saying what is wrong."""
    points = _array(vertices, "vertices", "fiu").astype(np.float32, order="C", copy=False)
    indices = _array(triangles, "triangles", "iu")
    if len(indices) == 0:
        raise BadInput("There are no triangles to build from. Give a level that has faces.", "NO_TRIANGLES")
    if indices.dtype != np.int32:
        # Compared before the cast: a 64-bit index could wrap into range.
        indices = np.where((indices < 0) | (indices >= len(points)), -1, indices).astype(np.int32)
    indices = np.ascontiguousarray(indices)
    if indices.min() < 0 or indices.max() >= len(points) or not np.isfinite(points).all():
        raise _unusable(points, indices)
    return Geometry(points, indices, _checked_areas(areas, len(indices)))


def _unusable(points: F32, indices: I32) -> BadInput:
    """What is wrong with a level that uses vertices which do not exist, or has coordinates that are no numbers."""
    outside = ((indices < 0) | (indices >= len(points))).any(axis=1)
    if outside.any():
        return BadInput(
            f"{np.count_nonzero(outside):,} of {len(indices):,} triangles use a vertex that does not exist (there are "
            f"{len(points):,}); the first is triangle {outside.argmax()}. {_why_outside(indices, len(points))}",
            "INDEX_OUT_OF_RANGE",
        )
    loose = ~np.isfinite(points).all(axis=1)
    broken, which = loose[indices].any(axis=1), ""
    if broken.any():
        which = f"; the first of {np.count_nonzero(broken):,} triangles that use them is triangle {broken.argmax()}"
    return BadInput(
        f"{np.count_nonzero(loose):,} of {len(points):,} vertices have a coordinate that is not a finite "
        f"number{which}. Remove them (in Blender: Mesh > Clean Up) and build again.",
        "NOT_FINITE",
    )


def _why_outside(indices: I32, count: int) -> str:
    """What to do about triangles that use vertices which do not exist."""
    if indices.min() == 1 and indices.max() == count:
        return "The indices seem to count from 1: subtract 1 from all of them."
    return "Check the file or the exporter."


def checked_bounds(bounds: Sequence[float] | None) -> tuple[F32, F32] | None:
    """Six numbers, minimum then maximum, as two float32 corners."""
    if bounds is None:
        return None
    try:
        corners = np.asarray(bounds, np.float64).reshape(2, 3)
    except (TypeError, ValueError):
        given = repr(bounds) if len(repr(bounds)) <= _MAX_SHOWN else type(bounds).__name__
        raise BadInput(f"bounds must be six numbers (minimum x, y, z, then maximum), not {given}.") from None
    if not np.isfinite(corners).all() or not (corners[0] <= corners[1]).all():
        raise BadInput(f"bounds must be finite with minimum ≤ maximum on every axis, not {corners.ravel().tolist()}.")
    low, high = corners.astype(np.float32)
    return low, high


def checked_boxes(changed_bounds: ArrayLike) -> list[tuple[F32, F32]]:
    """One box of six numbers, or several, each as two corners."""
    try:
        boxes = np.asarray(changed_bounds, np.float64)
    except (TypeError, ValueError):
        boxes = np.zeros(0)
    if boxes.ndim not in (1, 2) or boxes.size == 0:
        raise BadInput(
            "changed_bounds must be six numbers (minimum x, y, z, then maximum), or rows of six, not "
            f"{type(changed_bounds).__name__}."
        )
    rows = boxes.reshape(1, -1) if boxes.ndim == 1 else boxes
    return [box for row in rows if (box := checked_bounds(row.tolist())) is not None]


def given_source(vertices: ArrayLike | LevelSource, triangles: ArrayLike | None, **keywords: Any) -> LevelSource:
    """The level that a public function was given: as a bundle, or as arrays and keywords. Both at once are refused.

    The keywords are fields of LevelSource, and `link_edits`.
    """
    if isinstance(vertices, LevelSource):
        source = vertices
        for name, value in {"triangles": triangles, **keywords}.items():
            if not any(value is left_out for left_out in _NOT_GIVEN):
                raise BadInput(f"{name} is given beside a LevelSource, which has its own. Give it once.", "WRONG_KIND")
    else:
        if keywords.get("area_types", AREA_TYPES) is None:  # a keyword has a default; only the bundle may leave it out
            raise BadInput(f"area_types must be {_AREA_TYPES_KIND}, not NoneType.", "WRONG_KIND")
        edits = given_edits(keywords.pop("edits", None), keywords.pop("link_edits", None))
        source = LevelSource(vertices, triangles, **keywords, edits=edits)  # type: ignore[arg-type]  # None is refused later
    edits, types = source.edits or NO_EDITS, AREA_TYPES if source.area_types is None else source.area_types
    _check_kind("area_types", types, isinstance(types, Mapping), _AREA_TYPES_KIND)
    _check_kind("edits", edits, isinstance(edits, NavmeshEdits), "NavmeshEdits")
    _check_kind("link_edits", edits.links, isinstance(edits.links, LinkEdits), "LinkEdits")
    return source


def given_edits(edits: NavmeshEdits | None, links: LinkEdits | None) -> NavmeshEdits:
    """Both keywords of what was changed by hand, as one."""
    if edits is None:
        return NavmeshEdits(links)
    _check_kind("edits", edits, isinstance(edits, NavmeshEdits), "NavmeshEdits")
    if links is not None and edits.links is not None:
        raise BadInput("link_edits is given beside edits, which has links of its own. Give them once.", "WRONG_KIND")
    return edits if links is None else replace(edits, links=links)


def checked_edits(edits: NavmeshEdits | None) -> NavmeshEdits:
    """What was changed by hand in the types that builds work on, or BadInput saying what is wrong."""
    return NO_EDITS if edits is None else edits.checked()


def checked_level(source: LevelSource) -> CheckedLevel:
    """All of a level in the types that builds work on, or BadInput saying what is wrong."""
    return CheckedLevel(
        checked_geometry(source.vertices, source.triangles, source.areas),
        [*as_volumes(source.volumes), *checked_edits(source.edits).marks()],
        tuple(as_links(source.links)),
        checked_bounds(source.bounds),
        AREA_TYPES if source.area_types is None else as_area_types(source.area_types),
        checked_edits(source.edits),
        as_sizes(source.sizes),
    )


def check_kinds(
    settings: object = None,
    threads: object = None,
    progress: object = None,
    *,
    executor: object = None,
    failures: object = None,
    on_tile: object = None,
    store: object = None,
) -> None:
    """Refuse what a build was given where something else belongs. What is None was left out."""
    submit = getattr(executor, "submit", None)
    is_watch = isinstance(progress, Progress) or callable(progress)
    wanted = "Settings; Settings.from_mapping makes them of a dict"
    _check_kind("settings", settings, isinstance(settings, Settings), wanted)
    _check_kind("threads", threads, isinstance(threads, Integral), "a whole number")
    _check_kind("executor", executor, callable(submit), "an Executor of concurrent.futures")
    _check_kind("progress", progress, is_watch, "a Progress or a function")
    _check_kind("failures", failures, isinstance(failures, (str, os.PathLike)), "the path of a folder")
    _check_kind("store", store, isinstance(store, (str, os.PathLike)), "the path of a folder")
    _check_kind("on_tile", on_tile, callable(on_tile), "a function of two values, of which the second is a tile")


def _check_kind(name: str, value: object, is_right: bool, wanted: str) -> None:
    if value is not None and not is_right:
        raise BadInput(f"{name} must be {wanted}, not {type(value).__name__}.", "WRONG_KIND")


def _array(values: ArrayLike, name: str, kinds: str) -> AnyArray:
    try:
        array = np.asarray(values)
    except ValueError as reason:
        raise BadInput(f"{name} must be an array of shape (n, 3): {reason}.") from None
    if array.size == 0:
        return np.empty((0, 3), np.int32 if "f" not in kinds else np.float32)
    if array.ndim != 2 or array.shape[1] != 3 or array.dtype.kind not in kinds:
        raise BadInput(f"{name} must be numbers of shape (n, 3), not {array.dtype} of shape {array.shape}.")
    return array


def _checked_areas(areas: ArrayLike | None, count: int) -> U8:
    if areas is None:
        return np.empty(0, np.uint8)
    try:
        ids = np.asarray(areas)
    except ValueError as reason:
        raise BadInput(f"areas must be one whole number per triangle ({count:,}): {reason}.") from None
    if ids.shape != (count,) or ids.dtype.kind not in "iu":
        raise BadInput(
            f"areas must be one whole number per triangle ({count:,}), not {ids.dtype} of shape {ids.shape}."
        )
    if count and (ids.min() < 0 or ids.max() > WALKABLE):
        raise BadInput(
            f"area ids go from 0 (not walkable) to {WALKABLE}, but the input has {ids.min()} to {ids.max()}."
        )
    return ids.astype(np.uint8)
