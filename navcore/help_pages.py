"""Where help is: pages that ship inside, and a site once somebody has published one.

Light: Blender asks for addresses while it draws.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

SITE = ""
"""The address of the published documents, ending in a slash; empty as long as nobody has published them. Then the
manifest and pyproject.toml name none, and help opens the pages in `MANUAL`. A test holds all to `PUBLISHED`."""
PUBLISHED: tuple[str, ...] = ()
"""Every address of ours that a person has published. No other may stand anywhere in the product."""
MANUAL = Path(__file__).resolve().parent / "manual"
"""Made by tools/docs_site/shipped_pages.py: `dev.py docs` does it in a checkout, and packaging into zips and wheels."""


@cache
def help_address() -> str:
    """What the addresses of pages begin with, ending in a slash."""
    return SITE or f"{MANUAL.as_uri()}/"


def has_help() -> bool:
    """Whether pages can be opened: a package that was made of an unpacked sdist has none."""
    return bool(SITE) or MANUAL.is_dir() or (MANUAL.parents[1] / "tools/docs_site").is_dir()


def page_address(page: str) -> str | None:
    """The address of a page such as `codes/NOT_FINITE.html`; None where no pages are."""
    return f"{help_address()}{page}" if has_help() else None
