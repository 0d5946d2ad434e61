"""Warnings: every one of every code is whole sentences, the last of which says what to do."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from navcore import (
    BoxVolume,
    LinkEdits,
    NavmeshEdits,
    NavQuery,
    Settings,
    TileCache,
    build_navmesh,
    navmesh_from_polygons,
    read_navmesh,
)
from navcore.build_warning import WARNING_CODES, BuildWarning, in_words, place_in_words
from navcore.builder.build_limits import LONG_SECONDS, check_time
from navcore.builder.repair.repair_warnings import BrokenMesh, left_broken, left_out, was_mended
from navcore.builder.validate.invariants import POLYGON_RULES, REGION_RULES, VERTEX_RULES, Violation
from navcore.detour.queries.prune import prune_navmesh
from navcore.formats import write_navmesh
from navcore.formats.mesh_files import read_mesh
from navcore.formats.mset import border_warnings
from navcore.formats.target_catalog import ExportOptions
from navcore.level_source import LevelSource
from navcore.link_finder import find_links
from navcore.questions.moved_ends import moved_ends
from navcore.result.navmesh import NavMesh
from navcore.scene import Block, CylinderVolume, Drop, Link, PatchEdit, Scene
from navcore.stages import detail
from navcore.stages.contours.holes import HOLE, OUTLINE, STUCK, _sentences
from navcore.stages.detail.build_detail import _warnings as detail_warnings
from navcore.stages.detail.sampling import KINDS, TALLY_SLOTS
from navcore.stages.polygons.mesh import _warnings as polygon_warnings
from navcore.threads import Workers
from tests import scenes
from tests.house import ADDON, NAVCORE
from tests.navcore.formats.glb_files import square
from tests.navcore.stages.contours import flat_worlds
from tests.navcore.stages.detail.detail_scenes import large_scene
from tests.wide_links import platforms, wide

PLACE = (1.0, 2.0, 3.0)
ADVICE = re.compile(
    r"(Raise|Lower|Change|Clear|Convert|Delete|Divide|Export|Flip|Give|Look|Mark|Move|Choose|Make|Place|Prune|Put|Scale|Set|Triangulate|Turn|Use|Weld)\b"
)
OF_CACHES = {
    "LAYERS_BEYOND_RECAST", "LAYERS_LOST", "OBSTACLES_LEFT_OUT", "OBSTACLE_OFF_LEVEL", "TILE_CACHE_ROOM",
    "TILE_NOT_MADE",
}  # fmt: skip
OF_FILES_READ = {"DOORS_RENUMBERED"}
OF_HANDS = {"EDGES_APART", "EDIT_CUT_OFF", "EDIT_SHIFTED", "EDIT_UNUSED", "MOVED_FAR"}
LOST = {"PATH_LOST", "PLACE_LOST"}  # of what must be there
READ = {"FACES_NOT_CUT", "LINES_LEFT_OUT", "NAME_NOT_FOUND", "PARTS_LEFT_OUT"}  # their place is one in a file
EVERYWHERE = {
    "GODOT_CELLS",
    "LINKS_THINNED",
    "LINK_DISTANCE_SHORTENED",
    "LOST_IN_EXPORT",
    "NOT_IN_GSET",
    "TAKES_LONG",
}  # about all of it: no place


def advice_of(message: str) -> str:
    """Its last sentence."""
    return re.split(r"(?<=[.:?]) (?=[A-Z])", message.rstrip("."))[-1]


def violations() -> list[Violation]:
    kinds = (("Polygon", POLYGON_RULES), ("Vertex", VERTEX_RULES), ("Region", REGION_RULES))
    rules = [(noun, rule) for noun, rules in kinds for rule in rules]
    return [
        Violation(rule.code, f"{noun} {number} {rule.text}.", PLACE, -1, number, rule.invariant)
        for number, (noun, rule) in enumerate(rules, 1)
    ]


@cache
def plaza() -> NavMesh:
    return build_navmesh(*scenes.plaza(3))


def outlines() -> list[BuildWarning]:
    rings = flat_worlds.contours_of(*((1, flat_worlds.SQUARE),) * 2, (1, flat_worlds.HOLE), (2, flat_worlds.HOLE))
    wrong = _sentences(rings, np.array([OUTLINE, OUTLINE, STUCK, HOLE], np.uint8))
    assert len(wrong) == 3
    return [BuildWarning("OUTLINES", holes.said, PLACE) for holes in wrong]


def contours() -> list[BuildWarning]:
    rings = flat_worlds.contours_of((1, flat_worlds.SQUARE), (1, flat_worlds.HOLE))
    grid = plaza().tiles[0].polygon_mesh.grid
    return polygon_warnings(rings, grid, np.array([0, 1], np.uint8), 0)


def details() -> list[BuildWarning]:
    tally = np.zeros(TALLY_SLOTS, np.int64)
    tally[:KINDS], tally[KINDS:] = 1234, 2
    told = detail_warnings(plaza().tiles[0].polygon_mesh, tally)
    assert len(told) == KINDS
    return told


def overlaps() -> list[BuildWarning]:
    warnings = build_navmesh(*scenes.spiral(), Settings(repair=False)).report.warnings
    return [warning for warning in warnings if warning.code == "REGIONS_OVERLAP"]


def takes_long() -> list[BuildWarning]:
    return [BuildWarning("TAKES_LONG", check_time(2 * LONG_SECONDS, 0.3, 1))]


def seeds() -> list[BuildWarning]:
    return prune_navmesh(plaza(), [(1, 0, 1), (99, 0, 99)]).report.warnings


def links() -> list[BuildWarning]:
    link = Link(start=(1, 0, 1), end=(1, 30, 1))
    return build_navmesh(*scenes.plaza(3), links=[link]).report.warnings


def exported(tmp_path: Path) -> list[BuildWarning]:
    """What formats say of islands of one polygon, of a link into the air, of settings and volumes."""
    mesh = scenes.join([scenes.box(6.0 * k, -1, 0, 5, 1, 5) for k in range(3)])
    volume = CylinderVolume(area=2, base=PLACE, radius=1, height=2)
    apart = build_navmesh(
        *mesh, Settings(median_filter=True, cell_size=0.05, cell_height=0.05, agent_radius=0.1), volumes=[volume],
        links=[Link(start=(1, 0, 1), end=(1, 30, 1))],
    )  # fmt: skip
    options = ExportOptions(level=LevelSource(*mesh, volumes=(volume,)), godot_cell_size=0.02, godot_cell_height=0.02)
    paths = [tmp_path / name for name in ("n.pathfinding.glb", "n.tscn", "n.tres", "n.gset")]
    warnings = [warning for path in paths for warning in write_navmesh(apart, path, options=options)]
    wide_links = [wide("drop", ((5, 2, 1), (5, 2, 9), (5, 60, 1), (5, 60, 9)), 1 + k) for k in range(100)]
    for path in (tmp_path / "n.bin", tmp_path / "n.gset"):  # into the air, and more than there is room for
        warnings += write_navmesh(platforms(*wide_links), path, options=options)
    return warnings


def wide_links() -> list[BuildWarning]:
    """What is said of links that were kept, where a pole stands in the way of one and another lies in the air."""
    level = scenes.join([scenes.box(0, 0, 0, 9, 9, 9), scenes.box(10.5, 0, 0, 9, 9, 9)])
    settings = Settings(generate_links=True, tile_size=16, link_jump_distance=30)
    found = build_navmesh(*level, settings)
    (jump,) = found.wide_links
    a, b, c, d = ((x, y, z + 40) for x, y, z in jump.corners)
    pole = scenes.box(9.7, 0, (jump.corners[0][2] + jump.corners[1][2]) / 2, 0.1, 14, 0.1)
    edits = LinkEdits(kept=(jump, replace(jump, corners=(a, b, c, d))))
    again = build_navmesh(*scenes.join([level, pole]), settings, link_edits=edits)
    return [*found.report.warnings, *again.report.warnings]


MADE: dict[str, Callable[[], list[BuildWarning]]] = {
    "BROKEN": lambda: [warning for one in violations() for warning in left_broken([one])],
    "REPAIRED": lambda: [warning for one in violations() for warning in was_mended([one])],
    "GROUND_LEFT_OUT": lambda: [left_out(12, PLACE, plaza().tiles[0].polygon_mesh.grid)],
    "OUTLINES": outlines,
    "POLYGONS": contours,
    "DETAIL": details,
    "REGIONS_OVERLAP": overlaps,
    "TAKES_LONG": takes_long,
    "SEED_OFF_NAVMESH": seeds,
    "BORDER_LINKS": lambda: border_warnings(3, PLACE),
    "LINK_UNATTACHED": links,
}
EXPORTED = {
    "CYLINDER_AS_PRISM", "GODOT_CELLS", "LINKS_LEFT_OUT", "LINK_TOO_FAR", "LOST_IN_EXPORT", "NOT_IN_GSET",
    "YUKA_ISLANDS",
}  # fmt: skip
FOUND = {"LINK_BLOCKED", "LINK_DISTANCE_SHORTENED", "LINK_ENDS_NOWHERE", "LINKS_THINNED"}
ODD = {  # tests/navcore/builder/odd_input
    "CLIMB_ABOVE_HEIGHT", "CLIMB_BELOW_CELL", "EDGE_ERROR_TOO_LARGE", "FACES_DOWN", "HEIGHT_BELOW_CELLS",
    "INDICES_FROM_ONE", "NO_FLAGS", "OUTLIER", "SLOPE_IN_RADIANS", "VOLUME_UNUSED", "WRONG_AXIS", "WRONG_UNIT",
}  # fmt: skip
GATHERED = {"BAD_MARKER", "FLIPPED", "NOT_CONVEX", "NOT_FINITE", "ODD_ATTRIBUTE", "ZERO_SCALE"}
STORED = {"STORE_DAMAGED", "STORE_NOT_WRITTEN"}  # tests/navcore/builder/test_tile_store_files.py and …_refusals.py
MISSING = {"MISSING_DATA", "MISSING_LIBRARY", "MODIFIER_FAILED"}  # tests/blender/gather/test_missing_sources.py


def check(warning: BuildWarning) -> None:
    assert ADVICE.match(advice_of(warning.message)), warning
    assert warning.message[0].isupper() or warning.message[0].isdigit()
    assert warning.message.endswith(".") and not re.search(r"\de[-+]?\d", warning.sentence), "numbers for people"
    assert (warning.place is None) == (warning.code in EVERYWHERE), warning
    assert warning.place is None or warning.sentence.endswith(f" At {place_in_words(warning.place)}.")


@pytest.mark.parametrize("code", MADE)
def test_warnings_of_builds_have_a_place_and_end_in_an_advice(code: str) -> None:
    warnings = MADE[code]()
    assert warnings and {warning.code for warning in warnings} == {code}
    for warning in warnings:
        check(warning)


def test_warnings_of_links_end_in_an_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_links, "MAX_LINKS", 1)
    warnings = wide_links()
    assert {warning.code for warning in warnings} == FOUND
    for warning in warnings:
        check(warning)


def test_warnings_of_files_end_in_an_advice(tmp_path: Path) -> None:
    warnings = exported(tmp_path)
    assert {warning.code for warning in warnings} == EXPORTED
    for warning in warnings:
        check(warning)


def test_warnings_of_levels_that_are_read_end_in_an_advice(tmp_path: Path) -> None:
    lines = "v 0 0 0\nv 0 0 9\nv 9 0 0\nv 9 0 9\nf 1 2 4 3\nf 1 2 3 4\nsurf 0 1\n"
    (tmp_path / "m.obj").write_text(lines)
    skinned = square()
    skinned.node(mesh=0, skin=0)
    skinned.write(tmp_path / "m.glb")
    scene = Scene(materials={"water": 1}, groups={"Road": 2})
    warnings = [warning for name in ("m.obj", "m.glb") for warning in read_mesh(tmp_path / name, scene).warnings]
    assert {warning.code for warning in warnings} == READ
    for warning in warnings:
        assert ADVICE.match(advice_of(warning.message)) and warning.message.startswith(("m.obj", "m.glb"))


def told_by_gathering() -> list[tuple[str, str]]:
    """Codes and texts of the add-on: the strings of calls that note something about an object."""
    told = []
    for path in ADDON:
        for node in ast.walk(ast.parse(path.read_bytes())):
            texts = [child for child in ast.walk(node) if isinstance(child, ast.Constant | ast.JoinedStr)]
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
                ("Note", "_note", "_notes.append", "Hint")
            ):
                words = [ast.unparse(text).strip("f'\"") for text in texts]
                told += [(words[0], word) for word in words[1:2] if words[0] in GATHERED]
    return told


def test_warnings_of_gathering_end_in_an_advice() -> None:
    told = told_by_gathering()
    assert {code for code, _ in told} >= GATHERED - {"NOT_CONVEX"}
    for code, text in told:
        assert ADVICE.match(advice_of(text)), (code, text)


def test_warnings_of_what_is_lost_end_in_an_advice() -> None:
    path = next(path for path in ADDON if path.name == "intent_check.py")
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "BuildWarning":
            assert isinstance(node.args[0], ast.Constant) and node.args[0].value in LOST
            text = ast.unparse(node.args[1]).strip("f'\"").replace("{_why(row)}", "A reason.")
            assert ADVICE.match(advice_of(text)), text


def test_warnings_of_tile_caches_end_in_an_advice() -> None:
    told = set()
    for path in [path for path in NAVCORE if path.parent.name == "tile_cache"]:
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "BuildWarning":
                assert isinstance(node.args[0], ast.Constant)
                told.add(node.args[0].value)
    assert told == OF_CACHES
    plain = np.float32([[0, 0, 0], [0, 0, 20], [20, 0, 20], [20, 0, 0]]), np.int32([[0, 1, 2], [0, 2, 3]])
    cache = TileCache(*plain, Settings(tile_size=32), threads=1)
    cache.add_cylinder((5, 9, 5), 1, 1)
    cache.update()
    [warning] = cache.warnings
    assert warning.code == "OBSTACLE_OFF_LEVEL" and warning.place == (5, 9, 5)
    [left_out] = TileCache.from_bytes(*cache.files(), exact=True).warnings
    assert left_out.code == "OBSTACLES_LEFT_OUT"
    assert ADVICE.match(advice_of(warning.message)) and ADVICE.match(advice_of(left_out.message))


def test_warnings_of_navmeshes_that_are_read_end_in_an_advice(tmp_path: Path) -> None:
    plane = np.float32([[0, 0, 0], [0, 0, 20], [20, 0, 20], [20, 0, 0]]), np.int32([[0, 1, 2], [0, 2, 3]])
    gate = BoxVolume(door="gate", min=(9, -1, 8), max=(11, 3, 12))
    write_navmesh(build_navmesh(*plane, Settings(tile_size=16), volumes=[gate]), tmp_path / "hall.json")
    navmesh = read_navmesh(tmp_path / "hall.json")
    assert isinstance(navmesh, NavMesh)
    assert {warning.code for warning in navmesh.report.warnings} == OF_FILES_READ
    assert all(ADVICE.match(advice_of(warning.message)) for warning in navmesh.report.warnings)


def test_warnings_of_what_hands_made_end_in_an_advice() -> None:
    plane = np.float32([[0, 0, 0], [0, 0, 20], [20, 0, 20], [20, 0, 0]]), np.int32([[0, 1, 2], [0, 2, 3]])
    outline = ((40.0, 40.0), (44.0, 40.0), (44.0, 44.0))
    unused = Block(name="Sill", outline=outline, min_height=-1.0, max_height=1.0)
    fewer = Block(name="Door", outline=((2.0, 2.0), (4.0, 2.0), (4.0, 4.0)), min_height=-1.0, max_height=1.0, cells=999)
    edits = NavmeshEdits(block=(unused, fewer), drops=(Drop(at=(10.0, 0.0, 10.0), m2=5.0, name="Roof"),))
    navmesh = build_navmesh(*plane, edits=edits)
    told = [*navmesh.report.warnings]
    beyond = PatchEdit(vertices=((18, 0, 4), (18, 0, 8), (26, 0, 8), (26, 0, 4)), faces=((0, 1, 2, 3),), name="Deck")
    told += build_navmesh(*plane, edits=NavmeshEdits(patch=(beyond,))).report.warnings
    told += [
        end.warning for end in moved_ends(navmesh, NavQuery(navmesh), [("start", (0.0, 1.5, 10.0))]) if end.warning
    ]
    corners = [[0, 0, 0], [0, 0, 4], [4, 0, 4], [4, 0, 0], [4.2, 0, 0], [4.2, 0, 4], [8, 0, 4], [8, 0, 0]]
    told += navmesh_from_polygons(corners, [[0, 1, 2, 3], [4, 5, 6, 7]]).report.warnings
    assert {warning.code for warning in told} == OF_HANDS
    assert all(ADVICE.match(advice_of(warning.message)) and warning.place for warning in told), told


def test_every_code_is_looked_at() -> None:
    passed_on = {"LINKS_NOT_CHECKED", "LINKS_NOT_FOUND"}  # with the sentence of an error, which has its way out
    known = set(MADE) | EXPORTED | GATHERED | MISSING | STORED | READ | FOUND | LOST | ODD | OF_CACHES | OF_HANDS
    known |= OF_FILES_READ
    assert known | passed_on == WARNING_CODES


def test_a_mesh_that_cannot_be_mended_says_where_and_what_to_do() -> None:
    for violation in violations():
        message = str(BrokenMesh([violation]))
        assert ADVICE.match(advice_of(message)) and "(1, 2, 3)" in message


def test_numbers_are_written_for_people() -> None:
    assert [in_words(v) for v in (1.11022e-16, -1e-9, 0.5, 1234567.25, -2.0, 1e-3)] == [
        "0", "0", "0.5", "1,234,567.25", "-2", "0.001",
    ]  # fmt: skip
    assert in_words(1e29) == "1e+29" and in_words(float("nan")) == "nan"
    assert place_in_words((1.11022e-16, 2.5, -0.0)) == "(0, 2.5, 0)"


def test_a_place_of_detail_is_that_of_the_first_polygon_it_is_about() -> None:
    """Whatever thread comes to it first."""
    told = set()
    for seed in range(6):
        scene = large_scene(seed)
        notes: dict[int, list[BuildWarning]] = {1: [], 3: []}
        for threads, said in notes.items():
            with Workers(threads) as workers:
                detail.build_detail_mesh(*scene, workers, said)
        assert notes[1] == notes[3]
        told |= {note.place for note in notes[1]}
    assert len(told) > 2 and None not in told
