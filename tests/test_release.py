"""A release: versions that agree and rise, and a folder of made-up zips and wheels that is complete."""

import hashlib
import json
import os
import re
import tomllib
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tools import release

MANIFEST = """\
schema_version = "1.0.0"
id = "navmesh"
version = "{version}"
name = "Navmesh"
tagline = "Made up"
maintainer = "Nobody"
type = "add-on"
tags = ["Mesh"]
blender_version_min = "4.2.0"
blender_version_max = "5.1.0"
license = ["SPDX:GPL-3.0-or-later"]
platforms = ["{platform}"]
wheels = ["./wheels/numba-0.63.1-cp311-cp311-any.whl", "./wheels/llvmlite-0.46.0-cp311-cp311-any.whl"]

[permissions]
files = "Write files"

[build]
paths_exclude_pattern = [".*"]
"""
CHANGELOG = (
    "# Changelog\n\n## [1.2.0] - 2026-02-02\n\n### Added\n\n- What is new.\n\n## [1.1.0] - 2026-01-01\n\n- Old.\n"
)
SOURCES = {
    "__init__.py": "import bpy\n",
    "navcore/version.py": '__version__ = "1.2.0"\n',
    "navmesh_addon/panel.py": "ROWS = 3\n",
}


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sources of version 1.2.0, with everything made of them."""
    monkeypatch.delenv("GITHUB_REF_TYPE", raising=False)  # of the tag that these tests may run for
    source = tmp_path / "source"
    for name, text in {**SOURCES, "CHANGELOG.md": CHANGELOG, "README.md": "# Navmesh\n"}.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text)
    (source / "blender_manifest.toml").write_text(MANIFEST.format(version="1.2.0", platform="linux-x64"))
    for folder in ("dist/python", "out/docs/guide"):
        (source / folder).mkdir(parents=True)
    make_zip(source, "linux-x64", kernels=True)
    make_zip(source, "windows-x64", kernels=False)
    own = {name: text for name, text in SOURCES.items() if name.startswith("navcore/")}
    with zipfile.ZipFile(source / "dist/python/navmesh-1.2.0-cp311-none-any.whl", "w") as wheel:
        for name, text in {**own, "navcore/manual/index.html": "made", "navmesh-1.2.0.dist-info/WHEEL": ""}.items():
            wheel.writestr(name, text.replace("\n", "\r\n"))  # made on Windows
    (source / "dist/python/navmesh-1.2.0.tar.gz").write_bytes(b"sources")
    (source / "out/docs/guide/page.html").write_text("a page")
    (source / "out/docs/index.html").write_text("the front page")
    return source


def make_zip(source: Path, platform: str, *, kernels: bool) -> Path:
    path = source / f"dist/navmesh-1.2.0-blender4.2-{platform.replace('-', '_')}.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("blender_manifest.toml", MANIFEST.format(version="1.2.0", platform=platform))
        for name, text in SOURCES.items():
            archive.writestr(name, text)
        if kernels:
            archive.writestr("navcore/compiled/cpython-311.kernels", b"machine code")
    return path


# ------------------------------------------------------------------------ these sources


def test_the_version_is_the_same_everywhere_and_has_its_section_on_top() -> None:
    version = release.version_of(release.ROOT)
    manifest = tomllib.loads((release.ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    assert manifest["version"] == version
    changelog = (release.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert next(iter(release.sections_of(changelog))) == version
    assert "- " in release.notes_of(changelog, version)
    pages = [release.ROOT / "README.md", *(release.ROOT / "docs").rglob("*.md")]
    named = {
        found
        for page in pages
        for found in re.findall(r"(?:navmesh-|release/)(\d+\.\d+\.\d+)", page.read_text("utf-8"))
    }
    assert named == {version}, "a document names a file of another version"


def test_versions_and_their_dates_rise() -> None:
    changelog = (release.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heads = re.findall(r"^## (.*)$", changelog, re.MULTILINE)
    found = [re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)", head) for head in heads]
    assert len(heads) > 1 and all(found), heads
    rows = [(release.number(each[1]), each[2]) for each in found if each]
    assert all(newer[0] > older[0] and newer[1] >= older[1] for newer, older in pairwise(rows)), rows


# ------------------------------------------------------------------------ made-up ones


def test_the_folder_holds_what_was_made(source: Path, tmp_path: Path) -> None:
    folder, left_out = release.lay_out(source, tmp_path / "release")
    assert folder == tmp_path / "release/1.2.0"
    held = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert held == {
        *("SHA256SUMS", "NOTES.md", "index.json", "navmesh-1.2.0-blender4.2-linux_x64.zip"),
        *("python/navmesh-1.2.0-cp311-none-any.whl", "python/navmesh-1.2.0.tar.gz"),
        *("docs/index.html", "docs/guide/page.html"),
    }
    assert len(left_out) == 1 and "windows_x64.zip: nothing was baked" in left_out[0]
    sums = dict(reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert sums.keys() == held - {"SHA256SUMS"}
    assert all(hashlib.sha256((folder / name).read_bytes()).hexdigest() == sum_ for name, sum_ in sums.items())
    notes = (folder / "NOTES.md").read_text()
    assert "- What is new." in notes and "- Old." not in notes
    assert "| 4.2 and newer, older than 5.1 | Linux x64 | `navmesh-1.2.0-blender4.2-linux_x64.zip` |" in notes
    assert [path.name for path in (tmp_path / "release").iterdir()] == ["1.2.0"], "something was left behind"


def test_the_index_is_what_blender_reads(source: Path, tmp_path: Path) -> None:
    """tests/package has Blender's own tool say the same, and lets Blender install from it."""
    folder, _ = release.lay_out(source, tmp_path)
    archive = folder / "navmesh-1.2.0-blender4.2-linux_x64.zip"
    wanted: dict[str, Any] = tomllib.loads(MANIFEST.format(version="1.2.0", platform="linux-x64"))
    del wanted["wheels"], wanted["build"]
    wanted["python_versions"] = ["3.11"]
    wanted["archive_url"] = f"./{archive.name}"
    wanted["archive_size"] = archive.stat().st_size
    wanted["archive_hash"] = "sha256:" + hashlib.sha256(archive.read_bytes()).hexdigest()
    index = json.loads((folder / "index.json").read_text())
    assert index == {"version": "v1", "blocklist": [], "data": [wanted]}


def test_what_a_zip_lists_as_generated_stands_above_its_manifest(tmp_path: Path) -> None:
    generated = '\n[build.generated]\nplatforms = ["macos-arm64"]\nwheels = ["./wheels/a-1-cp313-cp313-any.whl"]\n'
    path = tmp_path / "a zip.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("blender_manifest.toml", MANIFEST.format(version="1.2.0", platform="linux-x64") + generated)
    row = release.row_of(path)
    assert (row["platforms"], row["python_versions"]) == (["macos-arm64"], ["3.13"])
    assert row["archive_url"] == "./a%20zip.zip"


def test_nothing_that_is_there_is_made_again(source: Path) -> None:
    assert release.missing(source) == []
    (source / "navmesh_addon/panel.py").write_text("ROWS = 4\n")
    assert release.missing(source) == ["package"], "wheels and docs do not hold the panel"
    (source / "navcore/new.py").write_text("")
    os.utime(source / "navcore/new.py", (2e9, 2e9))
    assert release.missing(source) == ["package", "wheel", "docs"]


def test_what_was_made_from_other_sources_is_named_and_left_out(source: Path, tmp_path: Path) -> None:
    (source / "navcore/new.py").write_text("")
    os.utime(source / "navcore/new.py", (2e9, 2e9))
    make_zip(source, "macos-arm64", kernels=True)
    with pytest.raises(SystemExit) as refused:
        release.lay_out(source, tmp_path / "release")
    assert "macos_arm64.zip: it was made from other sources" in str(refused.value)
    assert "there is no zip: `python3 dev.py package` makes them." in str(refused.value)
    assert not (tmp_path / "release").exists()
    with zipfile.ZipFile(make_zip(source, "linux-x64", kernels=True), "a") as archive:
        archive.writestr("navcore/new.py", "")
    folder, left_out = release.lay_out(source, tmp_path / "release")
    assert [path.name for path in folder.glob("*.zip")] == ["navmesh-1.2.0-blender4.2-linux_x64.zip"]
    assert not list((folder / "python").iterdir()) and not (folder / "docs").exists()
    assert any("dev.py wheel" in line for line in left_out) and any("dev.py docs" in line for line in left_out)


def test_a_version_is_laid_out_again_and_never_goes_back(source: Path, tmp_path: Path) -> None:
    (tmp_path / "1.2.0").mkdir()
    (tmp_path / "1.2.0/stray").touch()
    folder, _ = release.lay_out(source, tmp_path)
    assert not (folder / "stray").exists()
    (tmp_path / "1.10.0").mkdir()
    with pytest.raises(SystemExit, match=re.escape("holds 1.10.0, and 1.2.0 is older")):
        release.lay_out(source, tmp_path)


def test_versions_that_differ_are_refused(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_REF_TYPE", "tag")
    monkeypatch.setenv("GITHUB_REF_NAME", "v1.3.0")
    with pytest.raises(SystemExit, match=re.escape("tag them v1.2.0")):
        release.lay_out(source, tmp_path / "release")
    monkeypatch.setenv("GITHUB_REF_NAME", "v1.2.0")
    release.lay_out(source, tmp_path / "release")
    (source / "CHANGELOG.md").write_text("## [1.1.0] - 2026-01-01\n\n- Old.\n")
    with pytest.raises(SystemExit, match=re.escape("no section “## [1.2.0]”. It has: 1.1.0")):
        release.lay_out(source, tmp_path / "release")
    (source / "blender_manifest.toml").write_text(MANIFEST.format(version="1.3.0", platform="linux-x64"))
    with pytest.raises(SystemExit, match="is not the same there"):
        release.lay_out(source, tmp_path / "release")
