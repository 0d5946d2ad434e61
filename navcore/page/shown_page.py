"""`NavMesh.show()`: the page of a navmesh in the browser of whoever asks, or below a notebook's cell."""

from __future__ import annotations

import html
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from ..detour.reader import NavmeshFile
from ..files.atomic_write import write_whole
from ..files.npz import Array
from ..result.navmesh import NavMesh
from .page_arrays import Beside
from .write_page import PageContent, page_of

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


def show(
    navmesh: NavMesh | NavmeshFile, level: tuple[Array, Array] | None = None,
    before: NavMesh | NavmeshFile | None = None, title: str = "Navmesh",
) -> OpenedPage:  # fmt: skip
    """Write the page into a temporary folder and open it, in a notebook below the cell, else in the browser."""
    beside = Beside(navmesh.report.warnings) if isinstance(navmesh, NavMesh) else Beside()
    text = page_of(PageContent(title, navmesh, level, before, beside))
    path = Path(tempfile.mkdtemp(prefix="navmesh-page-")) / "navmesh.html"
    write_whole(path, text.encode())
    if "ipykernel" not in sys.modules:
        import webbrowser  # here, so that only those who want a page wait for it

        webbrowser.open(path.as_uri())
    return OpenedPage(path, text)
