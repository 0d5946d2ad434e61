"""The page of a navmesh in a real browser: clicks, keys, sizes, nothing that leaves it. `python3 dev.py clients`."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from navcore import NavQuery, Settings, build_navmesh
from navcore.page.page_arrays import Beside
from navcore.page.write_page import PageContent, write_page
from tests import scenes

HERE = Path(__file__).parent
OUT = HERE.parents[1] / "out/clients"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.skipif(
        not (HERE / "node_modules/playwright-core").is_dir(), reason="npm packages: run `python3 dev.py clients`"
    ),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here (Debian: apt-get install chromium)"),
]
SIZES = [(1280, 800, "light"), (390, 780, "dark")]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_clicks_keys_and_sizes(size: tuple[int, int, str]) -> None:
    vertices, triangles = scenes.plaza(5)
    settings = Settings(tile_size=48, generate_links=True)
    navmesh = build_navmesh(vertices, triangles, settings)
    before = build_navmesh(vertices, triangles[24:], settings)
    OUT.mkdir(parents=True, exist_ok=True)
    page = OUT / "page.html"
    beside = Beside(navmesh.report.warnings)
    write_page(PageContent("The plaza", navmesh, (vertices, triangles), before, beside), page)
    seen = in_browser(page, f"page-{size[0]}", *size)
    assert seen["errors"] == [] and len(seen["requests"]) == 1, seen  # the page itself
    assert min(seen["picture"], seen["pathPicture"], seen["otherPicture"]) > 10_000  # bytes: a blank one has fewer
    start, end = seen["asked"]
    wanted = NavQuery(navmesh).find_paths([start], [end])
    assert seen["path"]["length"] == pytest.approx(float(wanted.length[0]), rel=1e-3)
    assert float(seen["length"].removesuffix(" m")) == pytest.approx(float(wanted.length[0]), abs=0.006)
    assert seen["path"]["length"] > 3 and seen["cleared"] == "" and seen["set"] == "before"
    assert seen["way"] == "tile" and seen["theme"] != size[2]
    assert seen["panelBefore"] != seen["panelAfter"] and seen["wide"]


def in_browser(page: Path, pictures: str, width: int, height: int, scheme: str) -> Any:
    command = ["node", str(HERE / "browser.mjs"), str(page), str(OUT / pictures), str(width), str(height), scheme]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
