"""The navmesh of meshes that are one: their faces are its polygons. Nothing here may touch bpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...navcore.errors import NavmeshError

if TYPE_CHECKING:
    from ...navcore.build_warning import BuildWarning
    from ...navcore.by_hand.given_faces import FaceFault
    from ...navcore.progress import Progress
    from ...navcore.result.navmesh import NavMesh
    from ..gather.gathered_level import OwnMesh, SceneDoor
    from .request_and_result import Request


class FacesAt(NamedTuple):
    """Faces of one object."""

    uid: int  # session_uid
    faces: tuple[int, ...]


class BadOwnMesh(NavmeshError):
    """Faces that only who modelled them can put right; `places` says whose they are."""

    def __init__(self, message: str, code: str, places: Sequence[FacesAt]) -> None:
        super().__init__(message, code)
        self.places = tuple(places)


def own_navmesh(request: Request, progress: Progress | None) -> NavMesh:
    """The navmesh of a request's own meshes. Raises NavmeshError, `BadOwnMesh` where faces are at fault."""
    import numpy as np

    from ...navcore.by_hand.from_polygons import navmesh_from_polygons
    from ...navcore.by_hand.given_faces import BadFaces

    meshes = request.gathered.own
    shifts = np.cumsum([0, *(len(mesh.points) for mesh in meshes)]).tolist()
    faces = [
        [corner + shift for corner in ring]
        for mesh, shift in zip(meshes, shifts[:-1], strict=True)
        for ring in mesh.rings
    ]
    try:
        navmesh = navmesh_from_polygons(
            np.concatenate([mesh.points for mesh in meshes]), faces, request.settings,
            np.concatenate([mesh.areas for mesh in meshes]), area_types=request.types, links=request.gathered.links,
            progress=progress, trusted=np.concatenate([mesh.trusted for mesh in meshes]),
        )  # fmt: skip
    except BadFaces as reason:
        raise _in_scene(reason.faults, meshes) from None
    navmesh.report.warnings += _of_doors(request.gathered.doors)
    return navmesh


def _of_doors(doors: Sequence[SceneDoor]) -> list[BuildWarning]:
    """What is said of doors, which are drawn in their states whatever the navmesh is."""
    from ...navcore.build_warning import BuildWarning

    why = "the navmesh is a mesh of your own, which has none. Give the faces below it an area that the game can close."
    told = dict[str, BuildWarning]()
    for door in doors:
        text = f"The door “{door.door}” opens and closes nothing: {why}"
        told.setdefault(door.door, BuildWarning("VOLUME_UNUSED", text, None, door.name))
    return [*told.values()]


def _in_scene(faults: Sequence[FaceFault], meshes: Sequence[OwnMesh]) -> BadOwnMesh:
    """The same in Blender's coordinates, with the faces as their objects number them."""
    from ...navcore.by_hand.given_faces import BadFaces, refuse

    owners = [(mesh, face) for mesh in meshes for face in range(len(mesh.starts))]
    told, places = [], dict[int, set[int]]()
    for fault in faults:
        own = [owners[face] for face in fault.faces]
        told.append(fault._replace(at=own[0][0].in_scene(fault.at), faces=tuple(face for _, face in own)))
        for mesh, face in own:
            if not mesh.has_modifiers:  # which may number them otherwise
                places.setdefault(mesh.uid, set()).add(face)
    first = owners[faults[0].faces[0]][0]
    try:
        refuse(told)
    except BadFaces as reason:
        found = [FacesAt(uid, tuple(sorted(faces))) for uid, faces in places.items()]
        return BadOwnMesh(f"“{first.name}”: {reason}", reason.code, found)
    raise AssertionError("faces were refused without a fault")
