"""Lay a version out as it is published: dist/release/VERSION, of what lies in dist/ and out/docs.

Nothing is built here. `missing` says which words of dev.py have to come before; noxfile.py, which may run on
Python 3.9, asks it. What was made from other sources than these is left out, and named.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[1]
SUMS, NOTES, INDEX = "SHA256SUMS", "NOTES.md", "index.json"
LISTED = (  # what Blender's own server-generate lists of a manifest, in its order
    *("schema_version", "id", "name", "tagline", "version", "type", "maintainer", "license", "blender_version_min"),
    *("blender_version_max", "website", "copyright", "permissions", "tags", "platforms"),
)
OWN = ("navcore/", "navmesh_addon/", "__init__.py")
MADE_LATER = ("navcore/manual/", "navcore/compiled/")


class Found(NamedTuple):
    """What can be published, and a sentence for each thing that cannot."""

    paths: list[Path]
    left_out: list[str]


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser("release.py", description="Lay a version out as it is published.")
    parser.add_argument("--source", type=Path, default=ROOT, help="folder with dist/, out/docs and CHANGELOG.md")
    parser.add_argument("--target", type=Path, default=ROOT / "dist/release", help="folder for the version's folder")
    chosen = parser.parse_args(argv)
    folder, left_out = lay_out(chosen.source, chosen.target)
    for line in left_out:
        print(f"NOT IN IT: {line}")
    for path in sorted(folder.iterdir()):
        held = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
        size = sum(each.stat().st_size for each in held) / 1e6
        print(f"{size:8.1f} MB  {path}" + ("" if path.is_file() else f" ({len(held)} files)"))
    return 0


def missing(source: Path) -> list[str]:
    """The words of dev.py that make what a release lacks."""
    lacking = {"package": zips_of(source), "wheel": wheels_of(source), "docs": docs_of(source)}
    return [word for word, found in lacking.items() if not found.paths]


def lay_out(source: Path, target: Path) -> tuple[Path, list[str]]:
    """Make the folder of the version. Returns it, and what is not in it. A refusal leaves what lay there before."""
    version = version_of(source)
    refuse_another_tag(version)
    refuse_older(version, target)
    notes = notes_of((source / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    zips, wheels, docs = zips_of(source), wheels_of(source), docs_of(source)
    if not zips.paths:
        raise SystemExit("\n".join([*zips.left_out, "release: there is no zip: `python3 dev.py package` makes them."]))
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target, prefix=".release-") as aside:
        ready = Path(aside) / version
        (ready / "python").mkdir(parents=True)
        for path in zips.paths:
            shutil.copyfile(path, ready / path.name)
        for path in wheels.paths:
            shutil.copyfile(path, ready / "python" / path.name)
        for path in docs.paths:
            shutil.copytree(path, ready / "docs", ignore=shutil.ignore_patterns(".*"))
        index = index_of(ready.glob("*.zip"))
        write(ready / INDEX, json.dumps(index, indent=2, ensure_ascii=False) + "\n")
        write(ready / NOTES, f"# Navmesh {version}\n\n{which_zip(index)}\n{notes}")
        write(ready / SUMS, sums_of(ready))
        shutil.rmtree(target / version, ignore_errors=True)
        ready.rename(target / version)
    return target / version, [*zips.left_out, *wheels.left_out, *docs.left_out]


def write(path: Path, text: str) -> None:
    """The same bytes on every system."""
    path.write_bytes(text.encode())


# ------------------------------------------------------------------------ versions


def version_of(source: Path) -> str:
    """The version in navcore/version.py and the manifest, which must be the same."""
    places = (("navcore/version.py", r'^__version__ = "(.*?)"'), ("blender_manifest.toml", r'^version = "(.*?)"'))
    said = {name: re.findall(line, (source / name).read_text("utf-8"), re.MULTILINE) for name, line in places}
    versions = [found for each in said.values() for found in each]
    if len(versions) != 2 or len(set(versions)) != 1:
        raise SystemExit(f"release: the version stands in two files, and is not the same there: {said}.")
    return str(versions[0])


def number(version: str) -> tuple[int, ...]:
    """By which versions are ordered."""
    return tuple(int(part) for part in version.split("."))


def refuse_another_tag(version: str) -> None:
    """On a machine that publishes by a tag."""
    tag = os.environ.get("GITHUB_REF_NAME") if os.environ.get("GITHUB_REF_TYPE") == "tag" else None
    if tag not in (None, f"v{version}"):
        raise SystemExit(f"release: the tag is {tag}, the sources are {version}: tag them v{version}.")


def refuse_older(version: str, target: Path) -> None:
    """Blender updates to what is newer, and to nothing else."""
    there = [path.name for path in target.glob("*") if re.fullmatch(r"\d+(\.\d+)*", path.name)]
    newer = [name for name in there if number(name) > number(version)]
    if newer:
        newest = max(newer, key=number)
        raise SystemExit(f"release: {target} holds {newest}, and {version} is older: raise the version of the sources.")


def sections_of(changelog: str) -> dict[str, str]:
    """What each version brought, by its number, in the order of the file."""
    parts = re.split(r"^## \[(.*?)\].*\n", changelog, flags=re.MULTILINE)
    return {name: text.strip() + "\n" for name, text in zip(parts[1::2], parts[2::2])}


def notes_of(changelog: str, version: str) -> str:
    sections = sections_of(changelog)
    if version not in sections:
        raise SystemExit(f"release: CHANGELOG.md has no section “## [{version}]”. It has: {', '.join(sections)}.")
    return sections[version]


# ------------------------------------------------------------------------ what there is


def zips_of(source: Path) -> Found:
    """The zips of this version that bring their kernels."""
    version, paths, left_out = version_of(source), [], []
    for path in sorted((source / "dist").glob(f"navmesh-{version}-*.zip")):
        if not is_of(source, path, OWN):
            left_out.append(f"{path.name}: it was made from other sources. `python3 dev.py package` makes it anew.")
        elif not any(name.endswith(".kernels") for name in names_in(path)):
            left_out.append(f"{path.name}: nothing was baked for that platform (`python3 dev.py bake` does it there).")
        else:
            paths.append(path)
    return Found(paths, left_out)


def wheels_of(source: Path) -> Found:
    """navcore's wheels of this version, and its sdist beside them."""
    version, folder = version_of(source), source / "dist/python"
    there = sorted(folder.glob(f"navmesh-{version}-*.whl"))
    paths = [path for path in there if is_of(source, path, OWN[:1])]
    left_out = [f"{path.name}: it was made from other sources." for path in there if path not in paths]
    if not paths:
        left_out.append("wheels for Python: `python3 dev.py wheel` makes them.")
        return Found([], left_out)
    return Found([*paths, *sorted(folder.glob(f"navmesh-{version}.tar.gz"))], left_out)


def docs_of(source: Path) -> Found:
    """The site, where it is newer than what it is made of."""
    index = source / "out/docs/index.html"
    if not index.is_file():
        return Found([], ["the docs: `python3 dev.py docs` makes them."])
    folders = (("docs", "*"), ("navcore", "*.py"), ("navcore", "*.txt"), ("tools/docs_site", "*.py"), (".", "*.md"))
    made_of = [
        path
        for folder, pattern in folders
        for path in ((source / folder).glob(pattern) if folder == "." else (source / folder).rglob(pattern))
    ]
    if max(path.stat().st_mtime for path in made_of) > index.stat().st_mtime:
        return Found([], ["the docs: they are older than their sources. `python3 dev.py docs` makes them anew."])
    return Found([index.parent], [])


def is_of(source: Path, archive: Path, own: tuple[str, ...]) -> bool:
    """Whether a zip or a wheel holds these sources. How lines end does not matter: wheels come from other systems."""
    with zipfile.ZipFile(archive) as content:
        held = {
            name: content.read(name)
            for name in content.namelist()
            if name.startswith(own) and not name.startswith(MADE_LATER) and not name.endswith("/")
        }
    ours = {
        path.relative_to(source).as_posix()
        for name in own
        for path in ([source / name] if name.endswith(".py") else (source / name).rglob("*.py"))
    }
    return ours <= set(held) and all(
        (source / name).is_file() and plain(content) == plain((source / name).read_bytes())
        for name, content in held.items()
    )


def plain(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n")


def names_in(archive: Path) -> list[str]:
    with zipfile.ZipFile(archive) as content:
        return content.namelist()


# ------------------------------------------------------------------------ what is written


def index_of(zips: Iterable[Path]) -> dict[str, Any]:
    """What Blender reads of a folder of zips: the same as its own tool writes, without a Blender."""
    return {"version": "v1", "blocklist": [], "data": [row_of(path) for path in sorted(zips)]}


def row_of(path: Path) -> dict[str, Any]:
    import tomllib  # Python 3.11: the functions above run on older ones, too

    with zipfile.ZipFile(path) as content:
        manifest = tomllib.loads(content.read("blender_manifest.toml").decode())
    manifest |= manifest.get("build", {}).get("generated", {})
    row = {name: manifest[name] for name in LISTED if name in manifest}
    pythons = {wheel.split("-")[-3].removeprefix("cp") for wheel in manifest.get("wheels", [])}
    if pythons:
        row["python_versions"] = [f"{each[0]}.{each[1:]}" for each in sorted(pythons, key=int)]
    row |= {"archive_size": path.stat().st_size, "archive_hash": f"sha256:{sha256(path)}"}
    return row | {"archive_url": "./" + quote(path.name)}


def which_zip(index: dict[str, Any]) -> str:
    """For those who look for theirs on a release's page."""
    systems = {"linux": "Linux", "windows": "Windows", "macos": "macOS"}
    lines = ["| Blender | system | zip |", "| --- | --- | --- |"]
    for row in index["data"]:
        first = row["blender_version_min"].rpartition(".")[0]
        before = row.get("blender_version_max", "").rpartition(".")[0]
        blender = f"{first} and newer, older than {before}" if before else f"{first} and newer"
        for platform in row["platforms"]:
            system, machine = platform.split("-")
            lines.append(f"| {blender} | {systems[system]} {machine} | `{row['archive_url'].removeprefix('./')}` |")
    return "\n".join(lines) + "\n\nDrop the zip on Blender's window.\n"


def sums_of(folder: Path) -> str:
    """A line for each file, as `sha256sum --check` reads them."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return "".join(f"{sha256(folder / name)}  {name}\n" for name in names)


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
