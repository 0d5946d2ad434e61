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
from tests.clients import firefox

HERE = Path(__file__).parent
OUT = HERE.parents[1] / "out/clients"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SIZES = [(1280, 800, "light"), (390, 780, "dark")]


@pytest.mark.skipif(
    not (HERE / "node_modules/playwright-core").is_dir(), reason="npm packages: run `python3 dev.py clients`"
)
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here (Debian: apt-get install chromium)")
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_clicks_keys_and_sizes(size: tuple[int, int, str]) -> None:
    vertices, triangles = scenes.plaza(5)
    settings = Settings(tile_size=48, generate_links=True)
    navmesh = build_navmesh(vertices, triangles, settings)
    before = build_navmesh(vertices, triangles[:-24], settings)
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
    assert seen["way"] == "region" and seen["theme"] != size[2]
    assert seen["panelBefore"] != seen["panelAfter"] and seen["wide"]
    assert all(abs(part) < 1 for corner in seen["corners"] for part in corner), "something lies outside of the view"
    assert 1 == seen["parts"][0] > seen["parts"][1] > seen["parts"][2] and seen["parts"][3] == 1


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here (Debian: apt-get install chromium)")
def test_a_way_that_must_not_be_there_is_told_as_none() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    page, (vertices, triangles) = OUT / "page-tests.html", scenes.flat(20)
    walk = {"name": "walk", "from": (1, 0, 1), "to": (3, 0, 3), "ok": True, "status": "complete", "length": 2.8284}
    shut = {**walk, "name": "gate shut", "status": "partial", "length": 5.3, "expect": "unreachable"}
    lost = {**walk, "name": "lost", "ok": False, "why": "The end can't be reached."}
    write_page(PageContent("Tests", build_navmesh(vertices, triangles), beside=Beside(tests=(walk, shut, lost))), page)
    flags = ["--headless", "--no-sandbox", "--enable-unsafe-swiftshader", "--virtual-time-budget=5000"]
    command = [str(CHROMIUM), *flags, "--dump-dom", str(page)]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout
    assert ">✓ walk: 2.8 m<" in shown and ">✓ gate shut: no way, as it should be<" in shown
    assert ">✗ lost: The end can't be reached.<" in shown


@pytest.mark.skipif(
    firefox.PROGRAM is None or firefox.SCREEN is None,
    reason="there is no Firefox or no screen for it here (Debian: apt-get install firefox-esr xvfb)",
)
def test_it_opens_in_firefox() -> None:
    vertices, triangles = scenes.plaza(5)
    navmesh = build_navmesh(vertices, triangles, Settings(tile_size=48))
    OUT.mkdir(parents=True, exist_ok=True)
    page = OUT / "page-firefox.html"
    write_page(PageContent("The plaza", navmesh, (vertices, triangles)), page)
    with firefox.firefox(1280, 800) as browser:
        browser.open(page)
        for x, y in browser.value(TWO_PLACES):
            browser.click(x, y)
        start, end = browser.value("navmesh.page.asked")
        said = browser.value("document.getElementById('path-length').textContent")
        assert browser.value("performance.getEntriesByType('resource').length") == 0
        picture = browser.picture()
    (OUT / "page-firefox.png").write_bytes(picture)
    wanted = float(NavQuery(navmesh).find_paths([start], [end]).length[0])
    assert float(said.removesuffix(" m")) == pytest.approx(wanted, rel=1e-3) and wanted > 3
    assert len(picture) > 10_000  # bytes: a blank one has fewer


TWO_PLACES = """(() => {
  const found = [];
  for (let x = 340; x < innerWidth; x += 40) {
    for (let y = 70; y < innerHeight - 60; y += 40) if (navmesh.page.groundAt(x, y)) found.push([x, y]);
  }
  return [found[0], found[found.length - 1]];
})()"""


def in_browser(page: Path, pictures: str, width: int, height: int, scheme: str) -> Any:
    command = ["node", str(HERE / "browser.mjs"), str(page), str(OUT / pictures), str(width), str(height), scheme]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
