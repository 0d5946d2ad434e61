"""One file of a navmesh, of what is told beside it, and of the modules in `browser/`."""

from __future__ import annotations

import base64
import html
import json
import re
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..cover.find_cover import Cover
from ..cover.sight import checked_triangles
from ..crowd.heat.heat import Heat
from ..detour.reader import NavmeshFile
from ..difference.compare import Difference, navmesh_difference
from ..errors import BadInput
from ..files.atomic_write import check_folder, write_whole
from ..result.navmesh import NavMesh
from ..types import F32, AnyArray
from ..version import __version__
from .page_arrays import (
    Beside,
    PageNavmesh,
    page_cover,
    page_difference,
    page_heat,
    page_level,
    page_navmesh,
    told_beside,
)

ENDING = ".html"
_BROWSER = Path(__file__).resolve().parent / "browser"
_MODULES = ("ground", "paths", "data", "camera", "drawing", "scene", "panel", "main")  # each after what it imports
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)
_EXPORTED = re.compile(r"^export (?:const|function|async function|class) (\w+)", re.MULTILINE)
_LEVEL = 6  # of compression


class PageContent(NamedTuple):
    """What one page shows."""

    title: str
    navmesh: NavMesh | NavmeshFile
    level: tuple[AnyArray, F32 | AnyArray] | None = None  # vertices and triangles of what lies beneath
    before: NavMesh | NavmeshFile | None = None  # another navmesh
    beside: Beside = Beside()
    heat: Heat | None = None  # of a walk on it
    cover: Cover | None = None  # around it
    difference: Difference | None = None  # from the one before; None where nobody has computed it


def check_page(path: Path) -> None:
    """Refuse, before anything is computed, a page that could not be written afterwards."""
    if path.suffix.lower() != ENDING:
        raise BadInput(f"{path.name}: a page is written as {ENDING}. Name it so.", "UNKNOWN_FORMAT")
    check_folder(path)


def write_page(content: PageContent, path: Path) -> None:
    """Write a page in one step: it is complete, or not there. Raises NavmeshError."""
    check_page(path)
    write_whole(path, page_of(content).encode())


def page_of(content: PageContent) -> str:
    """The text of the page: one file that asks for nothing else."""
    parts: dict[str, PageNavmesh] = {"navmesh": page_navmesh(content.navmesh)}
    if content.level is not None:
        parts["level"] = page_level(*content.level)
    if content.before is not None:
        parts["before"] = page_navmesh(content.before)
        parts["difference"] = page_difference(content.difference or navmesh_difference(content.before, content.navmesh))
    if content.heat is not None:
        parts["heat"] = page_heat(content.heat)
    if content.cover is not None:
        parts["cover"] = page_cover(content.cover)
    facts, data = _packed(parts)
    facts |= {"title": content.title, "version": __version__, **told_beside(content.beside)}
    filled = {
        "TITLE": html.escape(content.title).encode(errors="xmlcharrefreplace").decode(),  # names of files are any bytes
        "STYLE": _text("page.css"), "SCRIPT": _script(),
        "FACTS": json.dumps(facts, separators=(",", ":")).replace("<", "\\u003c"),  # no tag
        "ARRAYS": base64.b64encode(zlib.compress(data, _LEVEL)).decode(),
    }  # fmt: skip
    return re.sub("@([A-Z]+)@", lambda found: filled[found[1]], _text("page.html"))


def _packed(parts: dict[str, PageNavmesh]) -> tuple[dict[str, Any], bytes]:
    """All arrays one after the other, each from a multiple of eight bytes on, and where each of them lies."""
    facts: dict[str, Any] = {}
    pieces, begin = [], 0
    for name, part in parts.items():
        table = {}
        for key, array in part.arrays.items():
            flat = np.ascontiguousarray(array).reshape(-1)
            content = flat.astype(flat.dtype.newbyteorder("<")).tobytes()
            table[key] = [f"{flat.dtype.kind}{flat.dtype.itemsize}", begin, len(flat)]
            pieces += [content, bytes(-len(content) % 8)]
            begin += -(-len(content) // 8) * 8
        facts[name] = {"arrays": table, **part.facts}
    return facts, b"".join(pieces)


def _text(name: str) -> str:
    return (_BROWSER / name).read_text(encoding="utf-8")


def _script() -> str:
    """All modules as one: each is a function that is called at once, in an order in which it finds what it imports."""
    return "\n".join(_joined(name, _text(f"{name}.js")) for name in _MODULES)


def _joined(name: str, text: str) -> str:
    names = ", ".join(_EXPORTED.findall(text))
    body = _EXPORT.sub("", _IMPORT.sub(r"const {\1} = \2;\n", text))
    return f"const {name} = (() => {{\n{body}return {{ {names} }};\n}})();"


def modules() -> Iterator[Path]:
    """The page's own modules, in the order in which they are joined."""
    yield from (_BROWSER / f"{name}.js" for name in _MODULES)


# --- `NavMesh.show()`: the page of a navmesh in the browser of whoever asks, or below a notebook's cell.

_HEIGHT = 560  # pixels, below a cell


class OpenedPage(NamedTuple):
    """A page that was opened; a notebook draws it below the cell that returns it."""

    path: Path  # the file, in a temporary folder
    text: str

    def _repr_html_(self) -> str:
        """What notebooks draw: the page in a frame of its own."""
        return (
            f'<iframe srcdoc="{html.escape(self.text)}" style="width: 100%; height: {_HEIGHT}px; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"OpenedPage({str(self.path)!r})"


def _checked_level(level: object) -> tuple[AnyArray, AnyArray]:
    """Vertices and triangles. Raises BadInput for what is none."""
    if not isinstance(level, tuple | list) or len(level) != 2:
        raise BadInput(
            f"level is a {type(level).__name__}. Give (vertices, triangles): of what read_mesh returns (mesh.vertices, "
            "mesh.triangles).",
            "WRONG_KIND",
        )
    return checked_triangles(*level)


def show(
    navmesh: NavMesh | NavmeshFile, level: tuple[AnyArray, AnyArray] | None = None,
    before: NavMesh | NavmeshFile | None = None, title: str = "Navmesh",
) -> OpenedPage:  # fmt: skip
    """Write the page into a temporary folder and open it, in a notebook below the cell, else in the browser."""
    beside = Beside(navmesh.report.warnings) if isinstance(navmesh, NavMesh) else Beside()
    beneath = None if level is None else _checked_level(level)
    text = page_of(PageContent(title, navmesh, beneath, before, beside))
    path = Path(tempfile.mkdtemp(prefix="navmesh-page-")) / "navmesh.html"
    write_whole(path, text.encode())
    if "ipykernel" not in sys.modules:
        import webbrowser  # here, so that only those who want a page wait for it

        webbrowser.open(path.as_uri())
    return OpenedPage(path, text)
