"""Make the extension's zips, one per platform and Python of Blender, and the index that serves their folder.

Blender's own tool builds and validates them; it comes with the bpy of the environment this runs in. In between, the
zips are written anew, with sorted names, one date and no compression (the wheels are compressed already): the same
sources give the same bytes, on every machine, where the kernels were baked anew (see bake.py).
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BELONGS = {"blender_manifest.toml", "__init__.py", "LICENSE", "navcore", "navmesh_addon", "wheels"}
PACKED = "{python}-numba{numba}-{system}.kernels"  # how packs for a zip are called
SYSTEMS = {"linux_x64": "linux-x86_64", "windows_x64": "win32-amd64"}  # of a zip → of a pack
SYSTEMS |= {"macos_arm64": "darwin-arm64", "macos_x64": "darwin-x86_64"}
NEVER = (".pyc", ".nbi", ".nbc", ".blend")
HEAVY = shutil.ignore_patterns(".*", "__pycache__", "compiled", "manual", "dist", "node_modules", "out", "wheels")
OLDEST_DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip can hold


class Generation(NamedTuple):
    """Blenders that run on the same Python, and so with the same wheels."""

    first: str
    before: str  # the first that is too new; nothing for the latest
    python: str


GENERATIONS = (Generation("4.2.0", "5.1.0", "cp311"), Generation("5.1.0", "", "cp313"))


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser("package.py", description="Make the extension's zips.")
    parser.add_argument("--source", type=Path, default=ROOT, help="folder with blender_manifest.toml and wheels/")
    parser.add_argument("--target", type=Path, default=ROOT / "dist", help="folder for the zips, older ones removed")
    chosen = parser.parse_args(argv)
    began = time.perf_counter()
    for path in package(chosen.source, chosen.target):
        print(f"{path.stat().st_size / 1e6:8.1f} MB  {path}")
    print(f"package: {time.perf_counter() - began:.0f} s for building, writing and validating the zips")
    return 0


def package(source: Path, target: Path) -> list[Path]:
    """Build, repack, check and validate every zip, then write index.json beside them. Returns the zips.

    They are made aside: a failure leaves the last good zips where they are.
    """
    with tempfile.TemporaryDirectory(dir=source, prefix=".package-") as aside, ThreadPoolExecutor() as threads:
        ready = Path(aside) / "ready"
        ready.mkdir()
        manual = make_manual(Path(aside) / "manual")
        folders = [lay_out(source, Path(aside), manual, generation) for generation in generations_of(source)]
        rough = [path for built in threads.map(build, folders) for path in built]
        for _ in threads.map(lambda path: finish(path, ready, source), rough):
            pass
        extension_tool("server-generate", "--repo-dir", str(ready))
        target.mkdir(parents=True, exist_ok=True)
        for old in [*target.glob("*.zip"), *target.glob("index.*")]:
            old.unlink()
        for path in ready.iterdir():
            shutil.move(path, target / path.name)
    return sorted(target.glob("*.zip"))


def make_manual(folder: Path) -> Path:
    """The pages that help opens in Blender."""
    sys.path.insert(0, str(ROOT))
    from tools.docs_site.shipped_pages import write_shipped_pages

    write_shipped_pages(folder)
    return folder


def generations_of(source: Path) -> Iterable[Generation | None]:
    """Those that the manifest lists wheels for; None where it lists others: one zip as the manifest has it."""
    manifest = tomllib.loads((source / "blender_manifest.toml").read_text(encoding="utf-8"))
    pythons = {wheel.split("-")[2] for wheel in manifest["wheels"]}
    return GENERATIONS if pythons == {generation.python for generation in GENERATIONS} else [None]


def lay_out(source: Path, aside: Path, manual: Path, generation: Generation | None) -> Path:
    """What Blender's tool builds from: the sources, and of the wheels and the manifest what a generation needs."""
    folder = aside / (f"blender{generation.first}" if generation else "as it is")
    shutil.copytree(source, folder, ignore=HEAVY)
    shutil.copytree(manual, folder / "navcore/manual")
    manifest = folder / "blender_manifest.toml"
    text = manifest.read_text(encoding="utf-8")
    if generation is not None:
        text = manifest_of(text, generation)
        manifest.write_text(text, encoding="utf-8")
    (folder / "wheels").mkdir()
    for wheel in tomllib.loads(text)["wheels"]:
        if (source / wheel).is_file():  # Blender's tool says which are missing
            (folder / wheel).hardlink_to(source / wheel)
    return folder


def manifest_of(text: str, generation: Generation) -> str:
    """The manifest for one generation: its wheels, the platforms that have any, the Blenders that it is for."""
    kept = [line for line in text.splitlines() if "/wheels/" not in line or f"-{generation.python}-" in line]
    text = "\n".join(kept) + "\n"
    range_ = f'blender_version_min = "{generation.first}"'
    if generation.before:
        range_ += f'\nblender_version_max = "{generation.before}"'
    text = re.sub(r'^blender_version_min = ".*"$', range_, text, count=1, flags=re.MULTILINE)
    wheels, platforms = (tomllib.loads(text)[name] for name in ("wheels", "platforms"))
    served = [platform for platform in platforms if any(is_for(wheel, platform) for wheel in wheels)]
    listed = ", ".join(f'"{platform}"' for platform in served)
    return re.sub(r"^platforms = \[.*\]$", f"platforms = [{listed}]", text, count=1, flags=re.MULTILINE)


def is_for(wheel: str, platform: str) -> bool:
    """Whether a wheel is for a platform as Blender calls it."""
    system, machine = platform.split("-")
    named = {"linux": "linux", "windows": "win_", "macos": "macosx"}[system]
    return named in wheel and wheel.endswith({"x64": ("x86_64.whl", "amd64.whl"), "arm64": ("arm64.whl",)}[machine])


def build(folder: Path) -> list[Path]:
    """The zips that Blender's tool makes of a folder, one for each platform."""
    made = folder.with_name(f"{folder.name} made")
    made.mkdir()
    extension_tool("build", "--source-dir", str(folder), "--output-dir", str(made), "--split-platforms")
    return sorted(made.glob("*.zip"))


def finish(rough: Path, ready: Path, source: Path) -> None:
    """Write a zip anew with its kernels, under the name that also says for which Blenders it is, and look at it."""
    wheels, first = described(rough)
    before, _, platform = rough.stem.rpartition("-")
    path = ready / f"{before}-blender{'.'.join(first.split('.')[:2])}-{platform}.zip"
    repack(rough, path, kernels_for(wheels, platform, source))
    rough.unlink()
    check_contents(path)
    extension_tool("validate", str(path))


def described(archive: Path) -> tuple[list[str], str]:
    """The wheels in a zip, and the first Blender that it is for."""
    with zipfile.ZipFile(archive) as content:
        manifest = tomllib.loads(content.read("blender_manifest.toml").decode())
        wheels = [Path(name).name for name in content.namelist() if name.endswith(".whl")]
    return wheels, manifest["blender_version_min"]


def kernels_for(wheels: list[str], platform: str, source: Path) -> dict[str, bytes]:
    """The packs of compiled kernels for the Python and the Numba of a zip, by their place in it; see bake.py.

    None for platforms on which nothing was baked: there the kernels are compiled. One that was made from other sources
    would leave some of them to be compiled, so it is refused.
    """
    packs = {}
    for wheel in (name for name in wheels if name.startswith("numba-")):
        _, version, python, *_ = wheel.split("-")
        name = PACKED.format(python=f"cpython-{python[2:]}", numba=version, system=SYSTEMS[platform])
        for path in sorted((source / "navcore/compiled").glob(name)):
            if not is_current(path):
                raise SystemExit(f"{path.name} was made from other sources: `python3 dev.py package` bakes it anew.")
            packs[f"navcore/compiled/{path.name}"] = path.read_bytes()
    return packs


def is_current(path: Path) -> bool:
    """Whether a pack was made from navcore as it is."""
    sys.path.insert(0, str(ROOT))
    from navcore.kernels.pack_file import read_pack
    from navcore.version import code_fingerprint

    return read_pack(path).sources == code_fingerprint()


def repack(source: Path, target: Path, more: dict[str, bytes]) -> None:
    """The same files and `more`, so written that the bytes depend on their names and contents alone."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as new:
        for name in sorted([*old.namelist(), *more]):
            entry = zipfile.ZipInfo(name, OLDEST_DATE)
            entry.create_system = 3  # Unix, also when written on Windows
            entry.external_attr = 0o100644 << 16
            new.writestr(entry, more[name] if name in more else old.read(name))


def check_contents(path: Path) -> None:
    """Nothing may slip in beside what belongs: the manifest lists what stays out, and forgetting one is easy."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        manifest = tomllib.loads(archive.read("blender_manifest.toml").decode())
    strays = [name for name in names if name.split("/")[0] not in BELONGS or name.endswith(NEVER)]
    if strays:
        raise SystemExit(f"{path.name} holds {', '.join(strays)}: list them in blender_manifest.toml under [build].")
    generated = manifest.get("build", {}).get("generated", {})
    listed = {wheel.removeprefix("./") for wheel in generated.get("wheels", manifest["wheels"])}
    held = {name for name in names if name.startswith("wheels/")}
    if listed != held:
        raise SystemExit(f"{path.name} lists wheels it doesn't hold, or holds others: {sorted(listed ^ held)}.")


def extension_tool(command: str, *arguments: str) -> str:
    """Run Blender's extension tool. Returns what it printed."""
    scripts = blender_scripts()
    line = [sys.executable, str(scripts / "addons_core/bl_pkg/cli/blender_ext.py"), command, *arguments]
    if command in ("build", "validate"):
        line += ["--valid-tags", str(scripts / "modules/_bpy_internal/extensions/tags.py")]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"Blender's extension tool refused to {command}:\n{done.stdout}{done.stderr}")
    return done.stdout


def blender_scripts() -> Path:
    """The scripts of this environment's Blender, found without importing bpy (4.2 may hang at exit)."""
    found = list(Path(sysconfig.get_path("purelib")).glob("bpy/*/scripts"))
    if len(found) != 1:
        raise SystemExit(f"package.py needs an environment with one bpy in it; {sys.executable} has {len(found)}.")
    return found[0]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
