"""The extension as Blender's own tools see it, with wheels that are named right and hold nothing."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from tools import package, wheels

HEAVY = (".*", "node_modules", "out", "dist", "wheels", "compiled", "__pycache__")
ZIPS = {
    "blender4.2-linux_x64": 2, "blender4.2-macos_arm64": 2, "blender4.2-macos_x64": 2, "blender4.2-windows_x64": 2,
    "blender5.1-linux_x64": 2, "blender5.1-macos_arm64": 2, "blender5.1-windows_x64": 2,
}  # fmt: skip
"""What each ends in, and how many wheels it holds. For Macs with Intel processors no Blender has Python 3.13."""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout without what takes long to copy: Blender's tool doesn't follow links."""
    folder = tmp_path_factory.mktemp("checkout") / "navmesh"
    shutil.copytree(package.ROOT, folder, ignore=shutil.ignore_patterns(*HEAVY))
    (folder / "wheels").mkdir()
    for name in wheels.pinned():
        (folder / "wheels" / name).touch()
    return folder


def test_manifest_is_valid_without_wheels() -> None:
    assert "Success" in package.extension_tool("validate", str(package.ROOT))


def ending(path: Path) -> str:
    return "-".join(path.stem.split("-")[2:])


def test_one_zip_for_each_platform_and_python_and_the_same_bytes_again(checkout: Path, tmp_path: Path) -> None:
    first = package.package(checkout, tmp_path / "first")
    assert [ending(path) for path in first] == list(ZIPS)
    for path in sorted(checkout.rglob("*.py")):
        path.touch()  # a fresh clone has other dates
    second = package.package(checkout, tmp_path / "second")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert (tmp_path / "first/index.json").read_bytes() == (tmp_path / "second/index.json").read_bytes()


def test_zip_holds_the_wheels_of_its_platform_and_python(checkout: Path, tmp_path: Path) -> None:
    target = tmp_path / "dist"
    (target / "python").mkdir(parents=True)
    (target / "navmesh-0.0.1-old.zip").touch()
    counts = {}
    for path in package.package(checkout, target):
        held = [name for name in zipfile.ZipFile(path).namelist() if name.endswith(".whl")]
        counts[ending(path)] = len(held)
        assert all(("-cp311-" if "blender4.2" in path.name else "-cp313-") in name for name in held)
    assert counts == ZIPS
    assert (target / "python").is_dir(), "navcore's wheels stay where they are"


def test_the_index_says_which_blenders_a_zip_is_for(checkout: Path, tmp_path: Path) -> None:
    package.package(checkout, tmp_path / "dist")
    entries = json.loads((tmp_path / "dist/index.json").read_text())["data"]
    ranges = {(e["blender_version_min"], e.get("blender_version_max"), *e["platforms"]) for e in entries}
    systems = ("linux-x64", "macos-arm64", "macos-x64", "windows-x64")
    expected = {("4.2.0", "5.1.0", system) for system in systems}
    assert ranges == expected | {("5.1.0", None, system) for system in systems if system != "macos-x64"}


def test_kernels_go_where_their_numba_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    current = [True]
    monkeypatch.setattr(package, "is_current", lambda _: current[0])
    compiled = tmp_path / "navcore/compiled"
    compiled.mkdir(parents=True)
    ours = "cpython-311-numba0.63.1-linux-x86_64.kernels"
    for other in (ours, ours.replace("311", "313"), ours.replace("63", "68"), ours.replace("linux", "darwin")):
        (compiled / other).write_bytes(b"pack")
    held = ["llvmlite-0.46.0-cp311-cp311-manylinux.whl", "numba-0.63.1-cp311-cp311-manylinux.whl"]
    assert package.kernels_for(held, "linux_x64", tmp_path) == {f"navcore/compiled/{ours}": b"pack"}
    assert package.kernels_for(held, "windows_x64", tmp_path) == {}
    current[0] = False
    with pytest.raises(SystemExit, match="made from other sources"):
        package.kernels_for(held, "linux_x64", tmp_path)


@pytest.mark.parametrize("stray", ["notes.txt", "navcore/kernel.nbi", "secrets/key.pem"])
def test_stray_file_is_found(checkout: Path, tmp_path: Path, stray: str) -> None:
    shutil.copytree(checkout, tmp_path / "navmesh")
    (tmp_path / "navmesh" / stray).parent.mkdir(exist_ok=True)
    (tmp_path / "navmesh" / stray).touch()
    with pytest.raises(SystemExit, match=stray):
        package.package(tmp_path / "navmesh", tmp_path / "dist")
    assert not (tmp_path / "dist").exists()


def test_missing_wheel_is_refused(checkout: Path, tmp_path: Path) -> None:
    shutil.copytree(checkout, tmp_path / "navmesh")
    next((tmp_path / "navmesh/wheels").glob("numba*win*")).unlink()
    with pytest.raises(SystemExit, match="refused to build"):
        package.package(tmp_path / "navmesh", tmp_path / "dist")
