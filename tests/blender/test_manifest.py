"""The extension as Blender's own tools see it."""

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def blender_files() -> Path:
    """The data folder of the installed bpy, found without importing bpy (4.2 may hang at exit)."""
    found = list(Path(sysconfig.get_path("purelib")).glob("bpy/*/scripts"))
    assert len(found) == 1, f"expected one Blender in this environment, found {found}"
    return found[0]


def extension_tool(blender_files: Path, *arguments: str) -> str:
    command = [
        sys.executable,
        str(blender_files / "addons_core/bl_pkg/cli/blender_ext.py"),
        *arguments,
        "--valid-tags",
        str(blender_files / "modules/_bpy_internal/extensions/tags.py"),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_manifest_is_valid(blender_files: Path) -> None:
    assert "Success" in extension_tool(blender_files, "validate", ".")


def test_built_zip_holds_the_extension_and_nothing_else(blender_files: Path, tmp_path: Path) -> None:
    target = tmp_path / "navmesh.zip"
    extension_tool(blender_files, "build", "--source-dir", ".", "--output-filepath", str(target))
    names = zipfile.ZipFile(target).namelist()
    tops = {name.split("/")[0] for name in names if not name.endswith("/")}
    assert tops == {"blender_manifest.toml", "__init__.py", "LICENSE", "navcore", "navmesh_addon"}
    assert not [name for name in names if name.endswith((".pyc", ".nbi", ".nbc"))]
