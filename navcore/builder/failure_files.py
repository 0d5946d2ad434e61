"""A build that failed through our own fault, as files that show it again.

    NAME.npz             geometry, for `python -m navcore build NAME.npz`
    NAME.json            settings, for --settings
    NAME.scene.json      bounds and volumes, for --scene

The name is a hash of what is in them: the same failure again takes no more room.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import NavmeshError
from ..files.atomic_write import write_whole
from ..files.npz import npz_bytes
from ..files.strict_json import json_text
from ..kernels.cache_folder import users_cache_folder
from ..scene import AreaEdit, Block, KeepEdit, PatchEdit, Scene, Volume
from ..settings import Settings
from ..types import F32, Geometry

_MAX_CASES = 10  # cases in our own folder; older ones are removed


class Case(NamedTuple):
    """Everything that decides what a build makes."""

    geometry: Geometry
    settings: Settings
    volumes: Sequence[Volume]
    bounds: tuple[F32, F32]


def own_folder() -> Path:
    """Where cases go unless the caller says otherwise."""
    return users_cache_folder() / "navmesh-failures"


def with_case(reason: NavmeshError, case: Case, folder: Path | None) -> NavmeshError:
    """The same error, which also says where the case lies; in `folder`, or in our own where that is None."""
    try:
        if folder is None:
            own_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        mesh = write_case(case, folder or own_folder())
        if folder is None:
            _prune(own_folder())
    except (OSError, NavmeshError) as problem:
        return type(reason)(f"{reason} What it was built from could not be kept ({problem}).", reason.code)
    where = (
        f"Everything that shows it again was written to {mesh} (and two .json files beside it): please send it to the "
        "makers of Navmesh."
    )
    return type(reason)(f"{reason} {where}", reason.code)


def write_case(case: Case, folder: Path) -> Path:
    """Write the three files; the path of the mesh."""
    vertices, triangles, areas = case.geometry
    mesh = npz_bytes({"verts": vertices, "tris": triangles} | ({} if len(areas) == 0 else {"areas": areas}))
    low, high = (corner.tolist() for corner in case.bounds)
    edits = (Block, AreaEdit, KeepEdit)  # what is patched is among the triangles
    marks = tuple(mark for mark in case.volumes if isinstance(mark, edits))
    volumes = tuple(volume for volume in case.volumes if not isinstance(volume, (*edits, PatchEdit)))
    scene = {name: value for name, value in Scene(volumes=volumes, edits=marks).to_mapping().items() if value}
    contents = {
        ".json": json_text(case.settings.to_mapping()),
        ".scene.json": json_text({"bounds": [*low, *high], **scene}),
        ".npz": mesh,
    }
    digest = hashlib.sha256(b"".join(array.tobytes() for array in (vertices, triangles)))
    digest.update(contents[".json"] + contents[".scene.json"])
    name = f"navmesh-failure-{digest.hexdigest()[:12]}"
    for ending, content in contents.items():
        write_whole(folder / f"{name}{ending}", content)
    return folder / f"{name}.npz"


def _prune(folder: Path) -> None:
    """Remove all but the newest cases."""
    meshes = sorted(folder.glob("navmesh-failure-*.npz"), key=lambda path: path.stat().st_mtime)
    for mesh in meshes[:-_MAX_CASES]:
        for ending in (".npz", ".json", ".scene.json"):
            mesh.with_suffix(ending).unlink(missing_ok=True)
