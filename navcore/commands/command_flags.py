"""What each command of `python -m navcore` takes. Light: `--help` waits for neither NumPy nor Numba."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BadInput
from ..formats import ENDINGS
from ..level_source import LevelSource
from ..reasons.intent import CLOSED, OPEN
from ..scene import BoxVolume, Scene
from .acceptance_gates import add_fail_on_flag, add_gate_flags
from .console import interruptible
from .settings_flags import (
    add_axes_flags,
    add_file,
    add_reference_flag,
    add_saying_flags,
    add_setting_flags,
    add_switch,
    given_axes,
    with_axes,
)

if TYPE_CHECKING:
    from ..formats.level_mesh import LevelMesh
    from ..progress import Progress

_MAX_AREA = 63
ENDS, AT = ("--from", "--to"), "--at"
OBSTACLES = (
    ("--cylinder", "cylinder", "X,Y,Z,RADIUS,HEIGHT", "a cylinder on the middle of its foot, metres, y up"),
    ("--box", "aabb", "X0,Y0,Z0,X1,Y1,Z1", "a box along the axes, from its low to its high corner"),
    ("--oriented-box", "box", "X,Y,Z,HX,HY,HZ,DEGREES", "a box around its middle, half as large, turned about y"),
)
POINTS = (*ENDS, AT, *(name for name, *_ in OBSTACLES))
_MAX_PAIRS = 1_000_000
_QUIET = "say nothing but errors and warnings"


def add_build_flags(build: argparse.ArgumentParser) -> None:
    """The input, the outputs, and how to get from one to the others."""
    of_meshes = (
        "meshes: .obj, .glb, .gltf, .npz (verts, tris, areas); with trimesh .ply, .stl, .off, .3mf. In names of "
        "outputs and reports {file} stands for the name of the mesh"
    )
    add_file(build, "inputs", "INPUT", of_meshes, nargs="+")
    endings = f"{', '.join(ENDINGS)}, or NAME.TARGET.ENDING; may be given several times"
    add_file(build, "-o", "OUTPUT", endings, dest="outputs", action="append", default=[])
    _add_target_flag(build)
    _add_ways_to_build(build)
    add_axes_flags(build)
    add_reference_flag(build)
    add_saying_flags(build)
    add_gate_flags(build)
    add_setting_flags(build)


def _add_ways_to_build(build: argparse.ArgumentParser) -> None:
    """What it is built with, and what is left beside the outputs."""
    _add_settings_file(build)
    _add_scene_file(build, "bounds, area volumes, links, seeds, areas by name")
    add_size_flag(build)
    add_resolution_flag(build)
    _add_threads_flag(build)
    build.add_argument("--dask", metavar="ADDRESS", help="build the tiles on the Dask cluster with this scheduler")
    repeat = "build N times after a warm-up; the report holds best and median"
    build.add_argument("--repeat", type=int, metavar="N", help=repeat)
    add_file(build, "--dump-stages", "FILE.npz", "write the arrays after every stage")
    add_file(build, "--report", "FILE.json", "write what happened, also when the build fails")
    page = "write a page that shows the navmesh on its level, with warnings and tests, also when a gate fails"
    add_file(build, "--page", "FILE.html", page)
    failures = "where a mesh that can't be mended leaves what shows it again (default: the user's cache)"
    add_file(build, "--failures", "FOLDER", failures)
    _add_store_flag(build)
    add_switch(build, "--prune", "leave out islands that no seed of the scene can reach")
    unchanged = "do nothing where the outputs are still what would be built; stamps beside them tell"
    add_switch(build, "--skip-unchanged", unchanged)


def _add_target_flag(parser: argparse.ArgumentParser) -> None:
    of_what = "what outputs are for whose ending several targets have: pathfinding for .glb"
    parser.add_argument("--target", metavar="NAME", help=of_what)


def _add_settings_file(parser: argparse.ArgumentParser) -> None:
    add_file(parser, "--settings", "FILE.json", "settings by name; flags stand above it")


def _add_scene_file(parser: argparse.ArgumentParser, holds: str) -> None:
    add_file(parser, "--scene", "FILE.json", holds)


def _add_threads_flag(parser: argparse.ArgumentParser, to_do: str = "build") -> None:
    parser.add_argument("--threads", type=int, metavar="N", help=f"threads to {to_do} with (default: all cores)")


def _add_store_flag(parser: argparse.ArgumentParser) -> None:
    kept = "keep built tiles there, and take those that would come out the same from there"
    add_file(parser, "--store", "FOLDER", kept)


def _add_json_flag(parser: argparse.ArgumentParser) -> None:
    add_switch(parser, "--json", "as JSON")


def add_size_flag(build: argparse.ArgumentParser) -> None:
    """Sizes of agents that share a navmesh."""
    text = "one size of agents, in metres; given several times, one navmesh is for all of them"
    _add_several(build, "--size", "NAME,RADIUS,HEIGHT", text, dest="sizes", type=_size)


def given_scene(arguments: argparse.Namespace) -> Scene:
    """What `--scene` names; nothing where it was not given. Raises BadInput."""
    return Scene.from_file(arguments.scene) if arguments.scene else Scene()


def read_level(path: Path, scene: Scene, arguments: argparse.Namespace, progress: Progress) -> LevelMesh:
    """A mesh file as flags say that it is to be read. Raises NavmeshError."""
    from ..formats.mesh_files import read_mesh  # here, as it waits for NumPy and Numba

    axes = given_axes(arguments)._asdict()
    return interruptible(lambda: read_mesh(path, scene, progress=progress, **axes), progress.cancel)


def source_of(arguments: argparse.Namespace, mesh: Sequence[Any], scene: Scene) -> LevelSource:
    """A mesh file with its scene, and with what flags say of sizes and of cells."""
    source = LevelSource.of(mesh, scene)
    return replace(source, sizes=arguments.sizes, volumes=(*source.volumes, *arguments.resolutions))


def add_resolution_flag(build: argparse.ArgumentParser) -> None:
    """Places with finer or coarser cells."""
    text = (
        "tiles that this rectangle touches, in metres seen from above, have cells of 0.25, 0.5 or 2 times the "
        "cell size; may be given several times"
    )
    _add_several(build, "--resolution", "SCALE,X0,Z0,X1,Z1", text, dest="resolutions", type=_resolution)


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


def add_convert_flags(convert: argparse.ArgumentParser) -> None:
    """A mesh whose faces are polygons, or a navmesh; what it becomes; and the settings that say who walks on it."""
    of_mesh = (
        "a mesh whose faces are the polygons, y up: .obj with faces of any number of corners, .glb, .gltf, .npz; "
        "or a navmesh: .bin, .json, .tres, .tscn, and .glb as build writes it"
    )
    add_file(convert, "mesh", "MESH", of_mesh, nargs="?")
    endings = f"{', '.join(ending for ending in ENDINGS if ending != '.gset')}, or NAME.TARGET.ENDING"
    add_file(convert, "-o", "OUTPUT", endings, dest="outputs", action="extend", nargs="+", default=[])
    _add_target_flag(convert)
    add_switch(convert, "--keep-faces", "merge no two faces, however flat they are")
    weld = "corners so near to each other are one, and so near to an edge are on it (default: 0.001)"
    convert.add_argument("--weld", type=float, metavar="METRES", help=weld)
    _add_settings_file(convert)
    _add_scene_file(convert, "areas by material and group, their types, and links")
    report = "write what became of the faces, also when they are refused: then with every place"
    add_file(convert, "--report", "FILE.json", report)
    add_switch(convert, "--quiet", "no line about what became of the faces; warnings and errors are told all the same")
    add_setting_flags(convert)


def add_obstacle_flags(obstacles: argparse.ArgumentParser) -> None:
    add_file(obstacles, "file", "NAME.tilecache.bin", "a tile cache, of `navcore build`")
    for name, kind, metavar, text in OBSTACLES:
        _add_several(obstacles, name, metavar, text, dest="obstacles", type=_obstacle_of(kind, metavar))
    add_file(obstacles, "--file", "OBSTACLES.json", "obstacles that come before those", dest="obstacle_file")
    exact = "as in Recast, with its limits: obstacles do not grow by the agent's radius"
    add_switch(obstacles, "--exact", exact)
    _add_output(obstacles, "NAVMESH", "where the navmesh goes: .bin, .glb, …", required=True)
    add_switch(obstacles, "--quiet", _QUIET)


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
    add_file(info, "file", "FILE", "a .bin (a set of tiles or one), .json, .glb, .tres or .tscn")
    add_switch(info, "--clearance", "also tell how wide agents may be (of a .bin)")
    add_switch(info, "--islands", "also list its islands, the largest first")
    add_switch(info, "--joins", "list them with what is missing to the nearest other one")
    size = "list those of this size of agents alone, of a navmesh that names its sizes (.json, .glb or .tscn)"
    info.add_argument("--size", metavar="NAME", help=size)
    _add_json_flag(info)


def add_settings_flags(listing: argparse.ArgumentParser) -> None:
    _add_json_flag(listing)
    add_switch(listing, "--markdown", "as the table of the README")


def add_query_flags(query: argparse.ArgumentParser) -> None:
    _add_navmesh(query)
    points = "points (N, 6), each a start and an end; and extents, include, exclude, costs, max_nodes, max_path"
    add_file(query, "questions", "QUESTIONS.npz", points)
    _add_output(query, "ANSWERS.npz", "where answers go", required=True)
    _add_threads_flag(query, "ask")


def _add_navmesh(parser: argparse.ArgumentParser) -> None:
    add_file(parser, "file", "NAVMESH", "a navmesh of any format that is read: .bin, .json, .glb, .tres or .tscn")


def add_path_flags(path: argparse.ArgumentParser) -> None:
    _add_navmesh(path)
    for name, dest in zip(ENDS, ("start", "end"), strict=True):
        path.add_argument(name, dest=dest, type=point, required=True, metavar="X,Y,Z", help="metres, y up")
    exact = (
        "the truly shortest path as seen from above, instead of Detour's; one that cannot reach its end ends at "
        "the closest point it can reach"
    )
    add_switch(path, "--exact", exact)
    long = (
        "look over districts of tiles first: quicker on long ways over many tiles, and a little longer now and "
        "then; as many polygons as it takes"
    )
    add_switch(path, "--long", long)
    partial = "where a path ends that cannot reach its end: as Detour does it, or at the closest point it can reach"
    path.add_argument("--partial", choices=("detour", "closest"), default="detour", help=partial)
    _add_several(path, "--cost", "AREA=COST", "what a metre costs in an area (default: 1)", type=_cost)
    door = "the state of a door; those that are not named are as they were built"
    _add_several(path, "--door", "NAME=open|closed", door, type=_door)
    _add_chosen_size(path)
    clearance = "also tell how wide an agent may be on this path, where it is narrowest, and how wide any way there is"
    add_switch(path, "--clearance", clearance)
    add_fail_on_flag(path)
    _add_json_flag(path)


def _add_chosen_size(parser: argparse.ArgumentParser) -> None:
    size = "of a navmesh for several sizes of agents (.json, .glb or .tscn): whose ground is kept to"
    parser.add_argument("--size", metavar="NAME", help=size)


def add_walk_flags(walk: argparse.ArgumentParser) -> None:
    _add_navmesh(walk)
    for name, dest in zip(ENDS, ("starts", "ends"), strict=True):
        end = "metres, y up; once for each agent"
        walk.add_argument(name, dest=dest, type=point, action="append", required=True, metavar="X,Y,Z", help=end)
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
    _add_output(walk, "TRACK.json", "where every frame goes")
    heat = (
        "where agents lost time, and what held them up: drawn over the navmesh, or as JSON. May be given several times"
    )
    _add_several(walk, "--heat", "NAME.svg|png|json", heat, dest="heats", type=Path)
    shows, shown = ("time_lost", "density", "waiting"), "what pictures of --heat show (default: time_lost)"
    walk.add_argument("--heat-shows", choices=shows, default="time_lost", help=shown)
    lost = "end with status 3 if agents lost more on the mean than this, beyond what each would have needed alone"
    walk.add_argument("--max-time-lost", type=_metres, metavar="SECONDS", help=lost)
    _add_json_flag(walk)


def add_compare_flags(compare: argparse.ArgumentParser) -> None:
    add_file(compare, "before", "A", "a navmesh of any format that is read")
    add_file(compare, "after", "B", "another")
    for what in ("added", "removed", "moved"):
        text = f"end with status 3 if more square metres were {what}"
        compare.add_argument(f"--max-{what}", type=_metres, metavar="M2", help=text)
    compare.add_argument("--cell", type=_metres, metavar="M", help="how finely to look (default: the smaller cells)")
    moved = "ground that lies higher or lower by more has moved (default: a cell's height, 0.2 where no file says)"
    compare.add_argument("--moved-by", type=_metres, metavar="M", help=moved)
    _add_output(compare, "FILE", "also show it: .svg, .png or .html")
    _add_json_flag(compare)


def add_why_flags(why: argparse.ArgumentParser) -> None:
    add_file(why, "level", "LEVEL", "mesh, as for build")
    at = "the place in metres, y up: the highest surface at or below it, within the agent's height"
    why.add_argument(AT, type=point, required=True, metavar="X,Y,Z", help=at)
    _add_settings_file(why)
    _add_scene_file(why, "bounds, area volumes, links, seeds")
    add_size_flag(why)
    add_resolution_flag(why)
    _add_threads_flag(why)
    _add_json_flag(why)
    add_axes_flags(why)
    add_setting_flags(why)


def add_comparison_flags(compare: argparse.ArgumentParser) -> None:
    _add_navmesh(compare)
    pairs = "how many random pairs of points (default: 1000)"
    compare.add_argument("--pairs", type=_count, default=1000, metavar="N", help=pairs)
    compare.add_argument("--seed", type=int, default=1, metavar="S", help="which random points (default: 1)")
    for name, dest in zip(ENDS, ("start", "end"), strict=True):
        compare.add_argument(name, dest=dest, type=point, metavar="X,Y,Z", help="this pair instead; metres, y up")
    _add_output(compare, "PICTURE", "draw one path in every way")
    _add_json_flag(compare)


def add_picture_flags(picture: argparse.ArgumentParser) -> None:
    of_file = "a navmesh: .bin, .json, .glb, .tres or .tscn; with --view a level, as `navcore build` takes it"
    add_file(picture, "file", "FILE", of_file)
    _add_output(picture, "PICTURE", ".svg or .png", required=True)
    width = "of the whole picture (default: 1000)"
    picture.add_argument("--width", type=int, default=1000, metavar="POINTS", help=width)
    add_file(picture, "--beneath", "LEVEL", "draw this mesh under the navmesh")
    contours = "draw a line of equal height every so many metres"
    picture.add_argument("--contours", type=_spacing, metavar="M", help=contours)
    view = "what a stage makes of the level: REASONS, REGIONS, CONTOURS, POLYGONS, TILES …"
    picture.add_argument("--view", metavar="NAME", help=view)
    picture.add_argument("--variant", default="", metavar="NAME", help="another form of the view")
    for name, default, beyond in (("lowest", -math.inf, "lower"), ("highest", math.inf, "higher")):
        text = f"cut away from the view what lies {beyond}"
        picture.add_argument(f"--{name}", type=float, default=default, metavar="M", help=text)
    level = "how far a view that shows steps is, 0 to 1"
    picture.add_argument("--level", type=float, default=1.0, metavar="PART", help=level)
    _add_settings_file(picture)
    _add_scene_file(picture, "bounds, area volumes, links, areas by name")
    add_axes_flags(picture)
    add_setting_flags(picture)


def add_page_flags(page: argparse.ArgumentParser) -> None:
    add_file(page, "file", "NAVMESH", "a navmesh of any format that is read: .bin, .json, …")
    _add_output(page, "NAME.html", "the page", required=True)
    add_file(page, "--level", "LEVEL", "the mesh beneath, as `navcore build` takes it")
    add_file(page, "--compare", "BEFORE", "also show this navmesh, and what changed since")
    add_file(page, "--report", "FILE.json", "also show a build's warnings and tests")
    _add_scene_file(page, "also show the seeds of a scene")
    add_file(page, "--heat", "HEAT.json", "also show what `navcore walk --heat` wrote")
    add_file(page, "--cover", "COVER.json", "also show what `navcore cover` wrote")
    add_switch(page, "--quiet", "say nothing unless it fails")
    add_axes_flags(page)


def add_cover_flags(cover: argparse.ArgumentParser) -> None:
    add_file(cover, "file", "LEVEL|NAVMESH", "a mesh, as for build; with --level a navmesh of any format")
    places = "where places go; .glb and .tscn have them as nodes, .svg and .png draw them. May be given several times"
    _add_output(cover, "COVER.json", places, dest="outputs", action="append", required=True)
    add_file(cover, "--level", "LEVEL", "the mesh that the navmesh was built from")
    spacing = "between places along a wall (default: 0.5)"
    cover.add_argument("--spacing", type=_spacing, default=0.5, metavar="METRES", help=spacing)
    _add_settings_file(cover)
    _add_scene_file(cover, "bounds, area volumes, links, areas by name")
    _add_threads_flag(cover, "work")
    add_switch(cover, "--quiet", _QUIET)
    add_axes_flags(cover)
    add_setting_flags(cover)


def add_world_flags(world: argparse.ArgumentParser) -> None:
    acts = (
        "plan: what would be built and why; build: build that; check: whether files, manifest and borders fit; "
        "info: what is there"
    )
    world.add_argument("act", choices=("plan", "build", "check", "info"), help=acts)
    add_file(world, "file", "WORLD.json", "settings, bounds, and sections of mesh files")
    add_file(world, "-o", "FOLDER", "where its files are (default: beside WORLD.json)", dest="folder")
    _add_several(world, "--only", "NAME", "this section alone; may be given several times")
    _add_store_flag(world)
    add_reference_flag(world)
    world.add_argument("--dask", metavar="ADDRESS", help="build tiles on the Dask cluster with this scheduler")
    _add_threads_flag(world)
    _add_json_flag(world)
    add_switch(world, "--quiet", _QUIET)


def add_explain_flags(explain: argparse.ArgumentParser) -> None:
    explain.add_argument("code", metavar="CODE", help="as it stands in messages and reports, such as NOT_FINITE")


def add_prepare_flags(prepare: argparse.ArgumentParser) -> None:
    add_switch(prepare, "--usual", "only those of usual settings: three quarters of the time")
    add_switch(prepare, "--quiet", "say nothing unless it fails")


def _add_several(parser: argparse.ArgumentParser, name: str, metavar: str, text: str, **more: Any) -> None:
    """A flag that may be given several times."""
    parser.add_argument(name, action="append", default=[], metavar=metavar, help=text, **more)


def _add_output(parser: argparse.ArgumentParser, metavar: str, text: str, **more: Any) -> None:
    parser.add_argument("-o", "--output", type=Path, metavar=metavar, help=text, **more)


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
