"""The pages that become the site: all are listed, what they link to is there, and F1 leads to places that exist.

Sphinx is not needed for it; `dev.py docs` builds the site itself, with every warning an error.
"""

from __future__ import annotations

import ast
import itertools
import os
import re
import subprocess
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from navcore import help_pages
from navcore.codes import codes, page_of
from navcore.help_pages import PUBLISHED, SITE
from tools.docs_site.api_reference import api_page, public_names
from tools.docs_site.code_pages import code_pages
from tools.docs_site.contents import API, CODES, CONTENTS, FRONT, INDEX, MADE, written_pages
from tools.docs_site.html_links import broken_links, well_formed
from tools.docs_site.markdown import anchors_of, links_of, with_code_links, with_made_pages
from tools.docs_site.shipped_pages import write_shipped_pages

ROOT = Path(__file__).resolve().parents[1]
PAGES = written_pages()


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def test_every_document_is_in_the_contents() -> None:
    there = {path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))}
    assert there == set(PAGES)
    assert len(PAGES) == len(set(PAGES)) and FRONT not in [page for _, pages in CONTENTS for page in pages]


@pytest.mark.parametrize("page", PAGES)
def test_links_of_a_page_lead_somewhere(page: str) -> None:
    wrong = []
    for link in links_of(text_of(page)):
        file, _, anchor = link.partition("#")
        if ":" in link:
            wrong += [] if well_formed(link) else [link]
            continue
        target = Path(os.path.normpath((ROOT / page).parent / file)) if file else ROOT / page
        if not target.exists() or (anchor and anchor not in anchors_of(target.read_text(encoding="utf-8"))):
            wrong.append(link)
    assert not wrong


def test_pages_begin_with_one_heading_and_skip_none() -> None:
    """Sphinx takes its contents from them."""
    for page in PAGES:
        levels = [len(line) - len(line.lstrip("#")) for line in headings_of(text_of(page))]
        assert levels[0] == 1 and levels.count(1) == 1, page
        assert all(b <= a + 1 for a, b in itertools.pairwise(levels)), page


def headings_of(text: str) -> list[str]:
    from tools.docs_site.markdown import lines_of_text

    return [line for _, line in lines_of_text(text) if line.startswith("#")]


def test_there_is_a_page_for_every_code_and_one_that_lists_them() -> None:
    pages = code_pages()
    assert set(pages) == {CODES, *(f"codes/{code}.md" for code in codes())}
    for code, row in codes().items():
        assert row.way_out in pages[f"codes/{code}.md"] and f"({code}.md)" in pages[CODES]
    assert "There are no triangles to build from" in pages["codes/NO_TRIANGLES.md"]


def test_every_public_name_is_in_the_reference() -> None:
    page = api_page()
    missing = [n for n in public_names() if f"}} navcore.{n}(" not in page and f"}} navcore.{n}\n" not in page]
    assert not missing
    assert "Width of one voxel on the ground." in page and ":value: 0.3" in page  # from a declaration
    assert "Metres around either point in which an agent may take it." in page  # from a comment
    assert "Recast: rcMarkBoxArea." in page  # from a docstring


def test_a_class_has_the_methods_of_those_it_is_made_of() -> None:
    page = api_page()
    for question in ("nearest", "find_paths", "distance_to_wall", "random_points"):
        assert f"{{py:method}} {question}(" in page
    assert "navcore.NavQuery(navmesh: NavMesh | NavmeshFile)" in page
    assert "navcore.navquery.answers.Nearest" in page and "{py:attribute} references" in page


def test_the_made_pages_are_linked_by_the_sources_they_are_made_of() -> None:
    assert all((ROOT / source).is_file() for source in MADE) and set(MADE.values()) == {API, CODES, INDEX}
    page = with_made_pages("[all](../../navcore/codes/__init__.py)", MADE, "../../")
    assert page == "[all](../../codes/index.md)"
    page = with_made_pages("[a](../../README.md#b) [c](README.md)", MADE, "../../")
    assert page == "[a](../../index.md#b) [c](README.md)"


def test_codes_in_a_page_lead_to_their_own_pages() -> None:
    page = "# `DETAIL`\n\n`DETAIL` and [`DETAIL`](x.md), `OTHER`\n\n```\n`DETAIL`\n```"
    linked = "# `DETAIL`\n\n[`DETAIL`](../codes/DETAIL.md) and [`DETAIL`](x.md), `OTHER`\n\n```\n`DETAIL`\n```"
    assert with_code_links(page, {"DETAIL"}, "../") == linked


def test_anchors_are_those_of_forges() -> None:
    page = "# What to do\n\n```\n# not this\n```\n\n## A `b_c`, d-e\n\n## Again\n\n## Again\n"
    assert anchors_of(page) == {"what-to-do", "a-b_c-d-e", "again", "again-1"}


def test_broken_links_of_a_site_are_found(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        '<h1 id="top"><a href="#top">x</a><a href="#no">x</a><a href="a.html#b">x</a><a href="c.html">x</a>'
        '<a href="http://example.org">x</a><a href="https://example.org">x</a><img src="p.png">'
    )
    (tmp_path / "a.html").write_text('<h1 id="c">')
    assert [line.split(": ", 1)[1] for line in broken_links(tmp_path)] == [
        "#no leads to no anchor",
        "a.html#b leads to no anchor",
        "c.html leads to no file",
        "http://example.org is no address of a page",
        "p.png leads to no file",
    ]


def test_f1_leads_to_places_that_exist() -> None:
    """Blender's side of it is tested inside Blender."""
    tree = ast.parse((ROOT / "navmesh_addon/interface/manual_pages.py").read_bytes())
    (pages,) = (n.value for n in tree.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "PAGES")
    for _, address in ast.literal_eval(pages):
        page, _, anchor = address.partition("#")
        written = page.replace(".html", ".md")
        assert written in PAGES and (not anchor or anchor in anchors_of(text_of(written))), address


def test_nothing_is_described_twice_in_the_reference() -> None:
    """Sphinx refuses it, and builds of the site with it."""
    said: Counter[str] = Counter()
    owner = ""
    for line in api_page().split("\n"):
        if found := re.match(r":{3,5}\{py:(\w+)\} ([\w.]+)", line):
            owner = found[2] if found[1] in ("class", "function") else owner
            said[found[2] if found[1] in ("class", "function") else f"{owner}.{found[2]}"] += 1
    assert not [name for name, times in said.items() if times > 1] and len(said) > 300


# --- addresses of ours, and the pages that ship inside


OURS = re.compile(r"https?://[^\s\"'<>)`]*navmesh[^\s\"'<>)`]*", re.IGNORECASE)
OTHERS = ("recast", "babylon", "godot", "playcanvas", "three", "yuka", "unity", "unreal", "blender.org", "example.")
READ = (".md", ".py", ".toml", ".txt", ".yml", ".json", ".html", ".js")


def test_no_address_of_ours_stands_anywhere_that_nobody_has_published() -> None:
    """Help that leads to such a one ends at an error page."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    wrong = []
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file() and Path(name).suffix in READ:
            found = OURS.findall((ROOT / name).read_text(encoding="utf-8", errors="replace"))
            wrong += [
                f"{name}: {address}" for address in found
                if not any(other in address.lower() for other in OTHERS) and not address.startswith(PUBLISHED or ("-",))
            ]  # fmt: skip
    assert not [line for line in wrong if not line.startswith("tests/test_docs_site.py")]
    assert OURS.search("see https://navmesh.readthedocs.io/en/latest/")


def test_one_constant_switches_to_a_site() -> None:
    manifest, package = (tomllib.loads(text_of(name)) for name in ("blender_manifest.toml", "pyproject.toml"))
    named = {manifest.get("website", ""), package["project"].get("urls", {}).get("Documentation", "")}
    assert named == {SITE} and (SITE in PUBLISHED and SITE.endswith("/") if SITE else True)


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shipped") / "manual"
    write_shipped_pages(folder)
    return folder


def test_the_pages_that_ship_are_whole_and_small(shipped: Path) -> None:
    assert broken_links(shipped) == []
    styled = [path for path in shipped.rglob("*.html") if (path.parent / _sheet_of(path)).is_file()]
    assert styled == list(shipped.rglob("*.html"))
    files = [path for path in shipped.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 3_250_000
    assert not [path for path in files if path.suffix == ".html" and "<script" in path.read_text(encoding="utf-8")]


def _sheet_of(page: Path) -> str:
    """Where a page looks for its style: links of the head are not among those that are followed."""
    (sheet,) = re.findall(r'<link rel="stylesheet" href="([^"]+)">', page.read_text(encoding="utf-8"))
    return str(sheet)


def test_f1_and_every_code_lead_to_a_page_that_ships(shipped: Path) -> None:
    tree = ast.parse((ROOT / "navmesh_addon/interface/manual_pages.py").read_bytes())
    (pages,) = (n.value for n in tree.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "PAGES")
    for _, address in ast.literal_eval(pages):
        page, _, anchor = address.partition("#")
        assert not anchor or f'id="{anchor}"' in (shipped / page).read_text(encoding="utf-8"), address
        assert (shipped / page).is_file()
    for code in codes():
        address = page_of(code)
        assert address is not None and address.endswith(f"/codes/{code}.html")
        assert (shipped / f"codes/{code}.html").is_file()
    text = (shipped / "codes/NO_TRIANGLES.html").read_text(encoding="utf-8")
    assert "There are no triangles to build from" in text and "What to do" in text


def test_addresses_lead_into_the_package_until_there_is_a_site(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    address = help_pages.page_address("index.html")
    assert address is not None and address.startswith(("file://", SITE or "-"))
    monkeypatch.setattr(help_pages, "MANUAL", tmp_path / "package/navcore/manual")
    assert help_pages.page_address("index.html") is None, "nothing ships there"
    help_pages.help_address.cache_clear()
    monkeypatch.setattr(help_pages, "SITE", "https://docs.example/")
    assert help_pages.page_address("index.html") == "https://docs.example/index.html"
    help_pages.help_address.cache_clear()
