"""A page of 100,000 polygons in Chromium without a GPU: `python3 dev.py bench newcomers/browser`, after `clients`.

Builds a city in tiles, writes its page with the level beneath, and opens it: the size of the file, seconds until the
first picture, frames a second while it turns, how many requests there were, and the path of two clicks and navcore's.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from navcore import NavQuery, Settings, build_navmesh  # noqa: E402
from navcore.page.write_page import PageContent, write_page  # noqa: E402
from tests import scenes  # noqa: E402

BROWSER = ROOT / "tests/clients/browser.mjs"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=64, help="along each side of the city")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=800)
    arguments = parser.parse_args()
    level = scenes.city(arguments.blocks)
    navmesh = build_navmesh(*level, Settings(tile_size=64))
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "city.html"
        write_page(PageContent("City", navmesh, level), page)
        words = [str(page), str(Path(folder) / "city"), str(arguments.width), str(arguments.height), "light"]
        done = subprocess.run(["node", str(BROWSER), *words], capture_output=True, text=True, check=True)
        megabytes = page.stat().st_size / 1e6
    seen = json.loads(done.stdout.splitlines()[-1])
    ours = float(NavQuery(navmesh).find_paths(*([place] for place in seen["asked"])).length[0])
    print(f"{navmesh.report.counts['polygons']:,} polygons, {len(level[1]):,} triangles: {megabytes:.1f} MB")
    first, frames = seen["firstPicture"] / 1000, seen["framesPerSecond"]
    print(f"first picture after {first:.2f} s, {frames:.1f} frames a second in motion")
    print(f"{len(seen['requests'])} request, path of {seen['path']['length']:.3f} m, navcore {ours:.3f} m")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
