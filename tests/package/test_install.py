"""The zip of this platform, installed into a Blender that has never seen it: used, disabled, removed, updated."""

import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.package.fresh import Blender, zip_of_this_machine
from tools.package import extension_tool

START_UP_MEASURES = 10  # times what Python takes for loading some modules of its own: 80 ms where that takes 8
MOST_STARTS = 9  # until one is quick enough: on a busy machine each may be held up


@pytest.fixture(scope="module")
def archive() -> Path:
    return zip_of_this_machine()


@pytest.fixture(scope="module")
def blender(archive: Path) -> Iterator[Blender]:
    """With the extension installed and enabled. Removed at once: pytest would keep half a gigabyte for three runs."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = Blender(Path(folder))
        state = fresh.run("install", str(archive))
        assert state["enabled"] and "build" in state["operators"], fresh.console
        assert not state["numba"], "enabling imports Numba"
        yield fresh


def test_starts_quickly_and_without_numba(blender: Blender) -> None:
    runs = [blender.run("start")]
    while len(runs) < 3 or (min(run["measures"] for run in runs) > START_UP_MEASURES and len(runs) < MOST_STARTS):
        runs.append(blender.run("start"))
    assert runs[0]["loaded"] == []
    quickest = min(runs, key=lambda run: run["measures"])
    print(f"started in {1000 * quickest['seconds']:.0f} ms of a processor")
    assert quickest["measures"] <= START_UP_MEASURES


def test_is_used_disabled_and_removed_without_a_trace(blender: Blender) -> None:
    built = blender.run("build")
    assert built["result"] == ["FINISHED"]
    assert Path(built["numba"]).is_relative_to(blender.user), "not the Numba of the zip"
    assert len(built["meshes"]) == 2 and all(built["meshes"].values())
    assert built["kernels"]["compiled"] == 0 and built["kernels"]["loaded"] > 10, built["kernels"]
    assert blender.holds("navmesh") and blender.holds("numba") and blender.holds("llvmlite")

    disabled = blender.run("disable")
    assert disabled["was_enabled"] and not disabled["enabled"]
    assert not any(disabled["left"].values()), disabled["left"]
    assert blender.console == ""

    assert not blender.run("remove")["enabled"]
    assert not blender.holds("navmesh", "numba", "llvmlite")


def test_removed_while_its_files_are_in_use(archive: Path) -> None:
    """What cannot be deleted while Numba is loaded is gone with the next start; then it can be installed again."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = Blender(Path(folder))
        assert fresh.run("install", str(archive))["enabled"]
        assert not fresh.run("remove_in_use")["enabled"]
        assert [path for path in fresh.user.rglob("*.so") if "llvmlite" in path.name], "nothing was in use"
        assert not fresh.run("look")["enabled"]
        assert not fresh.holds("numba", "llvmlite")
        assert fresh.run("install", str(archive))["enabled"]
        assert fresh.run("build")["kernels"]["compiled"] == 0


def test_python_without_wheels_gets_one_sentence(archive: Path) -> None:
    """As in a Linux distribution whose Blender runs on its own, newer Python: the zip unpacks, but no wheel fits."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = Blender(Path(folder))
        assert fresh.run("install", str(archive))["enabled"]
        for path in (fresh.user / "extensions/.local").rglob("site-packages/*/__init__.py"):
            path.unlink()
            path.with_name("__init__.py").write_text("raise ImportError('no wheel for this Python')")
        refused = fresh.run("build_without_numba")
    assert refused["unchanged"]
    sentences = refused["error"].removeprefix("Error: ").strip().splitlines()
    assert len(sentences) == 1 and "Numba" in sentences[0] and "Python" in sentences[0]


def test_served_folder_installs_and_updates(archive: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        served = Path(folder) / "served"
        served.mkdir()
        (served / archive.name).symlink_to(archive)
        extension_tool("server-generate", "--repo-dir", str(served))
        fresh = Blender(Path(folder))
        first = fresh.run("update", served.as_uri())
        assert first["enabled"]
        newer = served / "navmesh-99.0.0.zip"
        raise_version(archive, newer, first["version"], "99.0.0")
        (served / archive.name).unlink()
        extension_tool("server-generate", "--repo-dir", str(served))
        assert fresh.run("update", served.as_uri()) == {"version": "99.0.0", "enabled": True}


def raise_version(source: Path, target: Path, old: str, new: str) -> None:
    """The next release: the same zip with another version in its manifest."""
    with zipfile.ZipFile(source) as before, zipfile.ZipFile(target, "w") as after:
        for entry in before.infolist():
            data = before.read(entry)
            if entry.filename == "blender_manifest.toml":
                data = data.replace(f'version = "{old}"'.encode(), f'version = "{new}"'.encode())
            after.writestr(entry, data)


def test_a_served_folder_gives_each_blender_the_zip_for_its_python(archive: Path) -> None:
    """All zips in one folder with the index that was made for them."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = Blender(Path(folder))
        assert fresh.run("update", archive.parent.as_uri())["enabled"]
        manifest = fresh.user / "extensions/served/navmesh/blender_manifest.toml"
        wheels = tomllib.loads(manifest.read_text(encoding="utf-8"))["build"]["generated"]["wheels"]
    python = f"-cp{sys.version_info.major}{sys.version_info.minor}-"
    assert wheels and all(python in wheel for wheel in wheels), wheels
