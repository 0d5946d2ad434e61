"""What each command of `python -m navcore` takes. Light: `--help` waits for neither NumPy nor Numba."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import BadInput
from ..formats import ENDINGS
from ..level_source import LevelSource
from ..reasons.intent import CLOSED, OPEN
from ..scene import BoxVolume, Scene
from .acceptance_gates import add_fail_on_flag, add_gate_flags
from .settings_flags import add_axes_flags, add_reference_flag, add_saying_flags, add_setting_flags, with_axes

_MAX_AREA = 63
ENDS, AT = ("--from", "--to"), "--at"
OBSTACLES = (
    ("--cylinder", "cylinder", "X,Y,Z,RADIUS,HEIGHT", "a cylinder on the middle of its foot, metres, y up"),
    ("--box", "aabb", "X0,Y0,Z0,X1,Y1,Z1", "a box along the axes, from its low to its high corner"),
    ("--oriented-box", "box", "X,Y,Z,HX,HY,HZ,DEGREES", "a box around its middle, half as large, turned about y"),
)
POINTS = (*ENDS, AT, *(name for name, *_ in OBSTACLES))
_MAX_PAIRS = 1_000_000


def add_build_flags(build: argparse.ArgumentParser) -> None:
    """The input, the outputs, and how to get from one to the others."""
    build.add_argument(
        "inputs",
        type=Path,
        nargs="+",
        metavar="INPUT",
        help="meshes: .obj, .glb, .gltf, .npz (verts, tris, areas); with trimesh .ply, .stl, .off, .3mf. In names of "
        "outputs and reports {file} stands for the name of the mesh",
    )
    build.add_argument(
        "-o",
        dest="outputs",
        type=Path,
        action="append",
        default=[],
        metavar="OUTPUT",
        help=f"{', '.join(ENDINGS)}, or NAME.TARGET.ENDING; may be given several times",
    )
    build.add_argument(
        "--target", metavar="NAME", help="what outputs are for whose ending several targets have: pathfinding for .glb"
    )
    _add_ways_to_build(build)
    add_axes_flags(build)
    add_reference_flag(build)
    add_saying_flags(build)
    add_gate_flags(build)
    add_setting_flags(build)


def _add_ways_to_build(build: argparse.ArgumentParser) -> None:
    """What it is built with, and what is left beside the outputs."""
    build.add_argument("--settings", type=Path, metavar="FILE.json", help="settings by name; flags stand above it")
    build.add_argument(
        "--scene", type=Path, metavar="FILE.json", help="bounds, area volumes, links, seeds, areas by name"
    )
    add_size_flag(build)
    add_resolution_flag(build)
    build.add_argument("--threads", type=int, metavar="N", help="threads to build with (default: all cores)")
    build.add_argument("--dask", metavar="ADDRESS", help="build the tiles on the Dask cluster with this scheduler")
    build.add_argument(
        "--repeat", type=int, metavar="N", help="build N times after a warm-up; the report holds best and median"
    )
    _add_told(build)
    build.add_argument(
        "--failures",
        type=Path,
        metavar="FOLDER",
        help="where a mesh that can't be mended leaves what shows it again (default: the user's cache)",
    )
    build.add_argument(
        "--store",
        type=Path,
        metavar="FOLDER",
        help="keep built tiles there, and take those that would come out the same from there",
    )
    build.add_argument("--prune", action="store_true", help="leave out islands that no seed of the scene can reach")
    build.add_argument(
        "--skip-unchanged",
        action="store_true",
        help="do nothing where the outputs are still what would be built; stamps beside them tell",
    )


def add_size_flag(build: argparse.ArgumentParser) -> None:
    """Sizes of agents that share a navmesh."""
    build.add_argument(
        "--size", dest="sizes", type=_size, action="append", default=[], metavar="NAME,RADIUS,HEIGHT",
        help="one size of agents, in metres; given several times, one navmesh is for all of them",
    )  # fmt: skip


def source_of(arguments: argparse.Namespace, mesh: Sequence[Any], scene: Scene) -> LevelSource:
    """A mesh file with its scene, and with what flags say of sizes and of cells."""
    source = LevelSource.of(mesh, scene)
    return replace(source, sizes=arguments.sizes, volumes=(*source.volumes, *arguments.resolutions))


def add_resolution_flag(build: argparse.ArgumentParser) -> None:
    """Places with finer or coarser cells."""
    build.add_argument(
        "--resolution", dest="resolutions", type=_resolution, action="append", default=[], metavar="SCALE,X0,Z0,X1,Z1",
        help="tiles that this rectangle touches, in metres seen from above, have cells of 0.25, 0.5 or 2 times the "
        "cell size; may be given several times",
    )  # fmt: skip


def _resolution(text: str) -> BoxVolume:
    try:
        scale, x0, z0, x1, z1 = map(float, text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no SCALE,X0,Z0,X1,Z1, as 0.5,10,4,30,24 is") from None
    try:
        return BoxVolume(min=(min(x0, x1), 0.0, min(z0, z1)), max=(max(x0, x1), 0.0, max(z0, z1)), resolution=scale)
    except BadInput as reason:
        raise argparse.ArgumentTypeError(str(reason)) from None


def _size(text: str) -> tuple[str, float, float]:
    name, *numbers = text.rsplit(",", 2)
    try:
        radius, height = map(float, numbers)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no NAME,RADIUS,HEIGHT, as ogre,1.2,3 is") from None
    return name, radius, height


def _add_told(build: argparse.ArgumentParser) -> None:
    """What is written of a build beside the navmesh."""
    build.add_argument("--dump-stages", type=Path, metavar="FILE.npz", help="write the arrays after every stage")
    build.add_argument(
        "--report", type=Path, metavar="FILE.json", help="write what happened, also when the build fails"
    )
    build.add_argument(
        "--page",
        type=Path,
        metavar="FILE.html",
        help="write a page that shows the navmesh on its level, with warnings and tests, also when a gate fails",
    )


def add_convert_flags(convert: argparse.ArgumentParser) -> None:
    """A mesh whose faces are polygons, or a navmesh; what it becomes; and the settings that say who walks on it."""
    convert.add_argument(
        "mesh", type=Path, metavar="MESH", nargs="?",
        help="a mesh whose faces are the polygons, y up: .obj with faces of any number of corners, .glb, .gltf, .npz; "
        "or a navmesh: .bin, .json, .tres, .tscn, and .glb as build writes it",
    )  # fmt: skip
    convert.add_argument(
        "-o", dest="outputs", type=Path, action="extend", nargs="+", default=[], metavar="OUTPUT",
        help=f"{', '.join(ending for ending in ENDINGS if ending != '.gset')}, or NAME.TARGET.ENDING",
    )  # fmt: skip
    convert.add_argument(
        "--target", metavar="NAME", help="what outputs are for whose ending several targets have: pathfinding for .glb"
    )
    convert.add_argument("--keep-faces", action="store_true", help="merge no two faces, however flat they are")
    convert.add_argument(
        "--weld", type=float, default=0.001, metavar="METRES",
        help="corners so near to each other are one, and so near to an edge are on it (default: 0.001)",
    )  # fmt: skip
    convert.add_argument("--settings", type=Path, metavar="FILE.json", help="settings by name; flags stand above it")
    convert.add_argument(
        "--scene", type=Path, metavar="FILE.json", help="areas by material and group, their types, and links"
    )
    convert.add_argument(
        "--report", type=Path, metavar="FILE.json",
        help="write what became of the faces, also when they are refused: then with every place",
    )  # fmt: skip
    quiet = "no line about what became of the faces; warnings and errors are told all the same"
    convert.add_argument("--quiet", action="store_true", help=quiet)
    add_setting_flags(convert)


def add_obstacle_flags(obstacles: argparse.ArgumentParser) -> None:
    obstacles.add_argument("file", type=Path, metavar="NAME.tilecache.bin", help="a tile cache, of `navcore build`")
    for name, kind, metavar, help_ in OBSTACLES:
        obstacles.add_argument(
            name, dest="obstacles", type=_obstacle_of(kind, metavar), action="append", default=[], metavar=metavar,
            help=help_,
        )  # fmt: skip
    obstacles.add_argument(
        "--file", dest="obstacle_file", type=Path, metavar="OBSTACLES.json", help="obstacles that come before those"
    )
    obstacles.add_argument(
        "--exact", action="store_true",
        help="as in Recast, with its limits: obstacles do not grow by the agent's radius",
    )  # fmt: skip
    obstacles.add_argument(
        "-o", "--output", type=Path, required=True, metavar="NAVMESH", help="where the navmesh goes: .bin, .glb, …"
    )
    obstacles.add_argument("--quiet", action="store_true", help="say nothing but errors and warnings")


def _obstacle_of(kind: str, metavar: str) -> Callable[[str], dict[str, Any]]:
    """A type for argparse: numbers with commas between them as OBSTACLES.json has an obstacle."""

    def obstacle(text: str) -> dict[str, Any]:
        try:
            numbers = [float(part) for part in text.split(",")]
        except ValueError:
            numbers = []
        if len(numbers) != metavar.count(",") + 1 or not all(map(math.isfinite, numbers)):
            raise argparse.ArgumentTypeError(f"expected {metavar}, finite numbers with commas between, not {text!r}")
        at, rest = numbers[:3], numbers[3:]
        if kind == "cylinder":
            return {"kind": kind, "at": at, "radius": rest[0], "height": rest[1]}
        if kind == "aabb":
            return {"kind": kind, "min": at, "max": rest}
        return {"kind": kind, "at": at, "half": rest[:3], "angle": math.radians(rest[3])}

    return obstacle


def add_info_flags(info: argparse.ArgumentParser) -> None:
    info.add_argument(
        "file", type=Path, metavar="FILE", help="a .bin (a set of tiles or one), .json, .glb, .tres or .tscn"
    )
    info.add_argument("--clearance", action="store_true", help="also tell how wide agents may be (of a .bin)")
    info.add_argument("--islands", action="store_true", help="also list its islands, the largest first")
    info.add_argument("--joins", action="store_true", help="list them with what is missing to the nearest other one")
    info.add_argument(
        "--size", metavar="NAME",
        help="list those of this size of agents alone, of a navmesh that names its sizes (.json, .glb or .tscn)",
    )  # fmt: skip
    info.add_argument("--json", action="store_true", help="as JSON")


def add_settings_flags(listing: argparse.ArgumentParser) -> None:
    listing.add_argument("--json", action="store_true", help="as JSON")
    listing.add_argument("--markdown", action="store_true", help="as the table of the README")


def add_query_flags(query: argparse.ArgumentParser) -> None:
    query.add_argument("file", type=Path, metavar="NAVMESH.bin", help="a Detour navmesh: a set of tiles or one")
    query.add_argument(
        "questions", type=Path, metavar="QUESTIONS.npz",
        help="points (N, 6), each a start and an end; and extents, include, exclude, costs, max_nodes, max_path",
    )  # fmt: skip
    query.add_argument("-o", "--output", type=Path, required=True, metavar="ANSWERS.npz", help="where answers go")
    query.add_argument("--threads", type=int, metavar="N", help="threads to ask with (default: all cores)")


def add_path_flags(path: argparse.ArgumentParser) -> None:
    path.add_argument("file", type=Path, metavar="NAVMESH", help="a Detour navmesh, .bin: a set of tiles or one")
    for name, dest in zip(ENDS, ("start", "end"), strict=True):
        path.add_argument(name, dest=dest, type=point, required=True, metavar="X,Y,Z", help="metres, y up")
    path.add_argument(
        "--exact", action="store_true",
        help="the truly shortest path as seen from above, instead of Detour's; one that cannot reach its end ends at "
        "the closest point it can reach",
    )  # fmt: skip
    path.add_argument(
        "--long", action="store_true",
        help="look over districts of tiles first: quicker on long ways over many tiles, and a little longer now and "
        "then; as many polygons as it takes",
    )  # fmt: skip
    path.add_argument(
        "--partial", choices=("detour", "closest"), default="detour",
        help="where a path ends that cannot reach its end: as Detour does it, or at the closest point it can reach",
    )  # fmt: skip
    path.add_argument(
        "--cost", type=_cost, action="append", default=[], metavar="AREA=COST",
        help="what a metre costs in an area (default: 1)",
    )  # fmt: skip
    path.add_argument(
        "--door", type=_door, action="append", default=[], metavar="NAME=open|closed",
        help="the state of a door; those that are not named are as they were built",
    )  # fmt: skip
    _add_chosen_size(path)
    path.add_argument(
        "--clearance", action="store_true",
        help="also tell how wide an agent may be on this path, where it is narrowest, and how wide any way there is",
    )  # fmt: skip
    add_fail_on_flag(path)
    path.add_argument("--json", action="store_true", help="as JSON")


def _add_chosen_size(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--size", metavar="NAME",
        help="of a navmesh for several sizes of agents (.json, .glb or .tscn): whose ground is kept to",
    )  # fmt: skip


def add_walk_flags(walk: argparse.ArgumentParser) -> None:
    walk.add_argument("file", type=Path, metavar="NAVMESH", help="a Detour navmesh, .bin: a set of tiles or one")
    for name, dest in zip(ENDS, ("starts", "ends"), strict=True):
        walk.add_argument(
            name, dest=dest, type=point, action="append", required=True, metavar="X,Y,Z",
            help="metres, y up; once for each agent",
        )  # fmt: skip
    for name, default, text in (
        ("seconds", 30.0, "how long they walk"),
        ("frames-per-second", 24.0, "frames of the track"),
        ("radius", None, "metres (default: the agent that the navmesh was built for)"),
        ("height", 2.0, "metres"),
        ("max-speed", 1.5, "metres a second"),
        ("max-acceleration", 8.0, "metres a second, each second"),
        ("time-horizon", 1.5, "seconds ahead that collisions are seen"),
    ):
        said = "" if default is None else f" (default: {default:g})"
        walk.add_argument(f"--{name}", type=_metres, default=default, metavar="N", help=text + said)
    _add_chosen_size(walk)
    walk.add_argument("--seed", type=int, default=0, metavar="N", help="who gives way to which side (default: 0)")
    add_fail_on_flag(walk)
    walk.add_argument("-o", "--output", type=Path, metavar="TRACK.json", help="where every frame goes")
    walk.add_argument(
        "--heat", dest="heats", type=Path, action="append", default=[], metavar="NAME.svg|png|json",
        help="where agents lost time, and what held them up: drawn over the navmesh, or as JSON. May be given several "
        "times",
    )  # fmt: skip
    walk.add_argument(
        "--heat-shows", choices=("time_lost", "density", "waiting"), default="time_lost",
        help="what pictures of --heat show (default: time_lost)",
    )  # fmt: skip
    walk.add_argument(
        "--max-time-lost", type=_metres, metavar="SECONDS",
        help="end with status 3 if agents lost more on the mean than this, beyond what each would have needed alone",
    )  # fmt: skip
    walk.add_argument("--json", action="store_true", help="as JSON")


def add_compare_flags(compare: argparse.ArgumentParser) -> None:
    for name, metavar, text in (("before", "A", "a navmesh of any format that is read"), ("after", "B", "another")):
        compare.add_argument(name, type=Path, metavar=metavar, help=text)
    for what in ("added", "removed", "moved"):
        compare.add_argument(
            f"--max-{what}", type=_metres, metavar="M2", help=f"end with status 3 if more square metres were {what}"
        )
    compare.add_argument("--cell", type=_metres, metavar="M", help="how finely to look (default: the smaller cells)")
    compare.add_argument(
        "--moved-by", type=_metres, metavar="M",
        help="ground that lies higher or lower by more has moved (default: a cell's height, 0.2 where no file says)",
    )  # fmt: skip
    compare.add_argument("-o", "--output", type=Path, metavar="FILE", help="also show it: .svg, .png or .html")
    compare.add_argument("--json", action="store_true", help="as JSON")


def add_why_flags(why: argparse.ArgumentParser) -> None:
    why.add_argument("level", type=Path, metavar="LEVEL", help="mesh, as for build")
    why.add_argument(
        AT, type=point, required=True, metavar="X,Y,Z",
        help="the place in metres, y up: the highest surface at or below it, within the agent's height",
    )  # fmt: skip
    why.add_argument("--settings", type=Path, metavar="FILE.json", help="settings by name; flags stand above it")
    why.add_argument("--scene", type=Path, metavar="FILE.json", help="bounds, area volumes, links, seeds")
    add_size_flag(why)
    add_resolution_flag(why)
    why.add_argument("--threads", type=int, metavar="N", help="threads to build with (default: all cores)")
    why.add_argument("--json", action="store_true", help="as JSON")
    add_axes_flags(why)
    add_setting_flags(why)


def add_comparison_flags(compare: argparse.ArgumentParser) -> None:
    compare.add_argument("file", type=Path, metavar="NAVMESH", help="a Detour navmesh, .bin: a set of tiles or one")
    compare.add_argument(
        "--pairs", type=_count, default=1000, metavar="N", help="how many random pairs of points (default: 1000)"
    )
    compare.add_argument("--seed", type=int, default=1, metavar="S", help="which random points (default: 1)")
    for name, dest in zip(ENDS, ("start", "end"), strict=True):
        compare.add_argument(name, dest=dest, type=point, metavar="X,Y,Z", help="this pair instead; metres, y up")
    compare.add_argument("-o", "--output", type=Path, metavar="PICTURE", help="draw one path in every way")
    compare.add_argument("--json", action="store_true", help="as JSON")


def add_picture_flags(picture: argparse.ArgumentParser) -> None:
    picture.add_argument(
        "file", type=Path, metavar="FILE",
        help="a navmesh: .bin, .json, .glb, .tres or .tscn; with --view a level, as `navcore build` takes it",
    )  # fmt: skip
    picture.add_argument("-o", "--output", type=Path, required=True, metavar="PICTURE", help=".svg or .png")
    picture.add_argument(
        "--width", type=int, default=1000, metavar="POINTS", help="of the whole picture (default: 1000)"
    )
    picture.add_argument("--beneath", type=Path, metavar="LEVEL", help="draw this mesh under the navmesh")
    picture.add_argument(
        "--contours", type=_spacing, metavar="M", help="draw a line of equal height every so many metres"
    )
    picture.add_argument(
        "--view", metavar="NAME", help="what a stage makes of the level: REASONS, REGIONS, CONTOURS, POLYGONS, TILES …"
    )
    picture.add_argument("--variant", default="", metavar="NAME", help="another form of the view")
    for name, default, text in (("lowest", -math.inf, "lower"), ("highest", math.inf, "higher")):
        picture.add_argument(
            f"--{name}", type=float, default=default, metavar="M", help=f"cut away from the view what lies {text}"
        )
    picture.add_argument(
        "--level", type=float, default=1.0, metavar="PART", help="how far a view that shows steps is, 0 to 1"
    )
    picture.add_argument("--settings", type=Path, metavar="FILE.json", help="settings by name; flags stand above it")
    picture.add_argument("--scene", type=Path, metavar="FILE.json", help="bounds, area volumes, links, areas by name")
    add_axes_flags(picture)
    add_setting_flags(picture)


def add_page_flags(page: argparse.ArgumentParser) -> None:
    page.add_argument("file", type=Path, metavar="NAVMESH", help="a navmesh of any format that is read: .bin, .json, …")
    page.add_argument("-o", "--output", type=Path, required=True, metavar="NAME.html", help="the page")
    page.add_argument("--level", type=Path, metavar="LEVEL", help="the mesh beneath, as `navcore build` takes it")
    page.add_argument("--compare", type=Path, metavar="BEFORE", help="also show this navmesh, and what changed since")
    page.add_argument("--report", type=Path, metavar="FILE.json", help="also show a build's warnings and tests")
    page.add_argument("--scene", type=Path, metavar="FILE.json", help="also show the seeds of a scene")
    page.add_argument("--heat", type=Path, metavar="HEAT.json", help="also show what `navcore walk --heat` wrote")
    page.add_argument("--cover", type=Path, metavar="COVER.json", help="also show what `navcore cover` wrote")
    page.add_argument("--quiet", action="store_true", help="say nothing unless it fails")
    add_axes_flags(page)


def add_cover_flags(cover: argparse.ArgumentParser) -> None:
    cover.add_argument(
        "file", type=Path, metavar="LEVEL|NAVMESH", help="a mesh, as for build; with --level a navmesh of any format"
    )
    cover.add_argument(
        "-o", "--output", dest="outputs", type=Path, action="append", required=True, metavar="COVER.json",
        help="where places go; .glb and .tscn have them as nodes, .svg and .png draw them. May be given several times",
    )  # fmt: skip
    cover.add_argument("--level", type=Path, metavar="LEVEL", help="the mesh that the navmesh was built from")
    cover.add_argument(
        "--spacing", type=_spacing, default=0.5, metavar="METRES", help="between places along a wall (default: 0.5)"
    )
    cover.add_argument("--settings", type=Path, metavar="FILE.json", help="settings by name; flags stand above it")
    cover.add_argument("--scene", type=Path, metavar="FILE.json", help="bounds, area volumes, links, areas by name")
    cover.add_argument("--threads", type=int, metavar="N", help="threads to work with (default: all cores)")
    cover.add_argument("--quiet", action="store_true", help="say nothing but errors and warnings")
    add_axes_flags(cover)
    add_setting_flags(cover)


def add_world_flags(world: argparse.ArgumentParser) -> None:
    world.add_argument(
        "act", choices=("plan", "build", "check", "info"),
        help="plan: what would be built and why; build: build that; check: whether files, manifest and borders fit; "
        "info: what is there",
    )  # fmt: skip
    world.add_argument("file", type=Path, metavar="WORLD.json", help="settings, bounds, and sections of mesh files")
    world.add_argument(
        "-o", dest="folder", type=Path, metavar="FOLDER", help="where its files are (default: beside WORLD.json)"
    )
    world.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="this section alone; may be given several times"
    )
    world.add_argument(
        "--store", type=Path, metavar="FOLDER",
        help="keep built tiles there, and take those that would come out the same from there",
    )  # fmt: skip
    add_reference_flag(world)
    world.add_argument("--dask", metavar="ADDRESS", help="build tiles on the Dask cluster with this scheduler")
    world.add_argument("--threads", type=int, metavar="N", help="threads to build with (default: all cores)")
    world.add_argument("--json", action="store_true", help="as JSON")
    world.add_argument("--quiet", action="store_true", help="say nothing but errors and warnings")


def add_explain_flags(explain: argparse.ArgumentParser) -> None:
    explain.add_argument("code", metavar="CODE", help="as it stands in messages and reports, such as NOT_FINITE")


def add_prepare_flags(prepare: argparse.ArgumentParser) -> None:
    prepare.add_argument(
        "--usual", action="store_true", help="only those of usual settings: three quarters of the time"
    )
    prepare.add_argument("--quiet", action="store_true", help="say nothing unless it fails")


# --- words


def with_points(words: Sequence[str]) -> list[str]:
    """A command's words, points bound to their flags: argparse takes one that begins with a minus for a flag."""
    bound: list[str] = []
    for word in with_axes(words):
        if bound and bound[-1] in POINTS and word[:1] == "-" and word[1:2] in "0123456789.":
            bound[-1] += f"={word}"
        else:
            bound.append(word)
    return bound


def point(text: str) -> tuple[float, float, float]:
    try:
        x, y, z = map(float, text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not three numbers such as 1,0,-2.5") from None
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a finite point")
    return x, y, z


def _metres(text: str) -> float:
    try:
        metres = float(text)
    except ValueError:
        metres = math.nan
    if not (math.isfinite(metres) and metres >= 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 0 or more")
    return metres


def _spacing(text: str) -> float:
    if not (metres := _metres(text)) > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return metres


def _cost(text: str) -> tuple[int, float]:
    area, _, cost = text.partition("=")
    try:
        number, price = int(area), float(cost)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not an area and its cost, such as 1=10") from None
    if not (0 <= number <= _MAX_AREA and math.isfinite(price) and price >= 0):
        raise argparse.ArgumentTypeError(f"{text!r}: areas are 0 to {_MAX_AREA}, and costs finite, 0 or more")
    return number, price


def _door(text: str) -> tuple[str, str]:
    name, _, state = text.rpartition("=")
    if not name or state not in (OPEN, CLOSED):
        raise argparse.ArgumentTypeError(f"{text!r} is no door and its state, such as gate={OPEN} or gate={CLOSED}")
    return name, state


def _count(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= _MAX_PAIRS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of pairs from 1 to {_MAX_PAIRS:,}")
    return number
