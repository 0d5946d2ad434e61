"""The pages that ship inside zips and wheels: `python -m tools.docs_site.shipped_pages` lays them into navcore/manual.

They are those of the site without the reference of Python, as plain HTML that needs neither a network nor a script. Of
Markdown as much is read as these documents use; Python alone will do, so that every way of packaging can make them.
"""

from __future__ import annotations

import html
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from .code_pages import code_pages
from .codes_in_sources import ROOT
from .contents import API, CODES, CONTENTS, INDEX, MADE, written_pages
from .markdown import links_of, with_code_links, with_made_pages

FOLDER = ROOT / "navcore/manual"
LARGEST = 100_000  # bytes of a picture; larger ones are left to the repository
_STYLE_FILE = "style.css"
_STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:52em;margin:2em auto;padding:0 1em;color:#222}code,pre{background:#f3f3f3;"
    "font-size:90%}pre{padding:.6em;overflow-x:auto}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:"
    ".2em .6em;text-align:left;vertical-align:top}img{max-width:100%}a{color:#06c}"
)
_FENCE = re.compile(r"^\s*(```+|~~~+|:::+)")
_ITEM = re.compile(r"^(\s*)(?:[*-]|\d+\.) +(.*)$")
_INLINE = (
    (re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)"), r'<img src="\2" alt="\1">'),
    (re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)"), r'<a href="\2">\1</a>'),
    (re.compile(r"&lt;(https://[^\s&]+)&gt;"), r'<a href="\1">\1</a>'),
    (re.compile(r"\*\*(.+?)\*\*"), r"<b>\1</b>"),
    (re.compile(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])"), r"<i>\1</i>"),
    (re.compile(r"\\([\\`*_\[\]<>#|])"), r"\1"),
)


def write_shipped_pages(folder: Path = FOLDER) -> int:
    """Make the folder anew. Returns how many pages there are."""
    from navcore.codes import codes

    shutil.rmtree(folder, ignore_errors=True)
    pages = {name: (ROOT / name).read_text(encoding="utf-8") for name in written_pages()}
    pages = {MADE.get(name, name): _linked(name, text, set(codes())) for name, text in pages.items()}
    pages |= code_pages()
    for name, text in pages.items():
        target = (folder / name).with_suffix(".html")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_page(name, text), encoding="utf-8", newline="\n")
    (folder / _STYLE_FILE).write_text(_STYLE, encoding="utf-8", newline="\n")
    for name in written_pages():
        for link in links_of((ROOT / name).read_text(encoding="utf-8")):
            _copy(folder, name, link)
    return len(pages)


def _linked(name: str, text: str, known: set[str]) -> str:
    """The page with links to what ships; the reference of Python is in the docstrings, and other files do not ship."""
    up = "../" * name.count("/")
    text = with_code_links(with_made_pages(text, MADE, up), known, up)

    def kept(found: re.Match[str]) -> str:
        file = found[3].partition("#")[0]
        if ":" in found[3] or not file or _ships(name, file):
            return found[0]
        return f"{found[2]}"

    return re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", kept, text)


def _ships(name: str, file: str) -> bool:
    there = Path(os.path.normpath(Path(name).parent / file)).as_posix()
    if there == API:
        return False
    return there in (INDEX, CODES, *written_pages()) or there.startswith("codes/") or _small(ROOT / there)


def _small(path: Path) -> bool:
    return path.is_file() and path.suffix in (".png", ".jpg", ".svg", ".json") and path.stat().st_size <= LARGEST


def _copy(folder: Path, name: str, link: str) -> None:
    file = Path(os.path.normpath(ROOT / Path(name).parent / link.partition("#")[0]))
    if ":" not in link and _small(file):
        target = folder / file.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)


def _page(name: str, text: str) -> str:
    up = "../" * name.count("/")
    title = next((line.lstrip("# ") for line in text.split("\n") if line.startswith("# ")), "Navmesh")
    way = [f'<a href="{up}index.html">Navmesh</a>', f'<a href="{up}codes/index.html">Errors and warnings</a>']
    body = "\n".join(_blocks(text.split("\n")))
    if name == INDEX:
        body += "\n" + "\n".join(_contents())
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f'<link rel="stylesheet" href="{up}{_STYLE_FILE}"></head>'
        f"<body>\n<nav>{' · '.join(way)}</nav>\n{body}\n</body></html>\n"
    )


def _contents() -> Iterator[str]:
    """All pages, below the front page."""
    for caption, pages in CONTENTS:
        listed = [page for page in pages if page != API]
        yield f"<h2>{html.escape(caption)}</h2><ul>"
        for page in listed:
            heading = "Errors and warnings" if page == CODES else _heading(page)
            yield f'<li><a href="{_to_html(page)}">{html.escape(heading)}</a></li>'
        yield "</ul>"


def _heading(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")


def _to_html(link: str) -> str:
    file, sharp, anchor = link.partition("#")
    return link if ":" in link else re.sub(r"\.md$", ".html", file) + sharp + anchor


# --- Markdown


def _blocks(lines: list[str]) -> Iterator[str]:
    at, anchors = 0, set[str]()
    while at < len(lines):
        line, begin = lines[at], at
        if fence := _FENCE.match(line):
            at = next((k for k in range(at + 1, len(lines)) if lines[k].strip() == fence[1]), len(lines))
            if "{toctree}" not in line:
                yield f"<pre>{html.escape(chr(10).join(lines[begin + 1 : at]))}</pre>"
            at += 1
        elif line.startswith("#"):
            level = len(line) - len(line.lstrip("#"))
            anchor = _anchor(line, anchors)
            yield f'<h{level} id="{anchor}">{_inline(line[level:].strip())}</h{level}>'
            at += 1
        elif line.startswith("|"):
            while at < len(lines) and lines[at].startswith("|"):
                at += 1
            yield _table(lines[begin:at])
        elif _ITEM.match(line):
            while at < len(lines) and (_ITEM.match(lines[at]) or (lines[at].startswith("  ") and lines[at].strip())):
                at += 1
            yield _list(lines[begin:at])
        elif line.lstrip().startswith("<"):
            yield _shown_picture(line)
            at += 1
        elif line.strip():
            while at < len(lines) and lines[at].strip() and not _begins(lines[at]):
                at += 1
            at = max(at, begin + 1)
            yield f"<p>{_inline(' '.join(lines[begin:at]))}</p>"
        else:
            at += 1


def _begins(line: str) -> bool:
    """Whether another block begins there."""
    return bool(_FENCE.match(line) or line.startswith(("#", "|", "<img")) or _ITEM.match(line))


def _shown_picture(line: str) -> str:
    found = re.search(r'src="([^"]+)"', line)
    return line if found is None or _small(ROOT / found[1]) else ""


def _anchor(line: str, before: set[str]) -> str:
    slug = re.sub(r"[^\w\- ]", "", line.lstrip("# ").strip().replace("`", "").lower()).replace(" ", "-")
    again = sum(1 for other in before if re.fullmatch(rf"{re.escape(slug)}(-\d+)?", other))
    before.add(anchor := f"{slug}-{again}" if again else slug)
    return anchor


def _table(lines: list[str]) -> str:
    rows = [re.split(r"(?<!\\)\|", line.strip().strip("|")) for line in lines]
    shown = []
    for number, row in enumerate(rows):
        if number == 1 and all(set(cell.strip()) <= set(":-") for cell in row):
            continue
        kind = "th" if number == 0 else "td"
        shown.append("<tr>" + "".join(f"<{kind}>{_inline(cell.strip())}</{kind}>" for cell in row) + "</tr>")
    return "<table>" + "".join(shown) + "</table>"


def _list(lines: list[str]) -> str:
    items: list[str] = []
    for line in lines:
        if found := _ITEM.match(line):
            items.append(("— " if found[1] else "") + found[2])
        else:
            items[-1] += " " + line.strip()
    return "<ul>" + "".join(f"<li>{_inline(item)}</li>" for item in items) + "</ul>"


def _inline(text: str) -> str:
    """Code as it is; in the rest links, pictures, bold and slanted words."""
    codes: list[str] = []

    def hide(found: re.Match[str]) -> str:
        codes.append(f"<code>{html.escape(found[2].strip())}</code>")
        return f"\0{len(codes) - 1}\0"

    text = html.escape(re.sub(r"(?<!\\)(`+)(.+?)(?<!`)\1(?!`)", hide, text), quote=False)
    for pattern, shown in _INLINE:
        text = pattern.sub(shown, text)
    text = re.sub(r'(href)="([^"]+)"', lambda found: f'href="{_to_html(found[2])}"', text)
    return re.sub(r"\0(\d+)\0", lambda found: codes[int(found[1])], text)


if __name__ == "__main__":
    sys.exit(0 if write_shipped_pages() else 1)
