"""The pictures of docs/guide/page.md: pages in Chromium, with a path, keys, what changed, a phone, a large level.

Whoever uses a page clicks and presses keys; here a script at the end of a copy of the page does the same.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import level as example
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from navcore import LevelSource, NavMesh, Scene, Settings, build_navmesh, read_mesh  # noqa: E402
from navcore.page.page_arrays import Beside  # noqa: E402
from navcore.page.write_page import PageContent, write_page  # noqa: E402

_FLAGS = (
    "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--virtual-time-budget=20000", "--disable-background-networking", "--hide-scrollbars", "--no-first-run",
)  # fmt: skip
_BLOCKS = 64  # along a side of the city: some 100,000 polygons on a million triangles
_QUALITY = 68  # of a JPEG

# What somebody does on a page: two clicks where ground is in view, far apart; and keys.
_HANDS = """
<script type="module">
const wait = (what) => window.navmesh?.page.frames > 0 ? what() : setTimeout(() => wait(what), 50);
const press = (...keys) => keys.forEach((key) => dispatchEvent(new KeyboardEvent("keydown", { key })));
const twoClicks = () => {
  const { page } = window.navmesh, found = [];
  for (let x = 30; x < innerWidth; x += 30) {
    for (let y = 70; y < innerHeight - 60; y += 30) {
      if (document.elementFromPoint(x, y)?.id === "view" && page.groundAt(x, y)) found.push([x, y]);
    }
  }
  const apart = ([a, b], [c, d]) => Math.hypot(a - c, b - d);
  const far = found.reduce((best, place) => (apart(found[0], place) > apart(found[0], best) ? place : best));
  for (const place of [found[0], far]) page.click(...place);
};
wait(() => { @ACTS@; });
</script>
"""


class Shot(NamedTuple):
    """A picture: what the page holds, how large the window is, and what somebody does there."""

    content: Callable[[], PageContent]
    width: int
    height: int
    acts: tuple[str, ...]  # one for each page beside each other


def main(folder: Path) -> list[Path]:
    """Build the levels, write their pages, and have them drawn."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        raise SystemExit("The pictures of pages need Chromium (Debian: apt-get install chromium).")
    return [photograph(program, shot, folder / name) for name, shot in SHOTS.items()]


def photograph(program: str, shot: Shot, picture: Path) -> Path:
    with tempfile.TemporaryDirectory() as aside:
        written = Path(aside) / "page.html"
        write_page(shot.content(), written)
        whole, text = Path(aside) / "whole.html", written.read_text(encoding="utf-8")
        for number, act in enumerate(shot.acts):
            done = text.replace("</body>", _HANDS.replace("@ACTS@", act) + "</body>")
            (Path(aside) / f"{number}.html").write_text(done, encoding="utf-8")
        width = shot.width // len(shot.acts)
        frames = [
            f'<iframe src="{number}.html" style="border:0;width:{width}px;height:{shot.height}px"></iframe>'
            for number in range(len(shot.acts))
        ]
        whole.write_text(f'<body style="margin:0;display:flex">{"".join(frames)}</body>', encoding="utf-8")
        shown, seen = whole if len(frames) > 1 else Path(aside) / "0.html", Path(aside) / "seen.png"
        size = f"--window-size={shot.width},{shot.height}"
        command = [program, *_FLAGS, size, f"--user-data-dir={aside}/home", f"--screenshot={seen}", shown.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
        picture.parent.mkdir(parents=True, exist_ok=True)
        if picture.suffix == ".png":
            shutil.copyfile(seen, picture)
        else:
            save_as_jpeg(seen, picture)
    return picture


def save_as_jpeg(source: Path, target: Path) -> None:
    """By Blender, which takes the other pictures."""
    import bpy

    picture = bpy.data.images.load(str(source))
    render = bpy.context.scene.render
    render.image_settings.file_format, render.image_settings.quality = "JPEG", _QUALITY
    bpy.context.scene.view_settings.view_transform = "Standard"
    picture.save_render(str(target), scene=bpy.context.scene)


# ------------------------------------------------------------------------ what is shown


class Example(NamedTuple):
    """The level that the extension brings."""

    vertices: Any
    triangles: Any
    areas: Any
    scene: Scene

    def built(self, crate: tuple[float, float] | None = None) -> NavMesh:
        vertices, triangles, areas = self.with_crate(crate)
        source = LevelSource.of((vertices, triangles, areas), self.scene)
        return build_navmesh(source, settings=Settings(generate_links=True))

    def with_crate(self, place: tuple[float, float] | None) -> tuple[Any, Any, Any]:
        """With a crate of two metres on the ground there."""
        if place is None:
            return self.vertices, self.triangles, self.areas
        around = [(place[0] + x, place[1] + z) for x, z in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        corners = np.array([(x, y, z) for y in (-0.5, 2.0) for x, z in around], np.float32)
        sides = [(0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7), (4, 5, 6, 7)]
        faces = [(face[0], face[k + 1], face[k]) for face in sides for k in (1, 2)]
        vertices = np.concatenate([self.vertices, corners])
        triangles = np.concatenate([self.triangles, np.array(faces, np.int32) + len(self.vertices)])
        areas = None if self.areas is None else np.concatenate([self.areas, np.full(len(faces), 63, np.uint8)])
        return vertices, triangles, areas


@functools.cache
def the_example() -> Example:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "level.obj"
        example.main([str(source)])
        scene = Scene.from_file(source.with_suffix(".scene.json"))
        return Example(*read_mesh(source, scene)[:3], scene)


def example_page() -> PageContent:
    fort = the_example()
    navmesh = fort.built()
    beside = Beside(navmesh.report.warnings, fort.scene.seeds)
    return PageContent("The example level", navmesh, fort[:2], beside=beside)


def changed_page() -> PageContent:
    fort, (before, after) = the_example(), CRATE
    return PageContent("A crate moved", fort.built(after), fort.with_crate(after)[:2], fort.built(before))


def city_page() -> PageContent:
    from tests import scenes

    city = scenes.city(_BLOCKS)
    navmesh = build_navmesh(*city, Settings(tile_size=64))
    return PageContent(f"A city of {navmesh.report.counts['polygons']:,} polygons", navmesh, city)


CRATE = ((14.0, 10.0), (20.0, 12.0))  # where it stood, where it stands
SHOTS = {
    "page.png": Shot(example_page, 1100, 680, ("",)),
    "page/path-and-keys.jpg": Shot(
        example_page, 1000, 620, ('press("ArrowLeft", "ArrowLeft", "ArrowDown", "+", "c", "t"); twoClicks()',)
    ),
    "page/changes.jpg": Shot(changed_page, 1000, 620, ('document.querySelector("#panel li button").click()',)),
    "page/phone.jpg": Shot(example_page, 780, 780, ("twoClicks()", 'press("t", "p")')),
    "page/city.jpg": Shot(city_page, 1000, 560, ("", "press(...Array(16).fill('+')); twoClicks()")),
}
"""By their names below docs/guide/pictures."""


if __name__ == "__main__":
    for made in main(Path(sys.argv[1])):
        print(made)
