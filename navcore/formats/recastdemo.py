"""RecastDemo's scene: a `.gset` beside a `-level.obj` of the level, to see there what happens with the same input."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..build_warning import BuildWarning
from ..level_source import LevelSource
from ..scene import BoxVolume, ConvexVolume, CylinderVolume, GivenVolume, Link, as_volumes
from ..settings import PARTITIONS, Settings
from ..wide_links import WideLink
from .mesh_checks import CannotCarry, Unsound

MOST_VOLUMES = MOST_LINKS = 256
MOST_CORNERS = 12  # of a volume
OWN_COSTS = {1: 10.0, 4: 2.0, 5: 1.5}  # of water, grass and jumps; everything else costs 1 there
MOST_LINE = 512  # characters


def gset_bytes(settings: Settings, links: Sequence[Link], level: LevelSource, obj_name: str) -> bytes:
    """The scene: which mesh, the settings, links and volumes."""
    _check_name(obj_name)
    volumes = _held(level)
    if len(volumes) > MOST_VOLUMES or len(links) > MOST_LINKS:
        raise CannotCarry(
            f"The level has {len(volumes)} volumes and {len(links)} links; RecastDemo holds {MOST_VOLUMES} and "
            f"{MOST_LINKS}. Leave some out.",
            "RECASTDEMO_LIMITS",
        )
    lines = [f"f {obj_name}", "s " + " ".join(_settings(settings, level))]
    for link in links:
        places = _numbers((*link.start, *link.end, link.radius))
        lines.append(f"c {places} {int(link.bidirectional)} {link.area} {link.flags}")
    for number, volume in enumerate(volumes, 1):
        corners, low, high = _prism(volume)
        if len(corners) > MOST_CORNERS:
            raise CannotCarry(
                f"GivenVolume {number} has {len(corners)} corners; RecastDemo holds {MOST_CORNERS}. Simplify it.",
                "RECASTDEMO_LIMITS",
            )
        lines.append(f"v {len(corners)} {volume.area} {_numbers((low, high))}")
        lines += [_numbers((x, low, z)) for x, z in corners]
    return ("\n".join(lines) + "\n").encode()


def _held(level: LevelSource) -> list[GivenVolume]:
    """The volumes that a .gset holds: those that mark an area, and not doors alone."""
    return [volume for volume in as_volumes(level.volumes) if volume.area is not None]


def links_that_fit(links: Sequence[Link], wide_links: Sequence[WideLink]) -> list[Link]:
    """As many links as a .gset holds: those that were given, then of each wide link its middle point, its second …"""
    points = [(place, which) for which, wide in enumerate(wide_links) for place in _from_the_middle(len(wide.points))]
    given = len(links) - len(points)
    chosen = sorted(range(len(points)), key=lambda row: (points[row], row))[: max(0, MOST_LINKS - given)]
    return [*links[:given], *(links[given + row] for row in sorted(chosen))]


def _from_the_middle(count: int) -> list[int]:
    """When each of so many points in a row is taken, if the middle one comes first."""
    order = sorted(range(count), key=lambda place: abs(2 * place - (count - 1)))
    return [order.index(place) for place in range(count)]


def level_obj_bytes(level: LevelSource) -> bytes:
    """The level's triangles, unchanged."""
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in np.asarray(level.vertices, np.float32).tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (np.asarray(level.triangles, np.int64) + 1).tolist()]
    return ("\n".join(lines) + "\n").encode()


def gset_warnings(settings: Settings, level: LevelSource, left_out: Sequence[Link] = ()) -> list[BuildWarning]:
    """What RecastDemo will do in another way than this build; `left_out`: links for which there is no room."""
    warnings = []
    if left_out:
        text = f"A .gset holds {MOST_LINKS} links, so {len(left_out):,} points of links that were found are left out."
        way_out = "Raise link_spacing, so that wide links have fewer."
        warnings.append(BuildWarning("LINKS_LEFT_OUT", f"{text} {way_out}", left_out[0].start))
    doors = list(dict.fromkeys(volume.door for volume in as_volumes(level.volumes) if volume.door))
    if doors:
        text = f"A .gset knows no doors, so {', '.join(f'“{name}”' for name in doors[:3])}"
        text += f" and {len(doors) - 3:,} more" if len(doors) > 3 else ""
        warnings.append(BuildWarning("LOST_IN_EXPORT", f"{text} will be open ground. Give RecastDemo a .bin instead."))
    cylinder = next((volume for volume in _held(level) if isinstance(volume, CylinderVolume)), None)
    if cylinder is not None:
        text = f"Cylinders became prisms of {MOST_CORNERS} corners in the .gset. Mark them as convex volumes instead."
        warnings.append(BuildWarning("CYLINDER_AS_PRISM", text, cylinder.base))
    plain = Settings()
    names = ("filter_low_hanging_obstacles", "filter_ledge_spans", "filter_walkable_low_height_spans", "median_filter",
             "tessellate_wall_edges", "tessellate_area_edges", "detail_mesh")  # fmt: skip
    changed = [name for name in names if getattr(settings, name) != getattr(plain, name)]
    if changed:
        warnings.append(
            BuildWarning("NOT_IN_GSET", f"A .gset does not hold {', '.join(changed)}. Set them in RecastDemo.")
        )
    return warnings


def _settings(settings: Settings, level: LevelSource) -> list[str]:
    """The 21 numbers, in order."""
    bounds = level.bounds
    if bounds is None:
        bounds = [*np.min(level.vertices, axis=0).tolist(), *np.max(level.vertices, axis=0).tolist()]
    s = settings
    values = [
        s.cell_size, s.cell_height, s.agent_height, s.agent_radius, s.agent_max_climb, s.agent_max_slope,
        s.region_min_size, s.region_merge_size, s.edge_max_length, s.edge_max_error, s.vertices_per_polygon,
        s.detail_sample_distance, s.detail_sample_max_error, PARTITIONS.index(s.partition), *bounds, s.tile_size,
    ]  # fmt: skip
    return [f"{value:.9g}" for value in values]


def _prism(volume: GivenVolume) -> tuple[list[tuple[float, float]], float, float]:
    """Corners (x, z), lowest and highest point."""
    if isinstance(volume, ConvexVolume):
        return [(x, z) for x, z in volume.points], volume.min_height, volume.max_height
    if isinstance(volume, BoxVolume):
        (x0, low, z0), (x1, high, z1) = volume.min, volume.max
        return [(x0, z0), (x0, z1), (x1, z1), (x1, z0)], low, high
    x, low, z = volume.base
    turn = np.arange(MOST_CORNERS) * (2 * np.pi / MOST_CORNERS)
    outline = [(x + volume.radius * float(np.cos(a)), z + volume.radius * float(np.sin(a))) for a in turn]
    return outline, low, low + volume.height


def _numbers(values: Sequence[float]) -> str:
    return " ".join(f"{value:.9g}" for value in values)


def _check_name(name: str) -> None:
    if not name.isprintable() or not name.isascii() or len(name) + 2 >= MOST_LINE or name != name.strip():
        raise CannotCarry(
            f"RecastDemo reads file names of one line of plain ASCII, and this one is {name!r:.80}. Choose another.",
            "BAD_FILE_NAME",
        )


def check_gset(content: bytes, links: Sequence[Link], level: LevelSource) -> None:
    """Whether reading the lines gives the settings, links and volumes."""
    lines = content.decode().splitlines()
    kinds = [line.split(" ", 1)[0] for line in lines]
    if kinds[:2] != ["f", "s"] or len(lines[1].split()) != 22 or max(map(len, lines)) >= MOST_LINE:
        raise Unsound("The .gset does not begin with the file and the settings.")
    if kinds.count("c") != len(links) or kinds.count("v") != len(_held(level)):
        raise Unsound("The .gset does not hold every link and volume.")
    at = 2 + len(links)
    while at < len(lines):
        count = int(lines[at].split()[1])
        if kinds[at] != "v" or any(len(line.split()) != 3 for line in lines[at + 1 : at + 1 + count]):
            raise Unsound(f"Line {at + 1} of the .gset begins no whole volume.")
        at += 1 + count
