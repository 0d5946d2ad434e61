"""What `import navcore` offers, and which version it says it is."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import navcore
from navcore.__main__ import main

ROOT = Path(navcore.__file__).parents[1]


def test_completion_shows_the_public_names_and_nothing_else() -> None:
    """Asked in a fresh process, and again after a build has loaded whatever it needs."""
    script = (
        "import navcore; before = dir(navcore)\n"
        "navcore.build_navmesh([[0, 0, 0], [0, 0, 9], [9, 0, 9], [9, 0, 0]], [[0, 1, 2], [0, 2, 3]])\n"
        "import navcore.formats\n"
        "assert dir(navcore) == before == sorted(navcore.__all__), dir(navcore)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Settings" in dir(navcore) and not [name for name in dir(navcore) if name.startswith("_")]


def test_every_public_name_is_there() -> None:
    assert all(getattr(navcore, name).__name__ == name for name in navcore.__all__)
    with pytest.raises(AttributeError, match="'navcore' has no attribute 'nonsense'"):
        navcore.nonsense  # noqa: B018 - it must not be there


def test_the_version_is_the_same_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))["version"]
    assert navcore.__version__ == manifest
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"navcore {navcore.__version__}\n"
