"""The picture of docs/guide/page.md: the page of the example level in Chromium."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import level as example

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from navcore import LevelSource, Scene, Settings, build_navmesh, read_mesh
from navcore.page.page_arrays import Beside
from navcore.page.write_page import PageContent, write_page

_FLAGS = (
    "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--window-size=1100,680",
    "--virtual-time-budget=20000", "--disable-background-networking", "--hide-scrollbars", "--no-first-run",
)  # fmt: skip


def main(picture: Path) -> Path:
    """Build the level, write its page, and have it drawn."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        raise SystemExit("The picture of the page needs Chromium (Debian: apt-get install chromium).")
    with tempfile.TemporaryDirectory() as folder:
        source, page = Path(folder) / "level.obj", Path(folder) / "page.html"
        example.main([str(source)])
        scene = Scene.from_file(source.with_suffix(".scene.json"))
        mesh = read_mesh(source, scene)
        navmesh = build_navmesh(LevelSource.of(mesh[:3], scene), settings=Settings(generate_links=True))
        beside = Beside(navmesh.report.warnings, scene.seeds)
        write_page(PageContent("The example level", navmesh, mesh[:2], beside=beside), page)
        command = [program, *_FLAGS, f"--user-data-dir={folder}/home", f"--screenshot={picture}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    return picture
