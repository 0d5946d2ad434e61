"""A page for each code, and one that lists them; made of the table in navcore/codes and of the sources."""

from __future__ import annotations

import sys
from pathlib import Path

from .codes_in_sources import ERROR, HINT, REASON, ROOT, RULE, WARNING, Given, codes_in_sources

if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from navcore.codes import CodeRow, codes

_KINDS = {
    ERROR: "an error (nothing was built, written or changed)",
    WARNING: "a warning (of a build, a file or a level that went through)",
    HINT: "a hint (in Blender's panel, before the build)",
    REASON: "a reason (the answer to `navcore why`)",
    RULE: "the name of a rule (in sentences of REPAIRED, BROKEN and BROKEN_MESH)",
}
_HEADINGS = {
    ERROR: "Errors",
    WARNING: "Warnings",
    HINT: "Hints before a build in Blender",
    REASON: "Reasons why a place has no navmesh",
    RULE: "Rules of a mesh",
}


def code_pages() -> dict[str, str]:
    """File names below the site's root and their Markdown."""
    given: dict[str, list[Given]] = {}
    for place in codes_in_sources():
        given.setdefault(place.code, []).append(place)
    pages = {f"codes/{row.code}.md": _page(row, given.get(row.code, [])) for row in codes().values()}
    return pages | {"codes/index.md": _list(given)}


def _page(row: CodeRow, places: list[Given]) -> str:
    kinds = ", and ".join(_KINDS[kind] for kind in _KINDS if any(place.kind == kind for place in places))
    lines = [f"# {row.code}", "", f"**{row.title}.**", "", row.meaning, "", "## What to do", "", row.way_out, ""]
    said = sorted({place.sentence for place in places if len(place.sentence) > 3})
    if said:
        lines += ["## As it is said", "", "With names and numbers in the place of each …:", ""]
        lines += [f"- {_plain(sentence)}" for sentence in said] + [""]
    files = ", ".join(f"`{name}`" for name in sorted({place.file for place in places}))
    lines += [f"`{row.code}` is {kinds}. It is given in {files}.", ""]
    return "\n".join(lines)


def _list(given: dict[str, list[Given]]) -> str:
    lines = [
        "# Errors and warnings", "",
        "Every error, warning, hint and reason has a code. It stands first in what commands print, in reports, and in "
        "Python as `error.code`; sentences may change from version to version, codes do not. In a terminal, `python -m "
        "navcore explain CODE` tells what stands on these pages. `--fail-on CODE` ends a build with exit status 3 "
        "where a warning occurs.", "",
    ]  # fmt: skip
    for kind, heading in _HEADINGS.items():
        lines += [f"## {heading}", "", "| code | |", "| --- | --- |"]
        lines += [
            f"| [`{row.code}`]({row.code}.md) | {row.title} |"
            for row in codes().values()
            if any(place.kind == kind for place in given.get(row.code, []))
        ]
        lines.append("")
    return "\n".join([*lines, "```{toctree}", ":hidden:", "", *(codes()), "```", ""])


def _plain(sentence: str) -> str:
    """A sentence of the sources as Markdown that shows it as it is."""
    for special in "\\`*_[]<>#|":
        sentence = sentence.replace(special, f"\\{special}")
    return " ".join(sentence.split())


def write_code_pages(folder: Path) -> None:
    for name, text in code_pages().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
