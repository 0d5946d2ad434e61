"""The folder that is published, served on this machine: Blender installs from it, and updates to it."""

import json
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.package.fresh import ROOT, Blender, zip_of_this_machine
from tests.package.test_install import raise_version
from tools.package import extension_tool
from tools.release import index_of, lay_out, version_of


@pytest.fixture
def place() -> Iterator[Path]:
    """Removed at once: pytest would keep half a gigabyte for three runs."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def test_the_index_is_that_of_blenders_own_tool(place: Path) -> None:
    zips = list((ROOT / "dist").glob("*.zip"))
    for path in zips:
        (place / path.name).symlink_to(path)
    extension_tool("server-generate", "--repo-dir", str(place))
    theirs = json.loads((place / "index.json").read_text(encoding="utf-8"))
    theirs["data"].sort(key=lambda row: row["archive_url"])
    assert index_of(zips) == theirs and len(theirs["data"]) == len(zips) > 0


def test_blender_installs_from_the_release_and_updates_to_it(place: Path) -> None:
    """The version before is this one with another number."""
    version = version_of(ROOT)
    released, _ = lay_out(ROOT, place / "release")
    before = place / "before"
    before.mkdir()
    archive = zip_of_this_machine()
    raise_version(archive, before / f"older-{archive.name}", version, "0.0.1")
    (before / "index.json").write_text(json.dumps(index_of(before.glob("*.zip"))))
    shown = place / "shown"
    shown.symlink_to(before)
    fresh = Blender(place)
    with serving(shown) as (address, asked):
        assert fresh.run("update", address) == {"version": "0.0.1", "enabled": True}
        shown.unlink()
        shown.symlink_to(released)
        updated = fresh.run("upgrade", address)
        assert updated == {"before": "0.0.1", "version": version, "enabled": True}, fresh.console
        assert [path for path in asked if path.endswith(".zip")] == [f"/older-{archive.name}", f"/{archive.name}"]

        shutil.rmtree(fresh.home)
        fresh.user.mkdir(parents=True)
        assert fresh.run("update", address) == {"version": version, "enabled": True}


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The address of the folder's index on this machine, and the paths that have been asked for."""
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_arguments: object) -> None:
            asked.append(self.path)

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/index.json", asked
        finally:
            server.shutdown()
            thread.join()
