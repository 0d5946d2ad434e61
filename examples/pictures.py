"""All pictures of README and docs made anew: `python3 dev.py pictures [--only KIND] [--blender 4.3|5.2]`.

KIND is drawn, rendered, browser or window. Drawn ones need navcore alone and are the same bytes in every run. The
rendered one is the demo's. That of the browser is what Chromium shows of a page. Those of a window are what window
tests see, cut to what the page shows (Linux, root, as `dev.py gui`). docs/pictures.json keeps what each of these three
kinds shows, the words and colors of what draws it:
tests/test_pictures.py says when a picture is older.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "examples"), str(ROOT / "tests/gui")]
DOCS = ROOT / "docs"
KEPT = DOCS / "pictures.json"
CUT = ["-crop", "1312x850+0+46", "+repage", "-resize", "900x", "-quality", "85"]  # the 3D view of window tests
_OF_PAGES = (".js", ".css", ".html")
_WORDS_OF_PAGES = re.compile(r"[\"`>][A-Z][a-z ][^\"`<]*|#[0-9a-f]{6}|\[\d+, \d+, \d+\]")
PANELS, VIEWS, PICKING = "navmesh_addon/interface", "navmesh_addon/views", "navmesh_addon/picking"
LEVEL = "navmesh_addon/interface/example_level/ruined_fort.py"


class Shot(NamedTuple):
    """A picture of a window: which test sees it under which name."""

    test: str
    name: str
    shows: tuple[str, ...]  # folders and files whose words and colors are seen


WINDOW = {
    "guide/pictures/five/1-first-run.jpg": Shot("test_five_minutes", "five-1-first-run", (PANELS,)),
    "guide/pictures/five/2-built.jpg": Shot("test_five_minutes", "five-2-built", (PANELS, VIEWS, LEVEL)),
    "guide/pictures/five/3-marked.jpg": Shot("test_five_minutes", "five-3-marked", (PANELS, VIEWS, LEVEL)),
    "guide/pictures/five/4-tested.jpg": Shot("test_five_minutes", "five-4-tested", (PANELS, VIEWS, LEVEL)),
    "guide/pictures/five/5-why.jpg": Shot("test_five_minutes", "five-5-why", (PANELS, VIEWS, LEVEL)),
    "guide/pictures/five/6-export.jpg": Shot("test_five_minutes", "five-6-export", (PANELS, VIEWS, LEVEL)),
    "guide/pictures/by-hand/block.jpg": Shot("test_by_hand", "hand-1-block", (PANELS, VIEWS, LEVEL)),
    "guide/pictures/by-hand/patch.jpg": Shot("test_by_hand", "hand-2-patch", (PANELS, VIEWS)),
    "guide/pictures/by-hand/taken-over.jpg": Shot("test_by_hand", "hand-3-taken-over", (PANELS, VIEWS, LEVEL)),
    "guide/pictures/by-hand/painted.jpg": Shot("test_edit_tool", "edit-tool-3-painted", (PANELS, VIEWS, PICKING)),
    "guide/pictures/doors.jpg": Shot("test_doors", "doors-2-closed", (PANELS, VIEWS)),
    "guide/pictures/obstacles.jpg": Shot("test_doors", "doors-5-dragged", (PANELS, VIEWS)),
    "guide/pictures/links.jpg": Shot("test_links", "links-2-links", (PANELS, VIEWS)),
    "guide/pictures/links/found_links.jpg": Shot("test_found_links", "found-links-3-shown", (PANELS, VIEWS)),
    "guide/pictures/live.jpg": Shot("test_live", "live-dragging", (PANELS, VIEWS)),
    "guide/pictures/why-preview.jpg": Shot("test_why", "why-3-preview", (PANELS, VIEWS)),
    "guide/pictures/views/ask.jpg": Shot("test_ask", "ask-2-path", (VIEWS,)),
    "guide/pictures/views/compare.jpg": Shot("test_compare", "compare-3-panel", (PANELS, VIEWS)),
    "guide/pictures/views/drawn.jpg": Shot("test_views", "views-none", (VIEWS,)),
    "guide/pictures/views/reasons.jpg": Shot("test_views", "views-reasons", (VIEWS,)),
    "guide/pictures/views/tests.jpg": Shot("test_tests", "tests-7-looked-at", (PANELS, VIEWS)),
    "guide/pictures/views/walk.jpg": Shot("test_walk", "walk-3-many", (VIEWS,)),
}
PAGES = ("page.png", "page/path-and-keys.jpg", "page/changes.jpg", "page/phone.jpg", "page/city.jpg")
SHOWN = {
    **{name: shot.shows for name, shot in WINDOW.items()},
    "blender.jpg": (PANELS, VIEWS, LEVEL),
    "panel.jpg": (PANELS,),
    "navmesh.jpg": (LEVEL, "examples/picture.py"),
    **{f"guide/pictures/{name}": ("navcore/page/browser",) for name in PAGES},
}
"""What each picture shows that is not the same bytes in every run."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser("dev.py pictures")
    parser.add_argument("--only", choices=("drawn", "rendered", "browser", "window"))
    parser.add_argument("--blender", choices=("4.3", "5.2"), default="4.3", help="of the window")
    options = parser.parse_args(arguments)
    made: list[Path] = []
    if options.only in (None, "drawn"):
        made += draw(DOCS / "guide/pictures")
    if options.only in (None, "rendered"):
        made += render()
    if options.only in (None, "browser"):
        made += photograph(DOCS / "guide/pictures")
    if options.only in (None, "window"):
        made += shoot(options.blender)
    keep([path.relative_to(DOCS).as_posix() for path in made])
    print(*(f"{path.stat().st_size / 1000:7.1f} kB  {path.relative_to(ROOT)}" for path in made), sep="\n")
    print("Look at them: nothing else does.")
    return 0


def draw(folder: Path) -> list[Path]:
    """Those that navcore draws."""
    import clearance_picture
    import cover_picture
    import crowd_picture
    import long_way_picture
    import plan_pictures
    import setting_pictures
    import sizes_picture

    folder.mkdir(parents=True, exist_ok=True)
    return [
        picture
        for script in (
            setting_pictures,
            clearance_picture,
            crowd_picture,
            cover_picture,
            sizes_picture,
            plan_pictures,
            long_way_picture,
        )
        for picture in script.main(folder)
    ]


def render() -> list[Path]:
    """The demo's level, rendered."""
    import bpy
    import demo

    demo.main([])
    picture = bpy.data.images.load(str(ROOT / "out/demo/navmesh.png"))
    scene = bpy.context.scene
    scene.render.image_settings.file_format, scene.render.image_settings.quality = "JPEG", 85
    scene.view_settings.view_transform = "Standard"
    picture.save_render(str(DOCS / "navmesh.jpg"), scene=scene)
    return [DOCS / "navmesh.jpg"]


def photograph(folder: Path) -> list[Path]:
    """Pages, as Chromium shows them."""
    import page_picture

    assert list(page_picture.SHOTS) == list(PAGES)
    return page_picture.main(folder)


def shoot(version: str) -> list[Path]:
    """What the window tests see, and the README's two."""
    import run
    import screenshots

    from tools import window

    if run.main([version, *sorted({shot.test for shot in WINDOW.values()})]):
        raise SystemExit("A window test failed: see what it says above.")
    for name, shot in WINDOW.items():
        seen = ROOT / "out/gui" / f"{version}-{shot.name}.png"
        if window.run(version, ["convert", str(seen), *CUT, str(DOCS / name)]):
            raise SystemExit(f"{name} could not be cut out of {seen}.")
    if screenshots.main([version]):
        raise SystemExit("The README's pictures could not be taken.")
    return [DOCS / name for name in (*WINDOW, "blender.jpg", "panel.jpg")]


def keep(names: list[str]) -> None:
    """Remember what these pictures show."""
    known = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else {}
    now = {**known, **{name: what_is_shown(SHOWN[name]) for name in names if name in SHOWN}}
    kept = {name: now[name] for name in sorted(SHOWN) if name in now}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def what_is_shown(places: tuple[str, ...]) -> str:
    """A hash of the words for people and of the colors in these sources, wherever in them they stand."""
    files = [file for place in places for file in sources_of(ROOT / place)]
    seen = {text for file in files for text in shown_by(file)}
    return hashlib.sha256("\n".join(sorted(seen)).encode()).hexdigest()[:16]


def sources_of(place: Path) -> list[Path]:
    kinds = (".py", *_OF_PAGES)
    return [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.suffix in kinds)


def shown_by(file: Path) -> Iterator[str]:
    """The words and colors of a source in Python, or of a page's."""
    if file.suffix in _OF_PAGES:
        yield from _WORDS_OF_PAGES.findall(file.read_text(encoding="utf-8"))
    else:
        yield from words_and_colors(ast.parse(file.read_bytes()))


def words_and_colors(tree: ast.AST) -> Iterator[str]:
    """Strings that begin as a sentence or a label does, docstrings aside, and rows of three or four numbers."""
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
            if re.match(r"[A-Z“][a-z ]", node.value):
                yield node.value
        elif isinstance(node, ast.Tuple) and len(node.elts) in (3, 4):
            if all(isinstance(each, ast.Constant) and isinstance(each.value, float) for each in node.elts):
                yield ast.unparse(node)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
