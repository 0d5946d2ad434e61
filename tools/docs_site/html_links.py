"""Links of the finished site: those inside lead to a page and an anchor that are there, the others are well formed."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """The anchors of a page, and where its links lead."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in ("id", "name"):
                self.anchors.add(value)
            elif value and (name == "src" or (name == "href" and tag != "link")):
                self.links.add(value)


def broken_links(site: Path) -> list[str]:
    """A sentence for each link that leads nowhere. Nothing is fetched: of others' pages the address is judged."""
    pages: dict[Path, _Page] = {}
    for path in sorted(site.rglob("*.html")):
        pages[path] = _Page()
        pages[path].feed(path.read_text(encoding="utf-8"))
    return [f"{path.relative_to(site)}: {wrong}" for path in pages for wrong in _wrong_links(path, pages)]


def _wrong_links(path: Path, pages: dict[Path, _Page]) -> Iterator[str]:
    for link in sorted(pages[path].links):
        parts = urlsplit(link)
        if parts.scheme in ("data", "mailto"):
            continue
        if parts.scheme or parts.netloc:
            if well_formed(link):
                continue
            yield f"{link} is no address of a page"
        else:
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                yield f"{link} leads to no file"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                yield f"{link} leads to no anchor"


def well_formed(link: str) -> bool:
    """Whether an address outside is complete, and of a page that is fetched safely."""
    parts = urlsplit(link)
    return parts.scheme == "https" and "." in parts.netloc and not any(c.isspace() for c in link)
