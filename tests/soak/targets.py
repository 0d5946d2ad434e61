"""All that reads bytes of unknown origin, as functions that return or refuse by name; anything else is a find."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from navcore import Settings, TileCache, build_navmesh
from navcore.build_warning import BuildWarning
from navcore.builder.checked_input import checked_geometry
from navcore.builder.fused_tile import StageCounts
from navcore.builder.pipeline import Piece, counts_of
from navcore.builder.tile_store.pack_files import BadTilePack, PackWriter, read_body, read_pack
from navcore.builder.tile_store.tile_records import BadRecord, StoredTile, packed, unpacked
from navcore.commands.intent_files import must_reach_json, path_tests_json, read_must_reach, read_path_tests
from navcore.cover.find_cover import Cover
from navcore.crowd.heat.heat import Heat, HeatColumns
from navcore.crowd.heat.narrow_places import Chokepoint
from navcore.detour.reader import read_navmesh
from navcore.errors import NavmeshError, NothingWalkable
from navcore.files.npz import npz_bytes, read_npz
from navcore.files.strict_json import json_text, load_json
from navcore.formats import read_navmesh_bytes, write_navmesh
from navcore.formats.cover_files import read_cover, write_cover
from navcore.formats.file_facts import file_facts
from navcore.formats.gltf.level_reader import read_gltf
from navcore.formats.heat_files import read_heat, write_heat
from navcore.formats.json_mesh import json_bytes
from navcore.formats.mset import mset_bytes
from navcore.formats.obj.obj_reader import read_obj
from navcore.formats.plain_from_detour import plain_of_file
from navcore.formats.plain_navmesh import plain_navmesh
from navcore.formats.trimesh_files import read_by_trimesh
from navcore.page.page_arrays import Beside
from navcore.scene import load_scene
from navcore.tile_cache.obstacle_files import as_obstacles
from navcore.world.blender_levels import BlendMesh, kept_level
from navcore.world.check_world import check_world, world_facts
from navcore.world.section_files import (
    MANIFEST,
    SectionKeys,
    Stamp,
    manifest_of,
    read_manifest,
    read_stamp,
    remove_gone,
    write_stamp,
)
from navcore.world.section_grid import SectionGrid
from navcore.world.section_meshes import KNOWN_MESHES, known_in
from navcore.world.world_file import World, read_world
from tests import scenes
from tests.navcore.detour.detour_examples import small_file
from tests.navcore.formats.glb_files import GltfFile, square
from tests.navcore.formats.trimesh_examples import FILES

_FOLDER = Path(tempfile.gettempdir())
_OURS = f"navmesh-fuzz-{os.getpid()}"  # two processes may try one ending at a time


class Target(NamedTuple):
    """One reader, files that it takes, and words that are worth trying."""

    run: Callable[[bytes], object]
    seeds: Callable[[], list[bytes]]
    words: tuple[str, ...] = ()


def refuses_or_reads(target: Target, content: bytes) -> bool:
    """Whether the content was read. Whatever is raised from here has no name and is a find."""
    try:
        target.run(content)
    except NavmeshError as refusal:
        if not refusal.code or not str(refusal):
            raise AssertionError("a refusal without a code or a sentence") from refusal
        return False
    return True


def _detour(content: bytes) -> None:
    """What was read can be counted, linked anew and written in other formats, and says the same again."""
    file = read_navmesh(content)
    path = _written(content, ".bin")
    file_facts(path)
    plain_of_file(file)


def _tile_cache(content: bytes) -> None:
    """What was read is written again as it is, and its navmesh is a sound file."""
    cache = TileCache.from_bytes(content)
    if len(cache.files()[0]) != len(content):
        raise AssertionError("the cache does not come back")
    cache.add_cylinder((1, 0, 1), 1, 2)
    cache.update()
    read_navmesh(mset_bytes(cache.navmesh))


def _settings(content: bytes) -> None:
    values = load_json(content, "settings")
    settings = Settings.from_mapping(values if isinstance(values, dict) else {})
    if Settings.from_mapping(settings.to_mapping()) != settings:
        raise AssertionError("settings do not come back")
    settings.in_voxels()


def _scene(content: bytes) -> None:
    scene = load_scene(load_json(content, "scene"))
    if load_scene(json.loads(json.dumps(scene.to_mapping()))) != scene:
        raise AssertionError("the scene does not come back")


def _obj(content: bytes) -> None:
    """Both ways to read it give the same bytes, or refuse it in the same words."""
    path = _written(content, ".obj")
    plain, by_kernel = (_what_obj_holds(path, by_kernel) for by_kernel in (False, True))
    if plain != by_kernel:
        raise AssertionError("the two ways to read lines differ")
    if isinstance(plain, str):
        raise NavmeshError(plain)
    mesh = read_obj(path)
    checked_geometry(mesh.vertices, mesh.triangles, mesh.areas)


def _what_obj_holds(path: Path, by_kernel: bool) -> str | tuple[object, ...]:
    """All bytes and warnings, or why it was refused."""
    try:
        mesh = read_obj(path, {"a*": 2, "b": 0}, {"[gh]?": 3}, by_kernel=by_kernel)
    except NavmeshError as refused:
        return f"{refused.code}: {refused}"
    return mesh.vertices.tobytes(), mesh.triangles.tobytes(), np.asarray(mesh.areas).tobytes(), mesh.warnings


def _level(content: bytes) -> None:
    mesh = read_gltf(_written(content, ".glb"), {"a*": 2, "b": 0}, {"[gh]?": 3})
    checked_geometry(mesh.vertices, mesh.triangles, mesh.areas)


def _ply(content: bytes) -> None:
    _by_trimesh(content, ".ply")


def _stl(content: bytes) -> None:
    _by_trimesh(content, ".stl")


def _off(content: bytes) -> None:
    _by_trimesh(content, ".off")


def _by_trimesh(content: bytes, ending: str) -> None:
    mesh = read_by_trimesh(_written(content, ending), {}, {"[gh]?": 3})
    checked_geometry(mesh.vertices, mesh.triangles, mesh.areas)


def _npz(content: bytes) -> None:
    checked_geometry(*read_npz(_written(content, ".npz")))


def _tiles(content: bytes) -> None:
    """Packs of a tile store, and tiles as they are in them; what is damaged there is built again."""
    try:
        if not content.startswith(b"navmesh"):
            again = packed(unpacked(np.frombuffer(content, np.uint8).copy()))
            if packed(unpacked(np.frombuffer(again, np.uint8).copy())) != again:
                raise AssertionError("a tile does not come back")
            return
        pack = read_pack(_written(content, ".pack"))
        with pack.path.open("rb") as file:
            for line in pack.lines:
                unpacked(read_body(file, int(line["offset"]), int(line["size"]), line["key"].tobytes()))
    except (BadTilePack, BadRecord) as reason:
        raise NavmeshError(str(reason), "STORE_DAMAGED") from None


def _json(content: bytes) -> None:
    found = read_navmesh_bytes(content, ".json")
    again = read_navmesh_bytes(json_bytes(found), ".json")
    if json_bytes(again) != json_bytes(found):
        raise AssertionError("the JSON does not come back")


def _tres(content: bytes) -> None:
    read_navmesh_bytes(content, ".tres")


def _tscn(content: bytes) -> None:
    """What was read can be counted."""
    read_navmesh_bytes(content, ".tscn")
    file_facts(_written(content, ".tscn"))


def _glb(content: bytes) -> None:
    read_navmesh_bytes(content, ".glb")
    file_facts(_written(content, ".glb"))


def _written(content: bytes, ending: str) -> Path:
    path = _FOLDER / f"{_OURS}{ending}"
    path.write_bytes(content)
    return path


def _wide(content: bytes) -> None:
    """A set with 64-bit references; it says the same once it is written with 32 bits."""
    file = read_navmesh(content)
    file_facts(_written(content, ".bin"))
    plain_of_file(file)


def _world(content: bytes) -> None:
    """A world whose sections lie on one grid; it has a manifest that can be read again."""
    world = read_world(_written(content, ".world.json"))
    grid = SectionGrid(world)
    for number in range(len(world.sections)):
        grid.neighbors(number)
        grid.seen_ground(number)
    folder = _folder()
    (folder / MANIFEST).write_bytes(manifest_of(world, grid, [None] * len(world.sections)))
    if read_manifest(folder) is None:
        raise AssertionError("the manifest does not come back")


def _beside_worlds(content: bytes) -> None:
    """Whatever lies beside the navmeshes of a world: what is damaged is made anew, but a manifest is refused."""
    folder, blend = _folder(), BlendMesh("a", 0, Path("a.blend"))
    stamp_file, level_file = folder / "a.bin.stamp.json", blend.scene_in(folder)
    for path in (stamp_file, level_file, folder / KNOWN_MESHES, folder / MANIFEST):
        path.write_bytes(content)
    blend.mesh_in(folder).write_bytes(b"")
    stamp = read_stamp(folder, "a")
    if stamp is not None:
        write_stamp(folder, "a", stamp)
        if read_stamp(folder, "a") != stamp:
            raise AssertionError("the stamp does not come back")
    if stamp is None and kept_level(blend, folder) is None and not known_in(folder):
        world = _small_world()
        world_facts(world, folder)
        check_world(world, folder)
        remove_gone(folder, world)


def _cover(content: bytes) -> None:
    path = _written(content, ".json")
    cover = read_cover(path)
    for ending in (".json", ".glb", ".tscn"):
        write_cover(cover, path.with_suffix(ending))
    if read_cover(path).to_mapping() != cover.to_mapping():
        raise AssertionError("the cover does not come back")


def _heat(content: bytes) -> None:
    path = _written(content, ".json")
    heat = read_heat(path)
    write_heat(heat, path)
    if read_heat(path).to_mapping() != heat.to_mapping():
        raise AssertionError("the heat does not come back")


def _intents(content: bytes) -> None:
    """Path tests, or places that must be reached."""
    path = _written(content, ".json")
    if b'"tests"' in content:
        tests = read_path_tests(path)
        path.write_bytes(json_text(path_tests_json(tests)))
        same = read_path_tests(path) == tests
    else:
        places = read_must_reach(path)
        path.write_bytes(json_text(must_reach_json(places)))
        same = read_must_reach(path) == places
    if not same:
        raise AssertionError("what was meant does not come back")


def _obstacles(content: bytes) -> None:
    obstacles = as_obstacles(load_json(content, "obstacles"))  # type: ignore[arg-type]
    if as_obstacles([obstacle.to_mapping() for obstacle in obstacles]) != obstacles:
        raise AssertionError("the obstacles do not come back")


def _sidecar(content: bytes) -> None:
    """What lies beside the file of a tile cache."""
    cache = TileCache.from_bytes(_small_cache(), content)
    again = TileCache.from_bytes(*cache.files())
    if again.files() != cache.files():
        raise AssertionError("the sidecar does not come back")


def _report(content: bytes) -> None:
    Beside.of_report(load_json(content, "report"))


def _folder() -> Path:
    folder = _FOLDER / _OURS
    folder.mkdir(exist_ok=True)
    return folder


_WORLD = {
    "format": 1,
    "settings": {"tile_size": 32},
    "bounds": [0, 0, 0, 40, 2, 20],
    "sections": [
        {"name": "a", "meshes": ["a.obj"], "box": [0, 0, 20, 20]},
        {"name": "b 2", "meshes": [], "box": [20, 0, 40, 20]},
    ],
    "sizes": [{"name": "rat", "radius": 0.2, "height": 0.5}, {"name": "ogre", "radius": 1.2, "height": 3}],
}


@cache
def _small_world() -> World:
    return read_world(_written(json_text(_WORLD), ".world.json"))


def _world_seeds() -> list[bytes]:
    return [json_text(_WORLD), json_text({name: value for name, value in _WORLD.items() if name != "sizes"})]


def _beside_worlds_seeds() -> list[bytes]:
    """A stamp, a manifest, what is kept of a .blend file, and what is known of meshes."""
    folder, world = _folder(), _small_world()
    warning = BuildWarning("REPAIRED", "Mended.", (1.0, 2.0, 3.0))
    stamp = Stamp(SectionKeys("c", "s", "o", "r"), "x", {"b 2": "y"}, "z", ((0, 0, 0), (1, 0, 0)), 7, (warning,))
    write_stamp(folder, "a", stamp)
    kept = {"format": 1, "made_of": {"a.blend": "b"}, "scene": json.loads(_scene_seeds()[0]), "has_triangles": True}
    return [
        (folder / "a.bin.stamp.json").read_bytes(),
        manifest_of(world, SectionGrid(world), [stamp, stamp._replace(sha256=None)]),
        json_text(kept),
        json_text({"format": 1, "meshes": {"ab": [[0, 0, 0, 1, 1, 1], True]}}),
    ]


def _cover_seeds() -> list[bytes]:
    both, ways = np.float64([[1, 0, 2], [3, 1, 2]]), np.float64([[0, 0, 1], [1, 0, 0]])
    kinds, lean = np.array(["low", "high"]), np.array([[True, False], [False, False]])
    cover = Cover(both, ways, kinds, lean, np.float64([1.0, 2.0]), np.float64([0.5, 0.25]), np.zeros((0, 3)))
    return [json_text(cover.to_mapping())]


def _heat_seeds() -> list[bytes]:
    maps = (np.float64([[0, 1.5], [2, 0]]),) * 3
    columns = HeatColumns(0.5, np.float64([[1, 0, 2]]), *np.float64([[1], [2], [3]]))
    narrow = (Chokepoint((1.0, 0.0, 2.0), 1.2, 4.5, 3), Chokepoint((1.0, 0.0, 2.0), np.inf, 4.5, 3))
    return [json_text(Heat(0.5, (0.0, 0.0), *maps, narrow, np.zeros(0), columns).to_mapping())]


def _intents_seeds() -> list[bytes]:
    row = {"name": "to the exit", "from": [0, 0, 0], "to": [1, 2, 3], "within": 0.5}
    closed = {**row, "doors": {"gate": "closed"}, "expect": "unreachable"}
    flag = {"name": "flag", "point": [1, 2, 3], "within": 1}
    return [json_text({"tests": [row, closed]}), json_text({"points": [[1, 2, 3], flag]})]


_OBSTACLES = [
    {"kind": "cylinder", "at": [1, 0, 1], "radius": 1, "height": 2, "name": "barrel"},
    {"kind": "aabb", "min": [0, 0, 0], "max": [1, 2, 3]},
    {"kind": "box", "at": [3, 0, 3], "half": [1, 1, 2], "angle": 0.5},
]


def _obstacles_seeds() -> list[bytes]:
    return [json_text(_OBSTACLES), *(json_text([one]) for one in _OBSTACLES)]


@cache
def _small_cache() -> bytes:
    return _tile_cache_seeds()[0]


def _sidecar_seeds() -> list[bytes]:
    square_ = np.float32([[0, 0, 0], [0, 0, 9], [9, 0, 9], [9, 0, 0]]), np.int32([[0, 1, 2], [0, 2, 3]])
    door = {"shape": "box", "door": "gate", "min": [4, -1, 0], "max": [5, 2, 9]}
    links = [{"start": [1, 0, 1], "end": [8, 0, 8]}]
    cache_ = TileCache(*square_, Settings(tile_size=16), volumes=[door], links=links, threads=1)
    standing = {"format": 1, "obstacles": _OBSTACLES, "links": links, "areas": {"2": {"name": "road", "flags": 1}}}
    return [cache_.files()[1], json_text(standing)]


def _report_seeds() -> list[bytes]:
    warning = {"code": "REPAIRED", "message": "Mended.", "place": [1, 2, 3]}
    test = {"name": "t", "from": [0, 0, 0], "to": [1, 1, 1], "ok": False, "why": "No way."}
    place = {"name": "p", "point": [1, 2, 3], "ok": True}
    return [
        json_text({"warnings": [warning], "tests": [test, {**test, "ok": True, "length": 2.5}], "must_reach": [place]})
    ]


def _tile_cache_seeds() -> list[bytes]:
    square_ = np.float32([[0, 0, 0], [0, 0, 9], [9, 0, 9], [9, 0, 0]]), np.int32([[0, 1, 2], [0, 2, 3]])
    return [TileCache(*level, Settings(tile_size=16), threads=1).files()[0] for level in (square_, scenes.stairs())]


def _detour_seeds() -> list[bytes]:
    from navcore.formats.mset import mset_bytes, tile_blobs

    solo = _small_navmesh(0)
    return [small_file(), mset_bytes(solo), tile_blobs(solo)[0], mset_bytes(_small_navmesh(16))]


def _wide_seeds() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wide.bin"
        write_navmesh(_small_navmesh(16), path, reference_bits=64)
        return [path.read_bytes()]


def _small_navmesh(tile_size: int):  # type: ignore[no-untyped-def]
    settings = Settings(cell_size=0.5, region_min_size=0, region_merge_size=4, tile_size=tile_size)
    links = [{"start": [1, 0, 1], "end": [8, 0, 8]}]
    return build_navmesh(*scenes.plaza(2, 4.0), settings, links=links, threads=1)


def _settings_seeds() -> list[bytes]:
    values = Settings().to_mapping()
    return [json.dumps(values).encode(), *(json.dumps({name: value}).encode() for name, value in values.items())]


def _scene_seeds() -> list[bytes]:
    scene = {
        "bounds": [0, 0, 0, 10, 2, 10],
        "volumes": [
            {"shape": "convex", "area": 2, "min_height": -1, "max_height": 3, "points": [[0, 0], [4, 0], [4, 4]]},
            {"shape": "box", "area": 0, "min": [0, 0, 0], "max": [1, 2, 3]},
            {"shape": "cylinder", "area": 63, "base": [0, 0, 0], "radius": 1.5, "height": 2},
            {"shape": "box", "door": "gate", "closed": True, "ability": 32, "min": [0, 0, 0], "max": [1, 2, 3]},
            {"shape": "box", "resolution": 0.5, "min": [0, 0, 0], "max": [1, 2, 3]},
        ],
        "links": [{"start": [0, 0, 0], "end": [1, 1, 1], "radius": 0.6, "bidirectional": True, "area": 5, "id": 1}],
        "seeds": [{"point": [0, 0, 0], "name": "spawn"}, [1, 2, 3]],
        "area_types": {"2": {"name": "road", "flags": 1}},
        "edits": [
            {"kind": "drop", "at": [1, 0, 1], "m2": 4},
            {"kind": "block", "outline": [[0, 0], [4, 0], [4, 4]], "min_height": 0, "max_height": 2, "cells": 7},
            {"kind": "area", "area": 2, "outline": [[0, 0], [4, 0], [4, 4]], "min_height": 0, "max_height": 2},
            {"kind": "keep", "at": [1, 0, 1], "name": "roof"},
            {
                "kind": "patch", "vertices": [[0, 0, 0], [1, 0, 0], [0, 0, 1]], "faces": [[0, 2, 1]], "below": 1,
                "outline": [[0, 0], [1, 0], [0, 1]],
            },
        ],
    }  # fmt: skip
    return [json.dumps(scene).encode(), *(json.dumps({name: value}).encode() for name, value in scene.items())]


def _obj_seeds() -> list[bytes]:
    return [
        b"v 0 0 0\nv 0 0 1\nv 1 0 1\nv 1 0 0\nf 1 2 3 4\n",
        b"\xef\xbb\xbfv 0 0 0\r\nv 0 0 9\r\nv 9 0 0\r\nv 1 \\\r\n0 1\r\nusemtl ab\r\ng h1\r\nf 1 2 4 3\r\n",
        b"# c\no a\nv -1.5e3 2. .5 1\nv 0 0 1\nv 1 0 1\nvt 0 0\nvn 0 1 0\nf 1/1/1 2//1 3/1\nf -3 -2 -1\n",
    ]


def _level_seeds() -> list[bytes]:
    plain, placed = square(), GltfFile()
    mesh = placed.mesh(placed.primitive(material="ab"), placed.primitive(indices=[0, 1, 3, 2], mode=5), name="h1")
    above = placed.node(name="g2", rotation=[0, 1, 0, 0], scale=[-1, 1, 2], children=[])
    placed.node(above, mesh=mesh, matrix=[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1])
    return [plain.glb(), placed.glb()]


def _npz_seeds() -> list[bytes]:
    vertices, triangles = scenes.flat(4)
    arrays = {"verts": vertices, "tris": triangles, "areas": np.ones(len(triangles), np.uint8)}
    return [npz_bytes(arrays), npz_bytes({"verts": vertices.astype(">f8"), "tris": triangles.astype(np.int64)})]


def _levels_ending_in(ending: str) -> list[bytes]:
    return [content for name, content in FILES.items() if name.endswith(ending)]


def _json_seeds() -> list[bytes]:
    return [json_bytes(plain_navmesh(_small_navmesh(0))), json_bytes(plain_of_file(read_navmesh(small_file())))]


def _tiles_seeds() -> list[bytes]:
    """Tiles, and a pack of them, before and after it was ended."""
    warning = BuildWarning("REPAIRED", "Mended.", (1.0, 2.0, 3.0))
    stored = [StoredTile(None, NothingWalkable("Nothing is walkable."))]
    for tile in _small_navmesh(16).tiles:
        mesh, detail = tile.polygon_mesh, tile.detail_mesh
        stored.append(
            StoredTile(Piece(mesh, detail, counts_of(mesh, detail, StageCounts(1, 1, 1, 1)), [warning]), None)
        )
    seeds = [packed(tile) for tile in stored]
    with tempfile.TemporaryDirectory() as folder:
        writer = PackWriter(Path(folder))
        for number, body in enumerate(list(seeds)):
            writer.add(bytes([number]) * 32, body, 1_800_000_000)
        seeds.append(writer.path.read_bytes())
        writer.finish()
        return [*seeds, writer.path.read_bytes()]


def _seeds_of(target: str) -> list[bytes]:
    from navcore.formats.target_catalog import TARGETS, ExportOptions

    export = TARGETS[target].export
    assert export is not None
    made = export(plain_navmesh(_small_navmesh(0)), "level", ExportOptions())
    return [next(iter(made.files.values()))]


_NUMBERS = ("1e39", "-1", "null", "1e300", "[]", "{}", "true")
_NAMES = tuple(Settings().to_mapping())
TARGETS = {
    "detour": Target(_detour, _detour_seeds, ("TESM", "VAND")),
    "wide": Target(_wide, _wide_seeds, ("TESM", "VAND")),
    "tilecache": Target(_tile_cache, _tile_cache_seeds, ("TEST", "RLTD")),
    "settings": Target(_settings, _settings_seeds, (*_NAMES, "true", "null", "1e308", "NaN", "watershed", "layers")),
    "scene": Target(
        _scene,
        _scene_seeds,
        (
            "shape",
            "convex",
            "box",
            "cylinder",
            "points",
            "min_height",
            "base",
            "links",
            "seeds",
            "area_types",
            "1e39",
            "door",
            "ability",
            "resolution",
            "edits",
            "outline",
            "faces",
            "patch",
        ),
    ),
    "obj": Target(_obj, _obj_seeds, ("\\x0av ", "\\x0af ", "nan", "inf", "1e39", "//", "-1", "usemtl a", "\\x5c\\x0a")),
    "level": Target(
        _level,
        _level_seeds,
        (
            "nodes",
            "children",
            "matrix",
            "bufferView",
            "byteStride",
            "byteOffset",
            "count",
            "sparse",
            "normalized",
            "uri",
        ),
    ),
    "ply": Target(
        _ply, lambda: _levels_ending_in(".ply"), ("element face", "property list uchar int vertex_indices", "ascii")
    ),
    "stl": Target(_stl, lambda: _levels_ending_in(".stl"), ("endsolid", "facet normal", "vertex", "nan", "1e39")),
    "off": Target(_off, lambda: _levels_ending_in(".off"), ("COFF", "#", "-1", "1e39")),
    "npz": Target(_npz, _npz_seeds, ("verts.npy", "tris.npy", "areas.npy", "descr", "fortran_order", "shape")),
    "tiles": Target(_tiles, _tiles_seeds, ("TILE", "ENDS", "whole.", "nothing", "warnings")),
    "json": Target(_json, _json_seeds, ("polygon_mesh", "neighbors", "detail_mesh", "null", "format", "navmesh")),
    "tres": Target(
        _tres,
        lambda: _seeds_of("godot"),
        ("PackedInt32Array(", "PackedVector3Array(", "[resource]", "metadata/navmesh", "cell_size"),
    ),
    "tscn": Target(
        _tscn,
        lambda: _seeds_of("godot-scene"),
        ("[node name=", "[sub_resource", "SubResource(", "metadata/navmesh", "travel_cost", "area_types", "Vector3("),
    ),
    "glb": Target(
        _glb,
        lambda: [*_seeds_of("gltf"), *_seeds_of("pathfinding")],
        ("glTF", "JSON", "accessors", "bufferViews", "byteOffset", "componentType", "_AREA", "extras", "null"),
    ),
    "world": Target(_world, _world_seeds, ("settings", "bounds", "sections", "sizes", "tile_size", *_NUMBERS)),
    "beside": Target(_beside_worlds, _beside_worlds_seeds, ("file", "tiles", "neighbors", "borders", *_NUMBERS)),
    "cover": Target(_cover, _cover_seeds, ("points", "towards", "lean", "left", "exposure", *_NUMBERS)),
    "heat": Target(_heat, _heat_seeds, ("density", "columns", "rows", "chokepoints", "width", *_NUMBERS)),
    "intents": Target(_intents, _intents_seeds, ("tests", "points", "within", "doors", "expect", *_NUMBERS)),
    "obstacles": Target(_obstacles, _obstacles_seeds, ("kind", "cylinder", "aabb", "half", "angle", *_NUMBERS)),
    "sidecar": Target(_sidecar, _sidecar_seeds, ("obstacles", "links", "areas", "doors", "format", *_NUMBERS)),
    "report": Target(_report, _report_seeds, ("warnings", "place", "tests", "must_reach", "ok", *_NUMBERS)),
}
