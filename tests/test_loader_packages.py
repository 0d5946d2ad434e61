"""The packages in `loaders/`, as far as no engine is needed: licenses, versions, and that nothing is forgotten."""

import configparser
import json
import re
import tomllib

from navcore.version import __version__
from tests.house import ROOT

NPM, GODOT = ROOT / "loaders/npm", ROOT / "loaders/godot/addons/navmesh"
PACKAGE = json.loads((NPM / "package.json").read_text(encoding="utf-8"))


def test_each_has_a_license_of_its_own() -> None:
    page = (ROOT / "navcore/page/browser/LICENSE").read_bytes()
    for path in ("npm", "godot/addons/navmesh"):
        assert (ROOT / "loaders" / path / "LICENSE").read_bytes() == page
    assert PACKAGE["license"] == "MIT" and page.startswith(b"MIT License")


def test_versions_are_that_of_navcore() -> None:
    assert PACKAGE["version"] == __version__
    plugin = configparser.ConfigParser()
    plugin.read(GODOT / "plugin.cfg", encoding="utf-8")
    assert plugin["plugin"]["version"].strip('"') == __version__
    assert (GODOT / plugin["plugin"]["script"].strip('"')).is_file()


def test_the_archive_holds_every_module_and_what_it_imports() -> None:
    there = {path.name for path in NPM.iterdir()}
    npm_adds = {"package.json", "LICENSE", "README.md"}
    assert set(PACKAGE["files"]) | npm_adds == there
    assert "dependencies" not in PACKAGE
    for path in NPM.glob("*.js"):
        imported = re.findall(r"(?:from |import\()'([^']+)'", path.read_text(encoding="utf-8"))
        own = {name.removeprefix("./") for name in imported if name.startswith("./")}
        assert own <= there, path.name
        assert {name for name in imported if not name.startswith("./")} <= set(PACKAGE["peerDependencies"]), path.name


def test_types_are_told_of_every_export() -> None:
    exported = re.findall(r"\b(\w+)(?=[, ]+(?:\w+ )*\} from)|\{ (\w+),", (NPM / "index.js").read_text(encoding="utf-8"))
    names = {name for pair in exported for name in pair if name}
    typed = (NPM / "index.d.ts").read_text(encoding="utf-8")
    assert names == set(re.findall(r"^export declare (?:class|function) (\w+)", typed, re.MULTILINE))


def test_they_stay_out_of_the_extension() -> None:
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    assert "/loaders/" in manifest["build"]["paths_exclude_pattern"]
