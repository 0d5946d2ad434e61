"""Make the extension's zips, one per platform, and the index that lets their folder be served as a repository.

Blender's own tool builds and validates them; it comes with the bpy of the environment this runs in. In between, the
zips are written anew, with sorted names, one date and no compression (the wheels are compressed already): the same
sources give the same bytes, on every machine.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BELONGS = {"blender_manifest.toml", "__init__.py", "LICENSE", "navcore", "navmesh_addon", "wheels"}
PLATFORMS = {"linux_x86_64": "linux_x64", "win32_amd64": "windows_x64"}  # of a pack → of a zip
PLATFORMS |= {"darwin_arm64": "macos_arm64", "darwin_x86_64": "macos_x64"}
NEVER = (".pyc", ".nbi", ".nbc", ".blend")
OLDEST_DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip can hold


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser("package.py", description="Make the extension's zips.")
    parser.add_argument("--source", type=Path, default=ROOT, help="folder with blender_manifest.toml and wheels/")
    parser.add_argument("--target", type=Path, default=ROOT / "dist", help="folder for the zips, emptied first")
    chosen = parser.parse_args(argv)
    for path in package(chosen.source, chosen.target):
        print(f"{path.stat().st_size / 1e6:8.1f} MB  {path}")
    return 0


def package(source: Path, target: Path) -> list[Path]:
    """Build, repack, check and validate every zip, then write index.json beside them. Returns the zips.

    They are made aside: a failure leaves the last good zips where they are.
    """
    with tempfile.TemporaryDirectory() as made, tempfile.TemporaryDirectory() as ready:
        extension_tool("build", "--source-dir", str(source), "--output-dir", made, "--split-platforms")
        for rough in sorted(Path(made).glob("*.zip")):
            path = Path(ready) / rough.name
            repack(rough, path, kernels_for(path))
            rough.unlink()
            check_contents(path)
            extension_tool("validate", str(path))
        extension_tool("server-generate", "--repo-dir", ready)
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for path in Path(ready).iterdir():
            shutil.move(path, target / path.name)
    return sorted(target.glob("*.zip"))


def kernels_for(archive: Path) -> dict[str, bytes]:
    """The packs of compiled kernels for the platform of this zip, by their place in it; see bake.py.

    None for platforms on which nothing was baked: there the kernels are compiled. One that was made from other sources
    would only be refused when it is loaded.
    """
    packs = {}
    for path in sorted((ROOT / "kernels").glob("*.kernels")):
        system = "_".join(path.stem.split("-")[-2:])
        if archive.stem.endswith(PLATFORMS.get(system, "none")):
            if not is_current(path):
                raise SystemExit(f"{path} was made from other sources: run `python3 dev.py package`, which bakes anew.")
            packs[f"navcore/compiled/{path.name}"] = path.read_bytes()
    return packs


def is_current(path: Path) -> bool:
    """Whether a pack was made from navcore as it is."""
    sys.path.insert(0, str(ROOT))
    from navcore.kernels.shipped_pack import made_from
    from navcore.version import code_fingerprint

    return made_from(path) == code_fingerprint()


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
