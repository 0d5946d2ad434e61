"""Levels from mesh files, by their ending."""

from __future__ import annotations

from pathlib import Path

from ..errors import BadInput
from ..files.npz import read_npz
from ..progress import Progress, ProgressReport
from ..scene import Scene
from .file_axes import file_axes
from .gltf.level_reader import read_gltf
from .level_mesh import AreaMarker, LevelMesh
from .obj.obj_reader import read_obj
from .trimesh_files import ENDINGS, read_by_trimesh

OWN = (".obj", ".npz", ".glb", ".gltf")
"""Endings of meshes that are read without another package."""


def read_mesh(
    path: str | Path,
    scene: Scene | None = None,
    *,
    progress: Progress | ProgressReport | None = None,
    up: str = "y",
    unit: str = "m",
    scale: float = 1.0,
) -> LevelMesh:
    """The triangles of a level's file of any origin, ready for `build_navmesh`.

    Read are .obj, .npz, .glb and .gltf and, where trimesh is installed (`pip install navmesh[formats]`), .ply, .stl,
    .off and .3mf.

        scene = Scene(materials={"water": 1, "lava*": 0}, groups={"Road": "road"})
        mesh = read_mesh("level.obj", scene)
        navmesh = build_navmesh(mesh.vertices, mesh.triangles, areas=mesh.areas)

    Groups are the groups and objects of an .obj, and the nodes and meshes of a glTF file.
    `up` is the axis that points up in the file (y, z, x, -y, -z or -x), `unit` what its numbers count (m, cm, mm, in,
    ft or quake), and `scale` multiplies after the unit: the level comes out in metres, y up. What `scene` holds is in
    metres, y up, whatever they say.
    Triangles with a material or a group that `scene` maps have its area, and others are plain ground: where they are
    flat enough they are walkable, exactly as without a mapping. `mesh.warnings` says which names the file does not
    have, and what else a person should know. `progress` is called with ("reading", fraction) or is a `Progress`, which
    can also cancel. Raises `NavmeshError` with the place in the file and what to do.
    """
    path, scene, axes = Path(path), scene or Scene(), file_axes(up, unit, scale)
    materials, groups = scene.named_areas()
    watch = progress if isinstance(progress, Progress) else Progress(progress)
    ending = path.suffix.lower()
    if ending not in (*OWN, *ENDINGS):
        known = f"{', '.join(OWN)} and, with trimesh, {', '.join(ENDINGS)}"
        raise BadInput(f"{path.name}: unknown ending. Meshes are read from {known}.", "UNKNOWN_FORMAT")
    try:
        if ending == ".obj":
            return read_obj(path, materials, groups, watch, axes=axes)
        if ending in (".glb", ".gltf"):
            return read_gltf(path, materials, groups, watch, axes)
        if ending in ENDINGS:
            return read_by_trimesh(path, materials, groups, watch, axes)
        vertices, triangles, areas = read_npz(path)
        told = tuple(AreaMarker(materials, groups).warnings(path.name))
        return LevelMesh(axes.points(vertices), triangles, areas, told)
    except OSError as reason:
        raise BadInput(f"Could not read {path}: {reason.strerror or reason}.", "CANNOT_READ") from None
