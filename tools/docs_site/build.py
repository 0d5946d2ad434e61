"""Build the site into out/docs: `python -m tools.docs_site.build`, which `dev.py docs` runs where Sphinx is.

The pages keep the folders that they have in the repository, so that the links between them are the same on a forge.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from .api_reference import api_page
from .code_pages import write_code_pages
from .codes_in_sources import ROOT
from .contents import API, CONTENTS, FRONT, MADE, written_pages
from .html_links import broken_links
from .markdown import links_of, with_code_links, with_made_pages
from .shipped_pages import FOLDER, write_shipped_pages

_HERE = Path(__file__).resolve().parent


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser("dev.py docs")
    parser.add_argument("--out", type=Path, default=ROOT / "out/docs", help="folder of the finished site")
    out: Path = parser.parse_args(arguments).out.resolve()
    source = out.with_name(f"{out.name}-source")
    shipped = write_shipped_pages()
    for folder in (source, out):
        shutil.rmtree(folder, ignore_errors=True)
    lay_out(source)
    built = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", str(_HERE)]
    status = subprocess.run([*built, "-d", str(source / ".doctrees"), str(source), str(out)]).returncode
    if status:
        return status
    wrong = [*broken_links(out), *broken_links(FOLDER)]
    for line in wrong:
        print(line, file=sys.stderr)
    if not wrong:
        pages = sum(1 for _ in out.rglob("*.html"))
        print(f"{shipped} pages that ship inside: {FOLDER / 'index.html'}")
        print(f"{pages} pages, every link inside leads somewhere: {out / 'index.html'}")
    return 1 if wrong else 0


def lay_out(source: Path) -> None:
    """The pages as Sphinx reads them, with everything that they link to."""
    from navcore.codes import codes

    write_code_pages(source)
    (source / API).write_text(api_page(), encoding="utf-8")
    for page in written_pages():
        up = "../" * page.count("/")
        text = with_made_pages((ROOT / page).read_text(encoding="utf-8"), MADE, up)
        target = source / MADE.get(page, page)
        target.parent.mkdir(parents=True, exist_ok=True)
        linked = with_code_links(text, codes(), up)
        target.write_text(linked + _contents() if page == FRONT else linked, encoding="utf-8")
        for link in links_of(text):
            _copy_linked((ROOT / page).parent, link, source)


def _copy_linked(folder: Path, link: str, source: Path) -> None:
    """A picture, a schema or another file that a page links to and that is no page."""
    file = Path(os.path.normpath(folder / link.partition("#")[0]))
    if ":" not in link and file.is_file() and file.suffix != ".md":
        target = source / file.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)


def _contents() -> str:
    """The table of contents, hidden: the theme shows it at the side."""
    trees = [
        "\n".join(["", "```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```", ""])
        for caption, pages in CONTENTS
    ]
    return "\n".join(trees)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
