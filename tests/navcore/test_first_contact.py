"""Wrong versions are one sentence when navcore is imported; rows of areas, and files that are not read, too."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from navcore import (
    AreaType,
    BadInput,
    Level,
    LevelSource,
    NavQuery,
    Settings,
    build_navmesh,
    read_mesh,
    read_navmesh,
    write_navmesh,
)
from navcore.kernels.needed_versions import NEEDED
from tests import scenes

ROOT = Path(__file__).resolve().parents[2]
FLOOR = scenes.box(0, -1, 0, 10, 1, 10)


def test_needed_versions_are_those_of_the_package() -> None:
    wanted = {}
    for line in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]:
        name, _, rest = line.partition(">=")
        low, _, high = rest.partition(",<")
        wanted[name] = tuple(tuple(map(int, part.split("."))) if part else None for part in (low, high))
    assert wanted == NEEDED


def run(code: str, *paths: Path, isolated: bool = False) -> subprocess.CompletedProcess[str]:
    code = f"import sys\nsys.path[:0] = {[str(ROOT), *map(str, paths)]!r}\n{code}"
    return subprocess.run(
        [sys.executable, *(["-I", "-S"] if isolated else []), "-c", code], capture_output=True, text=True
    )


def described(folder: Path, name: str, version: str) -> Path:
    """A folder in which a package seems to be of another version."""
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    return folder


@pytest.mark.parametrize(("name", "version"), [("numba", "0.61.2"), ("numba", "0.69.0"), ("numpy", "1.23.5")])
def test_another_version_is_one_sentence(tmp_path: Path, name: str, version: str) -> None:
    lying = described(tmp_path, name, version)
    done = run("from navcore import build_navmesh", lying)
    assert (
        f"ImportError: navcore needs {name}>=" in done.stderr and f"{name} {version} is installed here" in done.stderr
    )
    done = run("from navcore.__main__ import main\nsys.exit(main(['info', 'x.bin']))", lying)
    assert done.returncode == 1 and done.stderr.startswith(f"navcore: WRONG_VERSION: navcore needs {name}>=")
    assert run("from navcore.__main__ import main\nsys.exit(main(['settings']))", lying).returncode == 0


def test_missing_packages_are_one_sentence_and_errors_need_none() -> None:
    done = run("from navcore import NavmeshError\nimport navcore\nnavcore.build_navmesh", isolated=True)
    assert (
        done.stderr.strip()
        .splitlines()[-1]
        .startswith("ImportError: navcore needs numpy, which is not installed here:")
    )
    assert "navcore needs numba, which is not installed here: pip install" in done.stderr


def test_an_older_python_is_one_sentence() -> None:
    older = "sys.version_info = (3, 9, 18)\nsys.version = '3.9.18 (x)'\nimport navcore"
    assert "ImportError: navcore needs Python 3.11 or newer; this is 3.9.18." in run(older).stderr
    done = run(f"sys.argv = ['-m']\n{older}")
    assert done.stderr == "navcore needs Python 3.11 or newer; this is 3.9.18.\n" and done.returncode == 1
    if (found := shutil.which("python3.9")) is not None:
        real = subprocess.run([found, "-m", "navcore", "settings"], cwd=ROOT, capture_output=True, text=True)
        if real.returncode == 127:  # a shim without a Python behind it
            return
        assert real.returncode == 1 and "navcore needs Python 3.11" in real.stderr and "Traceback" not in real.stderr


# --- areas


@pytest.mark.parametrize("row", [{"name": "floor", "flags": 3, "cost": 2}, 3, AreaType("floor", 3, 2.0)])
def test_rows_of_the_area_table_may_be_mappings(row: object) -> None:
    navmesh = build_navmesh(LevelSource(*FLOOR, area_types={0: row}))  # type: ignore[arg-type,dict-item]
    assert isinstance(navmesh.area_types[0], AreaType) and navmesh.area_types[0].flags == 3
    query = NavQuery(navmesh)
    assert query.find_paths([1, 0, 1], [9, 0, 9]).length[0] > 8


@pytest.mark.parametrize(
    "row", [{"flags": "walk"}, {"name": "x"}, {"flags": 1, "colour": 2}, "ground", None, ("a", 1), AreaType("a", -1)]
)
def test_rows_that_are_none_are_refused_at_the_call(row: object) -> None:
    for call in (
        lambda: build_navmesh(*FLOOR, area_types={0: row}),
        lambda: Level(Settings(tile_size=32), area_types={0: row}),
    ):
        with pytest.raises(BadInput) as refused:
            call()  # type: ignore[no-untyped-call]
        assert refused.value.code == "BAD_AREA_TABLE"


@pytest.mark.parametrize("key", ["ground", -1, 999, None, 1.5])
def test_keys_that_are_none_are_refused_at_the_call(key: object) -> None:
    with pytest.raises(BadInput):
        build_navmesh(*FLOOR, area_types={key: AreaType("a", 1)})  # type: ignore[dict-item]


def test_what_is_written_as_json_is_read(tmp_path: Path) -> None:
    navmesh = build_navmesh(*FLOOR)
    write_navmesh(navmesh, tmp_path / "n.json")
    assert len(read_navmesh(tmp_path / "n.json").area_types) >= 1  # type: ignore[union-attr]


# --- glTF that is not read


def gltf(folder: Path, **more: object) -> Path:
    points = np.array([[0, 0, 0], [0, 0, 5], [5, 0, 0]], np.float32).tobytes()
    (folder / "p.bin").write_bytes(points)
    content = {
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"uri": "p.bin", "byteLength": 36}],
    }  # fmt: skip
    (folder / "m.gltf").write_text(json.dumps({**content, **more}))
    return folder / "m.gltf"


@pytest.mark.parametrize(
    "extension", ["EXT_meshopt_compression", "KHR_meshopt_compression", "KHR_draco_mesh_compression"]
)
@pytest.mark.parametrize("where", ["extensionsRequired", "extensionsUsed"])
def test_compressed_files_are_refused_by_name(tmp_path: Path, extension: str, where: str) -> None:
    """As gltfpack writes them: the second buffer is a fallback without bytes."""
    buffers = [{"uri": "p.bin", "byteLength": 36}, {"byteLength": 36, "extensions": {extension: {"fallback": True}}}]
    path = gltf(tmp_path, buffers=buffers, **{where: [extension]})
    with pytest.raises(BadInput, match=f"compressed with {'Draco' if 'draco' in extension else 'meshopt'}") as refused:
        read_mesh(path)
    assert refused.value.code == "COMPRESSED_MESHES"


def test_a_file_of_figures_is_refused_by_name(tmp_path: Path) -> None:
    path = gltf(tmp_path, nodes=[{"mesh": 0, "skin": 0, "name": "Hero"}], skins=[{"joints": [0]}])
    with pytest.raises(BadInput, match="all its meshes are moved by bones") as refused:
        read_mesh(path)
    assert refused.value.code == "ONLY_SKINNED"
