#!/usr/bin/env python3
"""The one entry point for developers: python3 dev.py WORD [options]

  test [--blender 4.2|4.5|5.0|5.2]   all tests; with --blender, everything inside that one Blender
  check                              format, lint, types and the tests that need no Blender
  demo                               build and render the example level into out/demo/
  bench [options]                    benchmarks
  gui                                tests in a real Blender window
  clients [options]                  what engines and libraries make of the exports (needs Node.js)
  package                            the extension zips, validated
  bake                               the compiled kernels of this platform that the zips bring
  wheel                              navcore's wheels with compiled kernels, and its sdist, installed and used
  release                            dist/release/VERSION: zips, index, wheels, notes, docs; what lacks is made
  soak [options]                     random levels in every way of building; --blender X: 500 builds in one session
  fuzz [TARGET …] [options]          hostile bytes for every reader, guided by coverage (Linux)
  docs                               the site of the documents into out/docs, every link inside checked
  pictures                           every picture of README and docs made anew (Linux, root)
  coverage [options]                 which lines of navcore the tests reach, kernels included

Needs nothing but Python 3.9 or newer: it makes .venv-tools with nox and uv in it, and noxfile.py does the rest.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent
TOOLS = ROOT / ".venv-tools"
STAMP = TOOLS / "ready.json"
WORDS = (
    "test",
    "check",
    "demo",
    "gui",
    "bench",
    "clients",
    "package",
    "bake",
    "wheel",
    "release",
    "soak",
    "fuzz",
    "coverage",
    "docs",
    "pictures",
)

# Pinned: the newest nox that still runs on Python 3.9 (without the pin, pip searches old releases for minutes there).
PINS = ("nox==2025.5.1", "uv==0.9.5")
PROBE = "iniconfig==2.0.0"  # small, pure and fit for every Python; only asked for, never installed


def main(argv: list[str]) -> int:
    if not argv or argv[0] in ("-h", "--help", "help"):
        print(__doc__)
        return 0 if argv else 2
    word, options = argv[0], argv[1:]
    if word not in WORDS:
        print(f"dev.py: there is no word '{word}'. Known words: {', '.join(WORDS)}.", file=sys.stderr)
        return 2
    backend = make_tools()
    nox = [str(tool("python")), "-m", "nox", "--noxfile", str(ROOT / "noxfile.py")]
    env = dict(os.environ, NOX_DEFAULT_VENV_BACKEND=backend)
    env["PATH"] = str(tool("python").parent) + os.pathsep + env.get("PATH", "")
    if word not in sessions(nox, env):
        print(f"dev.py: '{word}' does not exist in this version of Navmesh.", file=sys.stderr)
        return 1
    return subprocess.run([*nox, "-s", word, "--", *options], cwd=ROOT, env=env).returncode


def sessions(nox: list[str], env: dict[str, str]) -> set[str]:
    """The words that noxfile.py defines."""
    listing = subprocess.run([*nox, "--list", "--json"], cwd=ROOT, env=env, stdout=subprocess.PIPE, check=True)
    return {entry["session"] for entry in json.loads(listing.stdout)}


def tool(name: str) -> Path:
    """A program of the tools environment."""
    return TOOLS / "Scripts" / f"{name}.exe" if os.name == "nt" else TOOLS / "bin" / name


def make_tools() -> str:
    """Make .venv-tools where it is missing or older than the pins. Returns the backend nox is to use."""
    if STAMP.is_file() and tool("python").exists():
        ready = json.loads(STAMP.read_text(encoding="utf-8"))
        if ready["pins"] == list(PINS):
            return str(ready["backend"])
    print("dev.py: making .venv-tools", flush=True)
    make_venv()
    subprocess.run([str(tool("python")), "-m", "pip", "install", "--quiet", *PINS], check=True)
    backend = "uv" if uv_reaches_packages() else "virtualenv"
    STAMP.write_text(json.dumps({"pins": PINS, "backend": backend}), encoding="utf-8")
    return backend


def make_venv() -> None:
    """Some Pythons can't make environments (a Linux distribution's without its venv package): try the next one."""
    failures = []
    for python in pythons():
        shutil.rmtree(TOOLS, ignore_errors=True)
        made = subprocess.run([python, "-m", "venv", str(TOOLS)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if made.returncode == 0:
            return
        failures.append(f"  {python}: {made.stdout.decode(errors='replace').strip()}")
    raise SystemExit("dev.py: no Python here can make a virtual environment.\n" + "\n".join(failures))


def pythons() -> Iterator[str]:
    """Pythons to make .venv-tools with, the running one first."""
    yield sys.executable
    for name in ("python3.13", "python3.12", "python3.11", "python3", "python"):
        found = shutil.which(name)
        if found and found != sys.executable:
            yield found


def uv_reaches_packages() -> bool:
    """uv is much faster, but doesn't read pip's configuration: where only pip knows the way, pip does the work."""
    probe = [
        str(tool("uv")),
        "pip",
        "install",
        "--dry-run",
        "--reinstall",
        "--no-cache",
        "--python",
        str(tool("python")),
    ]
    try:
        return (
            subprocess.run([*probe, PROBE], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60).returncode
            == 0
        )
    except (OSError, subprocess.TimeoutExpired):
        return False


if __name__ == "__main__":
    if sys.version_info < (3, 9):  # noqa: UP036 - whatever `python3` is on this machine, it gets a sentence
        raise SystemExit("dev.py needs Python 3.9 or newer; this is " + sys.version.split()[0] + ".")
    try:
        raise SystemExit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except subprocess.CalledProcessError as failure:
        raise SystemExit(f"dev.py: {' '.join(failure.cmd)} failed with status {failure.returncode}.") from None
