"""Rules of the house that no other tool checks: rooms and who may import whom, sizes, names, and typed results."""

import ast
import itertools
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from navcore.build_warning import WARNING_CODES
from tests.house import (
    ADDON,
    HALL,
    NAVCORE,
    PACKAGES,
    ROOT,
    absolute_imports,
    any_in_results,
    arrows,
    circle_in,
    class_names,
    name_of,
    parameters_of,
    public_functions,
    room_of,
)
from tools.docs_site.codes_in_sources import WARNING, codes_in_sources

BLENDER = {"bpy", "bmesh", "gpu", "mathutils", "bl_ext"}
OURS = {"navcore", "navmesh_addon"}
EVERYTHING = [*NAVCORE, *ADDON]

# --- rooms

ROOMS = {
    "navcore": (
        {HALL, "kernels", "files", "codes"}, {"geometry"}, {"stages"}, {"result"}, {"detour"}, {"navquery"},
        {"shortest_paths", "clearance", "path_comparison"}, {"questions"}, {"surroundings"},
        {"by_hand", "cover", "crowd", "link_finder"},
        {"builder", "formats", "pictures", "views"}, {"tile_cache", "world"}, {"difference"}, {"reasons"}, {"page"},
        {"compile_ahead"}, {"commands"},
    ),
    "navmesh_addon": (
        {HALL}, {"stored"}, {"gather"}, {"builds"}, {"objects"}, {"watch", "files", "views"},
        {"ask", "live", "picking"}, {"interface", "command"},
    ),
}  # fmt: skip
"""Floors from the ground up. A room imports rooms below its own floor, and nothing of its floor but itself."""
DOORS = {
    "navcore/__init__.py",  # the public names
    "navcore/__main__.py",  # the command
    "navcore/cluster.py",  # a documented way in: `from navcore.cluster import dask_executor`
}
"""Files of the hall that lead into rooms, and that no room imports."""
DOWNWARDS = "Rooms import downwards only; the order is in ROOMS."
NO_CIRCLE = "The files and folders in a folder import each other without a circle."
STAGES_ALONE = "Stages know nothing of each other: each takes a bundle and returns the next."
ONE_ORDER = "Only builder/ knows the stages and their order."
BY_FACES = "The add-on knows navcore by the files in FACES alone."

FACES = {
    "navcore/__init__.py",  # stitch_tiles
    # what is built from, and with what
    "navcore/agent_sizes.py",
    "navcore/settings.py",
    "navcore/level_source.py",
    "navcore/resolution.py",
    "navcore/scene.py",
    "navcore/area_types.py",
    "navcore/types.py",
    "navcore/errors.py",
    "navcore/progress.py",
    "navcore/report.py",
    "navcore/build_warning.py",
    # where it is explained
    "navcore/help_pages.py",
    "navcore/codes/__init__.py",
    "navcore/geometry/grid_limits.py",
    "navcore/geometry/tile_key.py",
    # a mesh that is the navmesh
    "navcore/by_hand/from_polygons.py",
    "navcore/by_hand/given_faces.py",
    # building
    "navcore/builder/build_level.py",
    "navcore/builder/edit_marks.py",  # what is said of an edit
    "navcore/builder/rebuilt_stages.py",
    "navcore/builder/parts/level.py",
    "navcore/builder/memory_and_time_forecast.py",
    "navcore/kernels/kept_kernels.py",
    "navcore/compile_ahead/said_meanwhile.py",
    "navcore/compile_ahead/starter.py",
    "navcore/compile_ahead/waiting.py",
    "navcore/compile_ahead/usual_kernels.py",
    # the finished navmesh, and what it is asked
    "navcore/result/navmesh.py",
    "navcore/wide_links.py",
    "navcore/result/draped_edges.py",
    "navcore/detour/doors.py",  # flags of polygons under doors
    "navcore/tile_cache/tile_cache.py",
    "navcore/tile_cache/cache_content.py",  # settings that a tile cache may have
    "navcore/tile_cache/cache_files.py",
    "navcore/detour/queries/islands.py",
    "navcore/difference/compare.py",
    "navcore/difference/difference_picture.py",
    "navcore/questions/nav_query.py",
    "navcore/navquery/query_filter.py",
    "navcore/navquery/answers.py",
    "navcore/views/picture.py",
    "navcore/views/heat_faces.py",
    "navcore/views/cover_faces.py",
    "navcore/cover/find_cover.py",
    "navcore/cover/sight.py",
    "navcore/formats/cover_files.py",
    "navcore/views/catalog.py",
    "navcore/reasons/why.py",
    "navcore/reasons/reason.py",
    "navcore/reasons/intent.py",
    "navcore/reasons/intent_outcome.py",
    "navcore/navquery/status.py",
    "navcore/crowd/crowd.py",
    "navcore/crowd/heat/heat.py",
    "navcore/crowd/heat/narrow_places.py",
    "navcore/crowd/heat/heat_recorder.py",
    "navcore/crowd/states.py",
    "navcore/crowd/track.py",
    "navcore/questions/island_joins.py",
    "navcore/questions/nearest_pair.py",
    "navcore/detour/queries/measure.py",
    "navcore/detour/queries/prune.py",
    "navcore/detour/queries/seeds.py",
    # files
    "navcore/formats/__init__.py",
    "navcore/formats/file_axes.py",
    "navcore/formats/target_catalog.py",
    "navcore/formats/mesh_measures.py",
    "navcore/formats/plain_navmesh.py",
    "navcore/formats/plain_faces.py",  # what was imported, as a navmesh
    "navcore/page/page_arrays.py",
    "navcore/page/write_page.py",
    "navcore/formats/target_names.py",
    "navcore/files/atomic_write.py",
    "navcore/files/strict_json.py",
    # the command
    "navcore/commands/acceptance_gates.py",
    "navcore/commands/intent_files.py",
    "navcore/commands/exit_status.py",
    "navcore/commands/settings_flags.py",
    "navcore/commands/unchanged_stamps.py",
    "navcore/commands/console.py",
    "navcore/commands/progress_line.py",
    "navcore/commands/one_build.py",
    "navcore/commands/command_flags.py",
    "navcore/commands/navmesh_files/world_command.py",
    # worlds in sections
    "navcore/world/world_file.py",
    "navcore/world/blender_levels.py",
    "navcore/world/build_world.py",
    "navcore/world/check_world.py",
    "navcore/world/section_grid.py",
    "navcore/detour/reader.py",
    "navcore/version.py",
}
"""What the add-on imports of navcore. A new one is a decision: it ties both sides together."""


def floor_of(path: Path) -> int:
    package, room = room_of(path)
    return next(number for number, rooms in enumerate(ROOMS[package]) if room in rooms)


def test_every_room_has_its_floor() -> None:
    rooms = {room_of(path) for path in EVERYTHING if "presets" not in path.parts}
    assert rooms == {(package, room) for package, floors in ROOMS.items() for room in set.union(*floors)}


def test_rooms_import_downwards_only() -> None:
    wrong = []
    for arrow in arrows():
        (package, room), (other_package, other) = room_of(arrow.source), room_of(arrow.target)
        if package != other_package or room == other or name_of(arrow.source) in DOORS:
            continue
        source, target = floor_of(arrow.source), floor_of(arrow.target)
        if target > source or (target == source and source > 0):
            wrong.append(f"{arrow}: {DOWNWARDS}")
    assert not wrong


def test_nobody_goes_through_a_door_from_inside() -> None:
    """A room that imported the public names would import every room above it."""
    wrong = [
        str(arrow) for arrow in arrows() if name_of(arrow.target) in DOORS and room_of(arrow.source)[0] == "navcore"
    ]
    assert not wrong


@pytest.mark.parametrize("folder", sorted({path.parent for path in EVERYTHING}), ids=name_of)
def test_there_is_no_circle(folder: Path) -> None:
    """Below each folder, sub-folders count as one."""
    links = []
    for arrow in arrows():
        if folder in arrow.source.parents and folder in arrow.target.parents and name_of(arrow.source) not in DOORS:
            source, target = (path.relative_to(folder).parts[0] for path in arrow)
            if source != target:
                links.append((source, target))
    circle = circle_in(links)
    assert not circle, f"{name_of(folder)}: {' → '.join(circle)}: {NO_CIRCLE}"


def stage_of(path: Path) -> str:
    """Which stage a file belongs to; "" for none."""
    parts = path.relative_to(ROOT).parts
    return parts[2].removesuffix(".py") if parts[:2] == ("navcore", "stages") and parts[2] != "__init__.py" else ""


def test_stages_know_nothing_of_each_other() -> None:
    wrong = [
        f"{arrow}: {STAGES_ALONE}"
        for arrow in arrows()
        if stage_of(arrow.source) and stage_of(arrow.target) not in ("", stage_of(arrow.source))
    ]
    assert not wrong


def test_the_order_of_the_stages_is_known_to_one_room_only() -> None:
    """Who uses three stages or more knows how they follow each other."""
    known: dict[Path, set[str]] = {}
    for arrow in arrows():
        if stage_of(arrow.target) and not stage_of(arrow.source):
            known.setdefault(arrow.source, set()).add(stage_of(arrow.target))
    wrong = [
        f"{name_of(path)} → {', '.join(sorted(stages))}: {ONE_ORDER}"
        for path, stages in known.items()
        if len(stages) > 2 and room_of(path) != ("navcore", "builder")
    ]
    assert not wrong
    assert known[ROOT / "navcore/builder/pipeline.py"] == {stage_of(path) for path in NAVCORE} - {""}


def test_the_add_on_knows_navcore_by_its_faces() -> None:
    used = {name_of(arrow.target): arrow for arrow in arrows() if room_of(arrow.source)[0] != room_of(arrow.target)[0]}
    assert not [f"{arrow}: {BY_FACES}" for face, arrow in used.items() if face not in FACES]
    assert set(used) == FACES, "nobody uses these faces any more"


def test_the_architecture_names_files_that_are_there() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z_]+(?:/[a-z_]+)+\.py)`", text))
    files = [
        f"/{name_of(path)}" for path in (*EVERYTHING, *(ROOT / "tools").rglob("*.py"), *(ROOT / "tests").rglob("*.py"))
    ]
    assert named and not {name for name in named if not any(file.endswith(f"/{name}") for file in files)}


# --- sizes

SMALL_FOLDER, SHORT_FILE, SHORT_FUNCTION = 24, 800, 60
SOURCES = [
    path
    for folder in (*PACKAGES, "tests", "tools", "benchmarks", "examples", "docs")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.is_file() and not {"__pycache__", "node_modules", "compiled", "manual"} & set(path.parts)
]


def test_folders_are_small() -> None:
    """One look is enough to see what there is."""
    counts = {folder: len(list(files)) for folder, files in itertools.groupby(sorted(p.parent for p in SOURCES))}
    assert not {name_of(folder): count for folder, count in counts.items() if count > SMALL_FOLDER}


def functions_of(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.parse(path.read_bytes())
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def length_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    assert function.end_lineno is not None
    return function.end_lineno - function.lineno + 1


@pytest.mark.parametrize("folder", [*PACKAGES, "tests", "tools", "benchmarks", "examples", "."])
def test_files_and_functions_are_short(folder: str) -> None:
    inside = [path for path in SOURCES if path.suffix == ".py" and ROOT / folder in path.parents]
    python = sorted(ROOT.glob("*.py")) if folder == "." else inside
    long = {name_of(path): lines for path in python if (lines := path.read_bytes().count(b"\n")) > SHORT_FILE}
    lengths = [(name_of(path), f.name, length_of(f)) for path in python for f in functions_of(path)]
    assert not long and not [place for place in lengths if place[2] > SHORT_FUNCTION]


@pytest.mark.parametrize("path", [p for p in EVERYTHING if p.name == "__init__.py"], ids=name_of)
def test_a_folder_says_what_lives_there(path: Path) -> None:
    """In one sentence, the first one of its face."""
    said = ast.get_docstring(ast.parse(path.read_bytes())) or ""
    assert said.split("\n")[0].rstrip().endswith("."), "begin with one sentence on one line"


# --- imports and types


@pytest.mark.parametrize("path", NAVCORE, ids=name_of)
def test_navcore_never_sees_blender(path: Path) -> None:
    wrong = [f"line {line}: {name}" for line, name in absolute_imports(path) if name in BLENDER]
    assert not wrong


@pytest.mark.parametrize("path", EVERYTHING, ids=name_of)
def test_imports_inside_the_extension_are_relative(path: Path) -> None:
    """Blender loads us as bl_ext.<repository>.navmesh: an absolute import would find nothing, or a second copy."""
    wrong = [f"line {line}: {name}" for line, name in absolute_imports(path) if name in OURS]
    assert not wrong


def test_the_root_of_the_extension_imports_nothing() -> None:
    """pytest imports it while collecting, and Blender at start-up: bpy and Numba must wait for register()."""
    body = ast.parse((ROOT / "__init__.py").read_bytes()).body
    assert not [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]


def is_typed(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    given = function.args
    arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
    named = [argument for argument in arguments if argument.arg not in ("self", "cls")]
    return function.returns is not None and all(argument.annotation for argument in named)


@pytest.mark.parametrize("path", EVERYTHING, ids=name_of)
def test_functions_are_typed(path: Path) -> None:
    """Kernels too: Numba finds the types by itself, readers can't."""
    functions = list(functions_of(path))
    nested = {inner for outer in functions for inner in ast.walk(outer) if inner is not outer}
    wrong = [f.name for f in functions if f not in nested and not is_typed(f)]
    assert not wrong, "annotate these"


# --- parameters, names and results

FEW_PARAMETERS = 8
MORE_PARAMETERS = {
    "setting": "declares one setting in one line of the table, each keyword a column of it",
}
"""Functions with more of them, at most ten, and why."""


def test_functions_take_few_parameters() -> None:
    """What belongs together travels in a bundle. Keywords of public functions are not counted."""
    public = public_functions()
    wide = {
        f.name
        for path in EVERYTHING
        for f in functions_of(path)
        if len(parameters_of(f, keywords=(path, f.name) not in public)) > FEW_PARAMETERS
    }
    assert wide == set(MORE_PARAMETERS)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_class_name_means_one_thing(package: str) -> None:
    """Aliases of types as well: who searches for a name finds one place."""
    names = Counter(name for path in EVERYTHING if room_of(path)[0] == package for name in class_names(path))
    assert not {name for name, count in names.items() if count > 1}


@pytest.mark.parametrize("package", PACKAGES)
def test_a_file_name_means_one_thing(package: str) -> None:
    files = Counter(path.name for path in EVERYTHING if room_of(path)[0] == package and "presets" not in path.parts)
    assert not {name for name, count in files.items() if count > 1} - {"__init__.py", "__main__.py"}


ANY_IN_RESULTS = {
    "LevelMesh.triangles": "of any whole numbers, as files have them; a narrower type would break those who make one",
    "LevelMesh.vertices": "likewise, of any floats",
}


def test_public_results_are_typed() -> None:
    """What the public functions return has types all through. `dict[str, Any]` is what JSON is made of."""
    assert set(any_in_results()) == set(ANY_IN_RESULTS)


# --- words


def test_every_code_of_a_warning_is_registered_and_occurs() -> None:
    """A gate on a code that no warning has would never close."""
    assert {given.code for given in codes_in_sources() if given.kind == WARNING} == WARNING_CODES
