"""The first ten minutes outside of our wheel: `python3 dev.py bench newcomers/contact [--prepare]`.

Installs this checkout without compiled kernels into an empty environment, and runs what a newcomer runs, in an empty
home: the first build, the same again, a first question, a build in tiles and one with links. Told are seconds by the
clock, processor seconds of the command and of all processes that it started, how busy the machine was, and how often it
said on standard error that it compiles. With `--prepare`, `navcore prepare` comes first. Clocks count on a quiet
machine alone; processor seconds say more on a busy one.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from tests import scenes  # noqa: E402

LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "compiled", "dist", "node_modules", "out", "wheels", "tests")
COMMANDS = (
    ("first build", "build town.obj -o town.bin"),
    ("the same again", "build town.obj -o town.bin"),
    ("first question", "path town.bin --from 2,0,2 --to 40,0,40"),
    ("first build in tiles", "build town.obj --tile-size 48 -o tiles.bin"),
    ("first build with links", "build town.obj --generate-links -o links.bin"),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prepare", action="store_true", help="run navcore prepare first")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir()
        (home / "town.obj").write_text(scenes.obj_text(scenes.city(3)))
        navcore = installed(Path(folder))
        for name, words in ((("prepare", "prepare"),) if arguments.prepare else ()) + COMMANDS:
            print(told(name, [str(navcore), *words.split()], home), flush=True)
    return 0


def installed(folder: Path) -> Path:
    """The command in an environment that has nothing else."""
    shutil.copytree(ROOT, folder / "sources", ignore=LEFT_OUT)
    venv.create(folder / "environment", with_pip=True)
    programs = folder / "environment" / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run([str(programs / "python"), "-m", "pip", "install", "--quiet", str(folder / "sources")], check=True)
    return programs / "navcore"


def told(name: str, command: list[str], home: Path) -> str:
    """Run it once, and say what it took."""
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("NAVMESH_", "NUMBA_", "PYTHON", "XDG_"))
    }
    before, began = processor_seconds(), time.perf_counter()
    done = subprocess.run(command, cwd=home, env={**kept, "HOME": str(home)}, capture_output=True, text=True)
    wall, processor = time.perf_counter() - began, processor_seconds() - before
    if done.returncode:
        raise SystemExit(f"{name}: status {done.returncode}\n{done.stderr}")
    lines = sum("compiling kernels" in line for line in done.stderr.splitlines())
    return f"{wall:8.1f} s {processor:8.1f} s of processors, load {os.getloadavg()[0]:4.1f}, said {lines} times  {name}"


def processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
