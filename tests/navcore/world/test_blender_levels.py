"""What is kept of sections that are .blend files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from navcore.errors import BadInput
from navcore.types import Geometry
from navcore.world.blender_levels import blend_meshes, keep_level, kept_level, with_levels
from navcore.world.build_world import build_world
from navcore.world.world_file import World

from .small_worlds import crate, files_in, ground, rewritten, write_world


@pytest.fixture
def world(tmp_path: Path) -> World:
    """One section of Blender's, which holds a crate on the ground that others have."""

    def with_blend(content: dict[str, list[dict[str, list[str]]]]) -> None:
        content["sections"][4]["meshes"] = ["s11.blend"]

    return rewritten(write_world(tmp_path), with_blend)


def geometry(*meshes: tuple[np.ndarray, np.ndarray]) -> Geometry:
    starts = np.cumsum([0, *(len(mesh[0]) for mesh in meshes)])
    triangles = np.concatenate([mesh[1] + start for mesh, start in zip(meshes, starts, strict=False)])
    return Geometry(np.concatenate([mesh[0] for mesh in meshes]), triangles.astype(np.int32), np.zeros(0, np.uint8))


def test_a_world_is_that_of_meshes(world: World, tmp_path: Path) -> None:
    """What is kept builds what the same triangles and marks in files of navcore's own build."""
    (blend,), kept = blend_meshes(world), tmp_path / "kept"
    kept.mkdir()
    house = crate(19.2 - 1, 19.2 - 1.3)
    level = geometry(ground(1, 1), crate(27.2, 27.2), house)
    keep_level(blend, kept, level, {}, {"": "a hash"})
    build_world(with_levels(world, {blend: kept}), tmp_path / "ours", threads=1)
    np.savez(tmp_path / "one.npz", verts=level.vertices, tris=level.triangles)
    sections = [s if s.name != "s11" else replace(s, meshes=(tmp_path / "one.npz",)) for s in world.sections]
    build_world(replace(world, sections=tuple(sections)), tmp_path / "theirs", threads=1)
    ours, theirs = files_in(tmp_path / "ours"), files_in(tmp_path / "theirs")
    assert {name: ours[name] for name in ours if name.endswith(".bin")} == {
        name: theirs[name] for name in theirs if name.endswith(".bin")
    }


def test_what_is_kept_of_a_section_goes_with_it(world: World, tmp_path: Path) -> None:
    (blend,), out = blend_meshes(world), tmp_path / "out"
    out.mkdir()
    keep_level(blend, out, geometry(ground(1, 1)), {}, {})
    read = with_levels(world, {blend: out})
    build_world(read, out, threads=1)
    assert {path.name for path in out.glob("s11.*")} == {
        "s11.0.level.json", "s11.0.level.npz", "s11.bin", "s11.bin.stamp.json",
    }  # fmt: skip
    build_world(replace(read, sections=(*read.sections[:4], *read.sections[5:])), out, threads=1)
    assert not list(out.glob("s11.*"))


def test_what_is_kept_comes_back(world: World, tmp_path: Path) -> None:
    (blend,) = blend_meshes(world)
    assert kept_level(blend, tmp_path) is None
    scene = {"links": [{"start": [25, 0, 25], "end": [28, 0, 28]}], "area_types": {"3": {"name": "gate", "flags": 32}}}
    keep_level(blend, tmp_path, geometry(ground(1, 1)), scene, {"": "a hash"})
    before = files_in(tmp_path)
    kept = kept_level(blend, tmp_path)
    assert kept is not None and kept.made_of == {"": "a hash"} and len(kept.scene.links) == 1 and kept.has_triangles
    keep_level(blend, tmp_path, geometry(ground(1, 1)), scene, {"": "a hash"})
    assert files_in(tmp_path) == before
    read = with_levels(world, {blend: tmp_path})
    assert read.area_types[3].name == "gate" and read.sections[4].meshes == (blend.mesh_in(tmp_path),)
    for damage in (b"", b"[]", b'{"format": 2}', b'{"format": 1}', before[blend.scene_in(tmp_path).name][:-9]):
        blend.scene_in(tmp_path).write_bytes(damage)
        assert kept_level(blend, tmp_path) is None
    assert with_levels(world, {blend: tmp_path}).sections[4].meshes == ()
    assert with_levels(world, {}).sections[4].meshes == ()


def test_what_a_world_cannot_have_is_refused(world: World, tmp_path: Path) -> None:
    (blend,) = blend_meshes(world)
    keep_level(blend, tmp_path, geometry(ground(1, 1)), {"edits": [{"kind": "drop", "at": [1, 2, 3], "m2": 4}]}, {})
    with pytest.raises(BadInput, match=r"“s11”: s11\.blend drops islands") as refused:
        with_levels(world, {blend: tmp_path})
    assert refused.value.code == "NEEDS_THE_WHOLE"
    with pytest.raises(BadInput, match="“s11”: "):
        keep_level(blend, tmp_path, geometry(ground(1, 1)), {"links": [{}]}, {})
