"""The extension as Blender's own tools see it, with wheels that are named right and hold nothing."""

import shutil
import zipfile
from pathlib import Path

import pytest

from tools import package, wheels

HEAVY = (".*", "node_modules", "out", "dist", "wheels", "__pycache__")


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


def test_one_zip_for_each_platform_and_the_same_bytes_again(checkout: Path, tmp_path: Path) -> None:
    first = package.package(checkout, tmp_path / "first")
    assert [path.stem.rpartition("-")[2] for path in first] == ["linux_x64", "macos_arm64", "macos_x64", "windows_x64"]
    for path in sorted(checkout.rglob("*.py")):
        path.touch()  # a fresh clone has other dates
    second = package.package(checkout, tmp_path / "second")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert (tmp_path / "first/index.json").read_bytes() == (tmp_path / "second/index.json").read_bytes()


def test_zip_holds_the_wheels_of_its_platform(checkout: Path, tmp_path: Path) -> None:
    counts = {}
    for path in package.package(checkout, tmp_path / "dist"):
        held = [name for name in zipfile.ZipFile(path).namelist() if name.endswith(".whl")]
        counts[path.stem.rpartition("-")[2]] = len(held)
    assert counts == {"linux_x64": 4, "macos_arm64": 4, "macos_x64": 2, "windows_x64": 4}


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
