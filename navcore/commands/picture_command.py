"""`navcore picture`: a navmesh, or what a stage makes of a level, seen from above, as a file."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from ..builder.build_level import build_navmesh
from ..compile_ahead.cold_start import watch_builds
from ..errors import BadInput
from ..files.atomic_write import check_folder, write_whole
from ..formats import read_navmesh_file
from ..formats.file_axes import AS_READ
from ..formats.plain_navmesh import PlainNavmesh
from ..geometry.arrays import numbers_in_ranges
from ..pictures.colors import INK
from ..pictures.drawing import Drawing, Labels, LegendEntry, Lines, Patches, Shape, line_sample, patch_sample
from ..pictures.plan_view import Plan, WideLinkFromAbove, plan_view
from ..pictures.png import png_bytes
from ..pictures.svg import svg_bytes
from ..progress import Progress
from ..scene import Scene
from ..settings import Settings
from ..types import F32, F64, I64, U8, AnyArray
from ..views.catalog import VIEWS, stage_picture
from ..views.picture import Picture, Shown
from .command_flags import given_scene, read_level
from .console import interruptible, write_out
from .exit_status import DONE
from .settings_flags import given_axes, given_settings

PICTURES = {".svg": svg_bytes, ".png": png_bytes}
"""How pictures are written, by the ending of their files."""
_FLOOR = 1.0  # metres: what lies within is drawn at once, color by color
_LINE_WIDTH, _SEAM = 1.2, 0.4  # points
_FAINTEST_LINE = 128  # opacity: on paper, lines that are meant for a dark viewport would not be seen
_BRIGHTEST_LINE = 200
_GREY = "#8a8a8a"  # what is white in a viewport
_THIN = 1e-12  # square metres
_STEEPEST = 0.05  # what is seen of a triangle from above, as a part of it
_DARKEST, _BRIGHTEST, _SHADES = 120, 225, 8  # grays of a level beneath
_HEIGHT_LINE, _MAX_HEIGHT_LINES = 0.5, 1_000_000
_MARGIN = 0.02  # of the larger side, all around


def run(arguments: argparse.Namespace) -> int:
    """Draw, and write the picture in one step. Returns the exit status."""
    check_picture(arguments.output)
    drawing = _of_navmesh(arguments) if arguments.view is None else _of_level(arguments)
    write_picture(drawing, arguments.output, arguments.width)
    return DONE


def _of_navmesh(arguments: argparse.Namespace) -> Drawing:
    if given_settings(arguments) or arguments.scene or arguments.variant:
        raise BadInput(
            "Settings, a scene and a variant are for a view of the stages, which --view names. A navmesh is drawn as "
            "it is: leave them out.", "WRONG_QUESTION",
        )  # fmt: skip
    if arguments.beneath is None and given_axes(arguments) != AS_READ:
        raise BadInput(
            "--up, --unit and --scale are for a mesh file: a level with --view, or one that --beneath names. A navmesh "
            "is drawn as it is: leave them out.", "WRONG_QUESTION",
        )  # fmt: skip
    navmesh = read_navmesh_file(arguments.file)
    drawing = plan_view(arguments.file.name, plan_of(navmesh))
    if arguments.contours is not None:
        drawing = drawing.over(*height_lines(navmesh, arguments.contours))
    if arguments.beneath is None:
        return drawing
    level = read_level(arguments.beneath, Scene(), arguments, Progress())
    return drawing.under(level_patches(level.vertices, level.triangles))


def _of_level(arguments: argparse.Namespace) -> Drawing:
    """Build the level, keep what the stages make, and draw one view of it."""
    if arguments.beneath is not None or arguments.contours is not None:
        raise BadInput("--beneath and --contours are for a navmesh, without --view. Leave them out.", "WRONG_QUESTION")
    settings = Settings.from_mapping(given_settings(arguments))
    scene = given_scene(arguments)
    shown = Shown(arguments.lowest, arguments.highest, arguments.level, variant=arguments.variant)
    progress = Progress()
    watch_builds()
    level = read_level(arguments.file, scene, arguments, progress)
    navmesh = interruptible(
        lambda: build_navmesh(
            level.vertices, level.triangles, settings, areas=level.areas, volumes=scene.volumes, links=scene.links,
            area_types=scene.area_types, bounds=scene.bounds, progress=progress, keep_stages=True,
        ), progress.cancel,
    )  # fmt: skip
    picture = stage_picture(navmesh, arguments.view, shown, (level.vertices, level.triangles))
    for note in picture.notes:
        write_out(f"{note}\n")
    return drawing_of(f"{arguments.file.name}: {VIEWS[arguments.view].label}", picture)


def check_picture(path: Path) -> None:
    """Refuse, before anything is computed, a picture that could not be written afterwards."""
    if path.suffix.lower() not in PICTURES:
        raise BadInput(f"{path.name}: pictures are written as {', '.join(PICTURES)}.", "UNKNOWN_FORMAT")
    check_folder(path)


def write_picture(drawing: Drawing, path: Path, width: int = 1000) -> None:
    """Write in the format of the ending."""
    write_whole(path, PICTURES[path.suffix.lower()](drawing, width))


def plan_of(navmesh: PlainNavmesh) -> Plan:
    """What is drawn of a navmesh."""
    names = {number: kind.name for number, kind in navmesh.area_types.items()}
    given = len(navmesh.links) - sum(len(wide.points) for wide in navmesh.wide_links)
    links = [(link.start, link.end) for link in navmesh.links[:given]]
    wide_links = [WideLinkFromAbove(wide.kind, wide.corners, wide.bidirectional) for wide in navmesh.wide_links]
    return Plan(
        navmesh.vertices, navmesh.first, navmesh.corners, navmesh.neighbors, navmesh.area, links, names, wide_links
    )


# --- beneath and on top of a navmesh


def level_patches(vertices: AnyArray, triangles: AnyArray) -> tuple[Shape, ...]:
    """The triangles of a level as gray patches, from the lowest to the highest; walls are not seen from above."""
    corners = np.asarray(vertices, np.float64)[np.asarray(triangles, np.int64)].reshape(-1, 3, 3)
    u, v = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    flat = np.abs(u[:, 0] * v[:, 2] - u[:, 2] * v[:, 0]) / np.maximum(np.linalg.norm(np.cross(u, v), axis=1), _THIN)
    corners, flat = corners[flat > _STEEPEST], flat[flat > _STEEPEST]
    heights = corners[:, :, 1].mean(axis=1)
    shades = (_DARKEST + (_BRIGHTEST - _DARKEST) * flat).astype(np.int64) // _SHADES * _SHADES
    order = np.lexsort((shades, np.floor(heights / _FLOOR)))
    changes = np.flatnonzero(np.diff(shades[order])) + 1
    return tuple(
        Patches(corners[run][:, :, ::2].reshape(-1, 2), np.arange(0, 3 * len(run) + 1, 3), gray, gray, _SEAM)
        for run in np.split(order, changes) if len(run) for gray in ["#" + 3 * f"{int(shades[run[0]]):02x}"]
    )  # fmt: skip


def height_lines(navmesh: PlainNavmesh, step: float) -> tuple[tuple[Shape, ...], tuple[LegendEntry, ...]]:
    """Lines of equal height on the ground, one every `step` metres."""
    corners = _ground_triangles(navmesh)
    low, high = corners[:, :, 1].min(axis=1), corners[:, :, 1].max(axis=1)
    first, last = np.ceil(low / step).astype(np.int64), np.floor(high / step).astype(np.int64)
    counts = np.maximum(last - first + 1, 0)
    if counts.sum() > _MAX_HEIGHT_LINES:
        raise BadInput(
            f"--contours {step:g} would draw {counts.sum():,} lines, and at most {_MAX_HEIGHT_LINES:,} are drawn. "
            "Give more metres.", "WRONG_QUESTION",
        )  # fmt: skip
    owner = np.repeat(np.arange(len(corners)), counts)
    heights = (numbers_in_ranges(first, counts)) * step
    points = _crossings(corners[owner], heights)
    there = ~np.isnan(points).any(axis=(1, 2))
    lines = points[there].reshape(-1, 2)
    drawn = Lines(lines, np.arange(0, len(lines) + 1, 2), INK, _HEIGHT_LINE)
    return (drawn,), (LegendEntry(line_sample(INK, _HEIGHT_LINE), f"heights, every {step:g} m"),)


def _ground_triangles(navmesh: PlainNavmesh) -> F64:
    """(T, 3, 3) of the detail; where there is none, polygons as fans."""
    if navmesh.detail is not None:
        return navmesh.detail.vertices.astype(np.float64)[navmesh.detail.triangles]
    fans = [[ring[0], a, b] for ring in navmesh.rings() for a, b in pairwise(ring[1:])]
    return navmesh.vertices.astype(np.float64)[np.array(fans, np.int64).reshape(-1, 3)]


def _crossings(corners: F64, heights: F64) -> F64:
    """(N, 2, 2) where each triangle's edges pass a height, seen from above; NaN where not two of them do."""
    found = np.full((len(corners), 2, 2), np.nan)
    count = np.zeros(len(corners), np.int64)
    for k in range(3):
        a, b = corners[:, k], corners[:, (k + 1) % 3]
        crosses = ((a[:, 1] < heights) != (b[:, 1] < heights)) & (count < 2)
        rows = np.flatnonzero(crosses)
        part = (heights[rows] - a[rows, 1]) / (b[rows, 1] - a[rows, 1])
        found[rows, count[rows]] = a[rows][:, ::2] + (b[rows] - a[rows])[:, ::2] * part[:, None]
        count[rows] += 1
    return found


def changes_over(drawing: Drawing, picture: Picture) -> Drawing:
    """A navmesh from above with what changed on top of it."""
    shapes = tuple(_patches(picture.corners, picture.face_colors))
    rows = [LegendEntry(patch_sample(_fill(np.array(row.color)), INK), row.label) for row in picture.legend]
    low, high = _bounds(picture.corners.reshape(-1, 3))
    wider = drawing.over(shapes, tuple(rows))
    if not len(picture.corners):
        return wider
    return wider._replace(
        low=(min(low[0], drawing.low[0]), min(low[1], drawing.low[1])),
        high=(max(high[0], drawing.high[0]), max(high[1], drawing.high[1])),
    )


# --- a view of the stages: seen from above, opaque, what lies higher over what lies lower


def drawing_of(title: str, picture: Picture) -> Drawing:
    """All faces, then all lines, then labels."""
    corners, lines = picture.corners, picture.lines
    level = _area(corners) > 0  # sides of boxes are not seen from above
    shapes: list[Shape] = [*_patches(corners[level], picture.face_colors[level]), *_lines(lines, picture.line_colors)]
    if picture.labels:
        points = np.array([label.place for label in picture.labels], np.float64)[:, ::2]
        shapes.append(Labels(points, tuple(label.text for label in picture.labels), INK))
    legend = tuple(
        LegendEntry(patch_sample(_fill(np.array(row.color)), INK), f"{row.label} ({row.count:,})")
        for row in picture.legend
    )
    low, high = _bounds(np.concatenate([corners.reshape(-1, 3), lines.reshape(-1, 3)]))
    return Drawing(title, low, high, tuple(shapes), legend)


def _bounds(points: F32) -> tuple[tuple[float, float], tuple[float, float]]:
    plan = points[:, ::2].astype(np.float64) if len(points) else np.array([[0.0, 0.0], [1.0, 1.0]])
    low, high = plan.min(axis=0), plan.max(axis=0)
    margin = _MARGIN * max(float((high - low).max()), 1.0)
    return (float(low[0] - margin), float(low[1] - margin)), (float(high[0] + margin), float(high[1] + margin))


def _area(corners: F32) -> F64:
    x, z = corners[:, :, 0].astype(np.float64), corners[:, :, 2].astype(np.float64)
    sums = x * np.roll(z, -1, axis=1) - z * np.roll(x, -1, axis=1)
    return np.asarray(np.abs(sums.sum(axis=1)))


def _patches(corners: F32, colors: U8) -> Iterator[Patches]:
    for rows in _groups(corners, colors):
        fill = _fill(colors[rows[0]])
        yield Patches(_plan(corners[rows]), np.arange(0, 4 * len(rows) + 1, 4), fill, fill, _SEAM)


def _lines(lines: F32, colors: U8) -> Iterator[Lines]:
    for rows in _groups(lines, colors):
        yield Lines(_plan(lines[rows]), np.arange(0, 2 * len(rows) + 1, 2), _stroke(colors[rows[0]]), _LINE_WIDTH)


def _groups(parts: F32, colors: U8) -> Iterator[I64]:
    """Rows of one color and about one height, from the lowest up."""
    if len(parts) == 0:
        return
    floor = np.floor(parts[:, :, 1].mean(axis=1) / _FLOOR).astype(np.int64)
    color = np.ascontiguousarray(colors).view(np.uint32)[:, 0].astype(np.int64)
    order = np.lexsort((color, floor))
    changes = np.flatnonzero((np.diff(floor[order]) != 0) | (np.diff(color[order]) != 0)) + 1
    yield from np.split(order, changes)


def _plan(parts: F32) -> F64:
    return parts[:, :, ::2].astype(np.float64).reshape(-1, 2)


def _fill(color: AnyArray) -> str:
    return _on_paper(color, int(color[3]))


def _stroke(color: AnyArray) -> str:
    if int(color[:3].min()) > _BRIGHTEST_LINE:
        return _GREY
    return _on_paper(color, max(int(color[3]), _FAINTEST_LINE))


def _on_paper(color: AnyArray, opacity: int) -> str:
    """What a color looks like on white."""
    mixed = 255 + (color[:3].astype(np.float64) - 255) * (opacity / 255)
    return "#" + "".join(f"{round(part):02x}" for part in mixed.tolist())
