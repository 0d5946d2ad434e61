"""`blender --command navmesh world …`: worlds in sections, of which some are .blend files. Those that are others than
when they were read last are opened one after the other; all else is navcore's own command."""

from __future__ import annotations

import argparse
import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import bpy

from ...navcore.commands.console import write_error
from ...navcore.commands.navmesh_files.world_command import Asked, folder_of, new_progress, run_world
from ...navcore.errors import BadInput
from ...navcore.files.atomic_write import make_folder
from ...navcore.version import code_fingerprint
from ...navcore.world.blender_levels import BlendMesh, blend_meshes, keep_level, kept_level, with_levels
from ...navcore.world.world_file import World, of_section, read_world
from ..builds import threads_and_kernel_folder
from ..builds.make_requests import Overrides, make_requests, without_selection
from ..gather.section_of_scene import Level, empty_level, section_level
from .batch import open_level, refuse_missing

_ITSELF = ""  # among the files that a level is made of
_READ_BY, _ALLOWED = "read by", "missing allowed"  # what else decides
_GONE = "missing"


def run(arguments: argparse.Namespace) -> int:
    """Read the world, and its .blend files where they are wanted; returns the exit status."""
    threads_and_kernel_folder.load_builder()
    progress = new_progress(arguments)
    with ExitStack() as until_done:
        world = read_world(arguments.file)
        if arguments.act in ("plan", "build"):
            folder = folder_of(arguments)
            spare = folder
            if arguments.act == "plan":  # which writes nothing
                spare = Path(until_done.enter_context(TemporaryDirectory(prefix="navmesh-")))
            world = _read(world, folder, spare, arguments.allow_missing)
        return run_world(Asked(arguments, world, progress, "navmesh"))


def _read(world: World, folder: Path, spare: Path, allow_missing: bool) -> World:
    """The world with what its .blend files hold: kept in `folder`, or read now and kept in `spare`."""
    levels: dict[BlendMesh, Path] = {}
    blends = blend_meshes(world)
    for blend in blends:  # before the first is opened, which may take a while
        if not blend.path.is_file():
            raise BadInput(
                f"Section “{blend.section}”: its mesh {blend.path.name} is not there ({blend.path}). Correct the path "
                f"in {world.path.name}: it is beside that file.",
                "MESH_MISSING",
            )
    if blends:
        make_folder(spare)
    for blend in blends:
        kept = kept_level(blend, folder)
        levels[blend] = folder
        if kept is None or not kept.made_of or kept.made_of != _now(blend.path, kept.made_of, allow_missing):
            levels[blend] = spare
            with of_section(blend.section):
                level = _level_of(blend, allow_missing)
                keep_level(blend, spare, *level, _made_of(blend.path, allow_missing))
    return with_levels(world, levels)


def _level_of(blend: BlendMesh, allow_missing: bool) -> Level:
    """What a file holds for its active setup. It stays open."""
    open_level(blend.path)
    try:
        request = make_requests(bpy.context, Overrides(sources=without_selection))[0]
    except BadInput as reason:
        if reason.code != "NO_TRIANGLES":
            raise
        return empty_level()
    if not allow_missing:
        refuse_missing(request)
    for note in request.gathered.notes:
        write_error(f"navmesh: {note.code}: Section “{blend.section}”: “{note.name}” {note.message}")
    return section_level(request.gathered, request.types)


def _made_of(path: Path, allow_missing: bool) -> dict[str, str]:
    """Of the file that is open: hashes of all files that it is made of, and what read them."""
    home = path.resolve().parent
    names = {_relative(Path(name), home) for name in _files_beside()}
    return _now(path, dict.fromkeys([_ITSELF, *names], ""), allow_missing)


def _files_beside() -> Iterator[str]:
    """Libraries, caches, images: all that the open file reads from elsewhere."""
    yield from bpy.utils.blend_paths(absolute=True, packed=False, local=False)


def _relative(path: Path, home: Path) -> str:
    try:
        return Path(os.path.relpath(path, home)).as_posix()
    except ValueError:  # on another drive of Windows
        return path.as_posix()


def _now(path: Path, names: Mapping[str, str], allow_missing: bool) -> dict[str, str]:
    """Hashes of the same files, as they are now."""
    home = path.resolve().parent
    found = {_READ_BY: f"{bpy.app.version_string} {code_fingerprint()}", _ALLOWED: str(allow_missing)}
    for name in sorted(set(names) - set(found)):
        found[name] = _hash(path if name == _ITSELF else home / name)
    return found


def _hash(path: Path) -> str:
    if not path.is_file():
        return _GONE
    whole = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            whole.update(piece)
    return whole.hexdigest()
