"""Links and headings of Markdown pages, as a forge and the site both read them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping

_FENCE = re.compile(r"^\s*(```+|~~~+)")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_PICTURE = re.compile(r'<img [^>]*src="([^"]+)"')
_CODE_SPAN = re.compile(r"(?<!\[)`([A-Z][A-Z0-9_]+)`(?!\])")
_HEADING = re.compile(r"^#{1,6} +(.+?)\s*$")


def lines_of_text(page: str) -> Iterator[tuple[int, str]]:
    """Number and text of each line outside of fenced blocks, numbers from 0."""
    fence = ""
    for number, line in enumerate(page.split("\n")):
        found = _FENCE.match(line)
        if found and not fence:
            fence = found[1]
        elif found and line.strip() == fence:
            fence = ""
        elif not fence:
            yield number, line


def links_of(page: str) -> list[str]:
    """Where links and pictures lead."""
    text = "\n".join(re.sub(r"`[^`]*`", "", line) for _, line in lines_of_text(page))
    return _LINK.findall(text) + _PICTURE.findall(text)


def anchors_of(page: str) -> set[str]:
    """The anchors of headings, made as forges make them."""
    found: set[str] = set()
    for _, line in lines_of_text(page):
        if heading := _HEADING.match(line):
            slug = re.sub(r"[^\w\- ]", "", heading[1].replace("`", "").lower()).replace(" ", "-")
            again = sum(1 for other in found if re.fullmatch(rf"{re.escape(slug)}(-\d+)?", other))
            found.add(f"{slug}-{again}" if again else slug)
    return found


def with_made_pages(page: str, made: Mapping[str, str], up: str) -> str:
    """The page with links to certain sources leading to the pages that are made of them."""
    for source, target in made.items():
        page = re.sub(rf"\]\({re.escape(up + source)}(#[^)]*)?\)", rf"]({up}{target}\1)", page)
    return page


def with_code_links(page: str, known: Container[str], up: str) -> str:
    """The page with every code in backticks linked to its own page; `up` leads to the root of the site."""
    lines = page.split("\n")
    for number, line in lines_of_text(page):
        if not line.startswith("#"):
            lines[number] = _CODE_SPAN.sub(
                lambda found: f"[{found[0]}]({up}codes/{found[1]}.md)" if found[1] in known else found[0], line
            )
    return "\n".join(lines)
