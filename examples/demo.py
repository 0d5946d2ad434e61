"""The whole way in one command: make a level, build its navmesh, render both. Run through `python3 dev.py demo`.

Needs bpy for the picture. `--skip-build` renders again what out/demo holds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import level

ROOT = Path(__file__).resolve().parents[1]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser("dev.py demo")
    parser.add_argument("--out", type=Path, default=ROOT / "out/demo")
    parser.add_argument("--samples", type=int, default=12, help="light paths per pixel")
    parser.add_argument("--skip-build", action="store_true")
    options = parser.parse_args(arguments)
    folder: Path = options.out
    seconds: dict[str, float] = {}

    start = time.perf_counter()
    parts = level.level()
    level.write_obj(folder / "level.obj", parts)
    (folder / "scene.json").write_text(json.dumps(level.scene(), indent=1) + "\n", encoding="ascii")
    seconds["make the level"] = time.perf_counter() - start

    if not options.skip_build:
        start = time.perf_counter()
        status = build(folder)
        if status:
            return status
        seconds["build the navmesh"] = time.perf_counter() - start

    import picture  # here, because it imports bpy: a failed build shall not wait for that

    start = time.perf_counter()
    navmesh = json.loads((folder / "navmesh.json").read_text(encoding="utf-8"))
    picture.render(parts, level.water(), navmesh, folder / "navmesh.png", options.samples)
    seconds["render the picture"] = time.perf_counter() - start
    tell(folder, seconds)
    return 0


def build(folder: Path) -> int:
    """Run the command that users run, in a process of its own."""
    command = [sys.executable, "-m", "navcore", "build", str(folder / "level.obj")]
    command += ["--scene", str(folder / "scene.json"), "--report", str(folder / "report.json")]
    command += ["--repeat", "1"]  # the first build may compile kernels: the report shall tell of the second
    for name in ("navmesh.obj", "navmesh.json"):
        command += ["-o", str(folder / name)]
    env = dict(os.environ, PYTHONPATH=str(ROOT))
    return subprocess.run(command, cwd=ROOT, env=env).returncode


def tell(folder: Path, seconds: dict[str, float]) -> None:
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    for step, taken in seconds.items():
        print(f"{taken:8.2f} s  {step}")
    if "build the navmesh" in seconds:
        print(f"            of which, once the kernels are compiled, {report['seconds']['total'] * 1000:.1f} ms:")
        for stage, taken in report["seconds"]["stages"].items():
            print(f"{taken * 1000:12.2f} ms  {stage}")
    counts = report["counts"]
    print(f"{counts['polygons']:,} polygons, {counts['detail_triangles']:,} detail triangles. In {folder}:")
    for path in sorted(folder.iterdir()):
        print(f"  {path.name:14} {path.stat().st_size / 1000:10,.0f} kB")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
