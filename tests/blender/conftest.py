"""One Blender for all tests in this folder: the bpy module, with this checkout enabled as an extension."""

from __future__ import annotations

import importlib
import os
import sys
import typing
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.blender.drawn_panels import Drawn, draw_panels
from tests.blender.scenes import add_plane

ROOT = Path(__file__).resolve().parents[2]
MODULE = "bl_ext.navdev.navmesh"
# Kernels are compiled once per environment: with a fresh folder every run would wait minutes for them.
os.environ["BLENDER_USER_RESOURCES"] = str(Path(sys.prefix) / "blender-user")


def lay_out(folder: Path) -> Path:
    """A repository with the extension: the checkout's code, and a manifest without wheels (Numba is installed here)."""
    target = folder / "navmesh"
    target.mkdir(parents=True)
    for name in ("__init__.py", "navcore", "navmesh_addon"):
        (target / name).symlink_to(ROOT / name)
    manifest = (ROOT / "blender_manifest.toml").read_text(encoding="utf-8")
    head, _, rest = manifest.partition("wheels = [")
    (target / "blender_manifest.toml").write_text(head + rest.partition("]\n")[2], encoding="utf-8")
    return folder


def known_to(bpy: Any, folder: Path) -> Any:
    """Lay the extension out in a folder and make Blender know it; what enables it there."""
    repository = str(lay_out(folder))
    bpy.context.preferences.extensions.repos.new(name="navdev", module="navdev", custom_directory=repository)
    return importlib.import_module("addon_utils")


@pytest.fixture(scope="session")
def blender(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """bpy with the extension enabled. Disabled at the end: bpy 4.2 crashes and 4.5 hangs with leftovers at exit."""
    import bpy  # first: it makes Blender's own modules findable

    addon_utils = known_to(bpy, tmp_path_factory.mktemp("repository"))
    addon_utils.enable(MODULE, default_set=False)
    assert hasattr(bpy.types, "NAVMESH_OT_build"), "the extension was not enabled"
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")  # a script's build lets several processes compile, where that is to be done
    yield bpy
    addon_utils.disable(MODULE, default_set=False)


@pytest.fixture
def bpy(blender: Any) -> Any:
    """An empty file."""
    blender.ops.wm.read_homefile(use_empty=True)  # factory settings would disable the extension
    return blender


def module_of(name: str, package: str = "navmesh_addon") -> ModuleType:
    """A module of the extension while it is enabled."""
    return importlib.import_module(f"{MODULE}.{package}.{name}")


@pytest.fixture
def addon(bpy: Any) -> Any:  # noqa: ARG001 - the extension must be there
    """A way to the extension's modules: `addon("gather.gather_scene")`."""
    return module_of


@pytest.fixture
def draw(bpy: Any, addon: Any) -> Callable[[], Drawn]:
    """draw(): every panel of ours that Blender would show."""
    return partial(draw_panels, bpy, addon)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    """As bpy 4.2 demands of every process that has exported glTF; docs/guide/install.md says why."""
    for forget in typing._cleanups:  # type: ignore[attr-defined]
        forget()
