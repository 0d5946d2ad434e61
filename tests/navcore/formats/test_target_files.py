"""Files of every target under full disks and kills; files of unknown origin under mutation; JSON against its schema."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import NavMesh, Settings, build_navmesh
from navcore.errors import NavmeshError
from navcore.files.atomic_write import CannotWrite
from navcore.formats import read_navmesh_bytes, targets, write_navmesh
from navcore.formats.json_mesh import json_bytes
from navcore.formats.plain_navmesh import plain_navmesh
from navcore.formats.target_catalog import ExportOptions
from navcore.level_source import LevelSource
from navcore.result.wide_link_records import wide_link_records
from tests import scenes
from tests.wide_links import DROP

ROOT = Path(__file__).resolve().parents[3]
MESH = scenes.plaza(2)
LINK: dict[str, Any] = {"start": [1, 0, 1], "end": [8, 0, 8]}
OPTIONS = ExportOptions(level=LevelSource(*MESH))


@cache
def small(**settings: Any) -> NavMesh:
    """Built once for all tests; nothing changes it but for the warnings in its report."""
    return build_navmesh(*MESH, Settings(**settings), links=[LINK])


# ------------------------------------------------------------------------ writing


@pytest.mark.parametrize("target", list(targets()))
def test_a_full_disk_leaves_the_old_files(tmp_path: Path, target: str) -> None:
    """A limit on the size of files does what a full disk does."""
    resource = pytest.importorskip("resource")
    navmesh, path = small(), tmp_path / f"n{targets()[target].ending}"
    write_navmesh(navmesh, path, target, OPTIONS)
    whole = {file: file.read_bytes() for file in tmp_path.iterdir()}
    longest = max(map(len, whole.values()))
    for file in whole:
        file.write_bytes(b"old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        for limit in (0, 1, 100, longest // 2, longest - 1):
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[0][1]))
            with pytest.raises(CannotWrite, match="File too large"):
                write_navmesh(navmesh, path, target, OPTIONS)
            assert {file: file.read_bytes() for file in tmp_path.iterdir()} == dict.fromkeys(whole, b"old")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before[0])
        signal.signal(signal.SIGXFSZ, before[1])
    write_navmesh(navmesh, path, target, OPTIONS)
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == whole


WRITE_FOR_EVER = """
import sys
sys.path.insert(0, {root!r})
from pathlib import Path
from navcore import build_navmesh
from navcore.formats import targets, write_navmesh
from navcore.formats.target_catalog import ExportOptions
from navcore.level_source import LevelSource
from tests import scenes
mesh = scenes.plaza(2)
navmesh = build_navmesh(*mesh, links=[{link!r}])
options = ExportOptions(level=LevelSource(*mesh))
while True:
    for name, target in targets().items():
        write_navmesh(navmesh, Path({folder!r}) / f"{{name}}{{target.ending}}", name, options)
    print("round", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="kills the POSIX way")
def test_killed_exports_leave_whole_files(tmp_path: Path) -> None:
    navmesh, folder, wanted = small(), tmp_path / "files", tmp_path / "wanted"
    folder.mkdir()
    wanted.mkdir()
    for name, target in targets().items():
        write_navmesh(navmesh, wanted / f"{name}{target.ending}", name, OPTIONS)
    whole = {path.name: path.read_bytes() for path in wanted.iterdir()}
    code = WRITE_FOR_EVER.format(root=str(ROOT), link=LINK, folder=str(folder))
    rng = random.Random(4)
    for _ in range(4):
        running = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=ROOT)
        assert running.stdout is not None and running.stdout.readline() == b"round\n"
        time.sleep(rng.uniform(0, 0.2))
        running.kill()
        running.communicate()
        found = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith(".part")}
        assert found == whole


# ------------------------------------------------------------------------ reading


@pytest.mark.parametrize("ending", [".json", ".tres", ".tscn", ".glb"])
def test_mutated_files_are_refused_or_sound(ending: str, tmp_path: Path) -> None:
    """Bytes changed, cut out, doubled: a named error, or a mesh that can be written again."""
    write_navmesh(small(), tmp_path / f"n{ending}")
    content, rng, refused = (tmp_path / f"n{ending}").read_bytes(), random.Random(7), 0
    for _ in range(400):
        changed = mutated(content, rng)
        started = time.process_time()
        try:
            mesh = read_navmesh_bytes(changed, ending)
            assert np.isfinite(mesh.vertices).all() and int(mesh.corners.max()) < len(mesh.vertices)
            write_navmesh(mesh, tmp_path / "again.json")
        except NavmeshError:
            refused += 1
        assert time.process_time() - started < 1
    assert 100 < refused < 400


def mutated(content: bytes, rng: random.Random) -> bytes:
    at, size = rng.randrange(len(content)), rng.randrange(1, 40)
    kind = rng.randrange(5)
    if kind == 0:
        return content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]
    if kind == 1:
        return content[:at] + content[at + size :]
    if kind == 2:
        return content[:at] + content[at : at + size] + content[at:]
    if kind == 3:
        return content[:at]
    number = rng.choice([b"-1", b"99999999999999999999", b"1e999", b"nan", b"null", b"[]", b"0.5", b'"', b"70000"])
    return content[:at] + number + content[at + size % 4 :]


def test_deep_and_repetitive_files_take_no_time() -> None:
    head = b'[gd_resource type="NavigationMesh" format=3]\n[resource]\n'
    for content, ending in (
        (head + b"vertices = " + b"(" * 10**6, ".tres"),
        (head + b"a = 1\n" * 10**5, ".tres"),
        (head + b'a = "' + b"\\" * 10**6, ".tres"),
        (head + b"polygons = [" + b"PackedInt32Array(" * 10**5, ".tres"),
        (head + b"[" * 10**6, ".tres"),
        (b"[" * 10**6, ".json"),
        (b"[gd_scene]\n" + b"[" * 10**6, ".tscn"),
        (b'[gd_scene]\n[node name="' + b"\\" * 10**6, ".tscn"),
        (b"[gd_scene]\n" + b'[node type="NavigationRegion3D"]\n' * 10**5, ".tscn"),
        (b'{"format":"navmesh","version":1,"a":' + b"[[" * 10**5 + b"]]" * 10**5 + b"}", ".json"),
    ):
        started = time.process_time()
        with pytest.raises(NavmeshError):
            read_navmesh_bytes(content, ending)
        assert time.process_time() - started < 5  # well below a second on an idle machine; finds what is quadratic


# ------------------------------------------------------------------------- schema


def schema() -> dict[str, Any]:
    return dict(json.loads((ROOT / "docs/navmesh.schema.json").read_text()))


@pytest.mark.parametrize("settings", [{}, {"tile_size": 16}, {"detail_mesh": False}, {"vertices_per_polygon": 12}])
def test_json_validates_against_its_schema(settings: dict[str, Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema comes with `dev.py test`")
    jsonschema.Draft202012Validator.check_schema(schema())
    exported = json.loads(json_bytes(plain_navmesh(small(**settings))))
    jsonschema.Draft202012Validator(schema()).validate(exported)
    unknown = json.loads(json_bytes(plain_navmesh(small(**settings))._replace(settings=None)))
    jsonschema.Draft202012Validator(schema()).validate(unknown)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("version", 2), ("unit", "foot"), ("more", 1), ("links/0/radius", 0), ("polygon_mesh/areas/0", 64),
        ("polygon_mesh/polygons/0", [0, 1]), ("polygon_mesh/neighbors/0/0", -1), ("polygon_mesh/vertices/0", [0, 0]),
        ("area_types/63", {"name": "x", "flags": 1}), ("detail_mesh/triangles/0", [0, 1, 2, 3]), ("settings", []),
    ],
)  # fmt: skip
def test_the_schema_refuses_what_is_wrong(path: str, value: Any) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema comes with `dev.py test`")
    exported = json.loads(json_bytes(plain_navmesh(small())))
    place: Any = exported
    *way, last = path.split("/")
    for step in way:
        place = place[int(step) if step.isdigit() and isinstance(place, list) else step]
    place[int(last) if last.isdigit() and isinstance(place, list) else last] = value
    assert list(jsonschema.Draft202012Validator(schema()).iter_errors(exported))


def test_the_schema_knows_every_name_that_is_written() -> None:
    exported = json.loads(json_bytes(plain_navmesh(small())))
    known = schema()["properties"]
    assert set(exported) | {"wide_links", "doors", "sizes"} == set(known)  # these only where there are any
    for name in ("polygon_mesh", "detail_mesh"):
        assert set(exported[name]) == set(known[name]["properties"]) == set(known[name]["required"])
    assert set(exported["links"][0]) == set(known["links"]["items"]["properties"])
    [found] = wide_link_records([DROP])
    assert (
        set(found) == set(known["wide_links"]["items"]["properties"]) == set(known["wide_links"]["items"]["required"])
    )
