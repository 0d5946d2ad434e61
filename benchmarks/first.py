"""How long the first build makes people wait: `python benchmarks/first.py [MESH.obj]`, in an environment with bpy.

Installs the zip from dist/ into a Blender that has never seen it and builds, then builds in the next Blender; once
with the kernels that the zip brings, once without them. And `python -m navcore build`, as a whole process, once its
kernels are there. A figure is the best of several rounds, each with a user folder of its own. Where Node.js is, Recast
as WebAssembly builds the same level, which tells how fast the machine is.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from benchmarks.run import install_peer, run_peer, write_job  # noqa: E402
from navcore import Settings  # noqa: E402
from navcore.formats.obj.obj_reader import read_obj  # noqa: E402
from tests import scenes  # noqa: E402
from tests.package.fresh import Blender, zip_of_this_machine  # noqa: E402

PEER = "Recast as WebAssembly, one build"
COMMAND = "python -m navcore build, whole process, kernels in the cache"
SHIPPED = "first build after installing the zip"
NEXT = "first build of the next Blender"
COMPILED = "first build after installing, without the zip's kernels"
NEXT_COMPILED = "first build of the next Blender, without the zip's kernels"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mesh", nargs="?", type=Path, help="an .obj file (default: a generated town)")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    archive = zip_of_this_machine()
    with tempfile.TemporaryDirectory() as folder:
        mesh = Path(folder) / "town.obj"
        mesh.write_text(scenes.obj_text(scenes.city(3)))  # about as many triangles as RecastDemo's nav_test
        mesh = arguments.mesh.resolve() if arguments.mesh else mesh
        best: dict[str, float] = {}
        for _ in range(arguments.rounds):
            for what, seconds in (*peer(mesh), *command(mesh), *blender(mesh, archive)):
                best[what] = min(seconds, best.get(what, seconds))
    sys.stdout.write(table(best, mesh.stem, bpy_version()))
    return 0


def peer(mesh: Path) -> Iterator[tuple[str, float]]:
    if shutil.which("npm") is None or shutil.which("node") is None:
        return
    install_peer()
    with tempfile.TemporaryDirectory() as folder:
        job = write_job(Path(folder), read_obj(mesh), Settings(), repeat=15)
        yield PEER, min(run_peer("peer.mjs", job)["seconds"])


def command(mesh: Path) -> Iterator[tuple[str, float]]:
    """The second of two processes."""
    with tempfile.TemporaryDirectory() as folder:
        line = [sys.executable, "-m", "navcore", "build", str(mesh), "-o", str(Path(folder) / "navmesh.bin")]
        for _ in range(2):
            began = time.perf_counter()
            subprocess.run(line, cwd=HERE.parent, check=True, capture_output=True, env=as_users_have_it())
            seconds = time.perf_counter() - began
        yield COMMAND, seconds


def as_users_have_it() -> dict[str, str]:
    """The environment, without what would make Numba compile or Python start in another way."""
    return {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "PYTHON"))}


def blender(mesh: Path, archive: Path) -> Iterator[tuple[str, float]]:
    """With the zip's kernels and without them, each time in a new user folder."""
    for first, second, shipped in ((SHIPPED, NEXT, True), (COMPILED, NEXT_COMPILED, False)):
        with tempfile.TemporaryDirectory() as folder:
            fresh = Blender(Path(folder))
            fresh.run("install", str(archive))
            if not shipped:
                for packs in fresh.user.rglob("navcore/compiled"):
                    shutil.rmtree(packs)
            for what in (first, second):
                built = fresh.run("build_file", str(mesh))
                check(built["kernels"], shipped)
                yield what, built["seconds"]


def check(kernels: dict[str, Any], shipped: bool) -> None:
    """Whether this was measured at all: a pack that does not fit would be compiled beside in silence."""
    if bool(kernels["why_compiled"]) == shipped or (shipped and kernels["compiled"]):
        raise SystemExit(f"first.py: {kernels}. Is the zip in dist/ current? Run `python3 dev.py package`.")


def bpy_version() -> str:
    from importlib.metadata import version

    return version("bpy")


def table(best: dict[str, float], level: str, blender_version: str) -> str:
    lines = [f"{level}, bpy {blender_version}, Python {sys.version.split()[0]}; seconds, the best of all rounds"]
    return "\n".join([*lines, *(f"{seconds:8.3f}  {what}" for what, seconds in best.items())]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
