"""The mesh “Navmesh Links” of a setup: a face for each found link, and a ledger of how builds wrote them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ...navcore.errors import NavmeshError
from ..blender_types import has_property, mesh_of
from ..mesh_attributes import corners_of, points_of, read_attribute, read_column, starts_of
from .object_properties import ROLE, SETUP
from .setups import home_of_navmeshes

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ...navcore.wide_links import LinkEdits
    from .link_rows import Decisions, LinkRows

LINKS_MESH = "links_mesh"  # the object's role
LINKS = "navmesh_links"  # on the polygon mesh's object: the links' object
LINK_EDITS = "navmesh_link_edits"  # likewise: which decisions it was built with
LEFT_OUT = "navmesh_links_left_out"  # on the links' object: ids of kept links that are attached to nothing, as JSON
# On the mesh itself, so that undo never parts them from its faces: JSON, and what changes whenever that does.
LEDGER, STAMP = "navmesh_link_ledger", "navmesh_link_stamp"
ATTRIBUTES = {  # of faces
    "link_id": "INT", "link_kind": "INT", "link_two_way": "BOOLEAN", "link_area": "INT", "link_flags": "INT",
    "link_state": "INT",
}  # fmt: skip
CORNER = "link_corner"  # of vertices: which corner of its link it is, so that flipping a face turns no link around
ORDER = (0, 1, 3, 2)  # corners around a face
_known: dict[int, tuple[bytes, Decisions, str]] = {}  # by mesh: what it was read from, what was read, its fingerprint
_MAX_KNOWN = 16


class Ledger(NamedTuple):
    """Links as builds wrote them, and where the object stood then: to move it moves no link."""

    rows: LinkRows
    matrix: tuple[float, ...]  # (16,)
    metres: float  # to one of Blender's units


def links_object(polygons: bpy.types.Object | None) -> bpy.types.Object | None:
    """The object of the links that belong to a polygon mesh; None where there is none, or somebody deleted it."""
    found = None if polygons is None else polygons.get(LINKS)
    if not isinstance(found, bpy.types.Object) or found.type != "MESH" or not has_property(found, ROLE):
        return None
    # The polygon mesh's own mention of it is one user; whoever deletes it takes it out of all collections.
    return found if found.users - found.use_fake_user > 1 and found.library is None else None


def read_links(object_: bpy.types.Object) -> Decisions:
    """What was decided about the links of a mesh. Raises NavmeshError where it can no longer be read, or is edited."""
    return _read(object_)[0]


def shown_ids(object_: bpy.types.Object) -> npt.NDArray[np.uint32]:
    """Which links a mesh shows, in the order of the list; none where it can no longer be read."""
    import numpy as np

    mesh = mesh_of(object_)
    if _kind_of(mesh, "link_id") != ("INT", "FACE"):
        return np.empty(0, np.uint32)
    ids: npt.NDArray[np.uint32] = read_attribute(mesh, "link_id").view(np.uint32)
    return ids


def _read(object_: bpy.types.Object) -> tuple[Decisions, str]:
    """Panels and drawings ask: nothing is compared again that did not change."""
    from .link_rows import decided

    if object_.mode != "OBJECT":  # its arrays are not those that are edited
        raise NavmeshError(f"“{object_.name}” is being edited. Leave its edit mode and build again.", "IN_EDIT_MODE")
    mesh = mesh_of(object_)
    raw = _raw(object_)
    key = _digest(mesh, raw)
    if _known.get(mesh.session_uid, (b"",))[0] != key:
        _known.pop(mesh.session_uid, None)
        while len(_known) >= _MAX_KNOWN:
            del _known[next(iter(_known))]
        ledger = _ledger(object_)
        decisions = decided(_faces(object_, raw, ledger), ledger.rows)
        _known[mesh.session_uid] = key, decisions, fingerprint(decisions.edits())
    return _known[mesh.session_uid][1:]


def fingerprint(edits: LinkEdits | None) -> str:
    """Of decisions; "" where there are none."""
    import hashlib

    if edits is None or not (edits.rejected or edits.kept):
        return ""
    return hashlib.blake2b(repr(edits).encode(), digest_size=16).hexdigest()


def edits_changed(polygons: bpy.types.Object) -> bool:
    """Whether somebody decided something about a navmesh's links since it was built."""
    object_ = links_object(polygons)
    try:
        now = "" if object_ is None else _read(object_)[1]
    except NavmeshError:  # the panel of the links says it
        return False
    return now != str(polygons.get(LINK_EDITS, now))


def stored_edits(scene: bpy.types.Scene, setup: str) -> LinkEdits:
    """What the next build of a setup has to know. Raises NavmeshError."""
    home = home_of_navmeshes(scene)
    for objects in (home.all_objects if home is not None else (), scene.objects):
        for object_ in objects:
            if has_property(object_, LINKS) and object_.get(SETUP) == setup and links_object(object_) is not None:
                return decisions_of(object_).edits()
    return decisions_of(None).edits()


def decisions_of(polygons: bpy.types.Object | None) -> Decisions:
    """The same for a navmesh, which may have no links. Raises NavmeshError."""
    from .link_rows import Decisions, no_rows  # here: Blender's start does not wait for NumPy

    object_ = links_object(polygons)
    if object_ is None:
        return Decisions(no_rows(), no_rows(), no_rows())
    return read_links(object_)


def keep_ledger(mesh: bpy.types.Mesh, decisions: Decisions, matrix: tuple[float, ...], metres: float) -> None:
    """Write down how the links came of builds, those that were rejected among them."""
    import uuid

    from .link_rows import joined, to_columns

    rows = joined([decisions.generated._replace(states=decisions.shown.states), decisions.rejected])
    ledger = {"version": 1, "matrix": list(matrix), "metres": metres, **to_columns(rows)}
    mesh[LEDGER], mesh[STAMP] = json.dumps(ledger, separators=(",", ":")), uuid.uuid4().hex


def placed_at(object_: bpy.types.Object) -> tuple[float, ...]:
    """Where an object stands, as ledgers have it."""
    matrix: Any = object_.matrix_world  # the stubs know no rows
    return tuple(part for row in matrix for part in row)


def forget() -> None:
    """Another file, or the extension is disabled."""
    _known.clear()


def _damaged(object_: bpy.types.Object, what: str) -> NavmeshError:
    return NavmeshError(
        f"“{object_.name}” {what}, so nobody knows which links were rejected or moved. Undo what was done to it, or "
        "delete the object: the next build finds all links anew.",
        "LINKS_DAMAGED",
    )


def _raw(object_: bpy.types.Object) -> dict[str, npt.NDArray[Any]]:
    """The mesh's arrays. Raises NavmeshError where something is missing."""
    import numpy as np

    mesh = mesh_of(object_)
    missing = [name for name, kind in ATTRIBUTES.items() if _kind_of(mesh, name) != (kind, "FACE")]
    if missing:
        raise _damaged(object_, f"has lost its face attribute{'s' * (len(missing) > 1)} {', '.join(missing)}")
    if not has_property(mesh, LEDGER):
        raise _damaged(object_, "has lost its ledger")
    sizes = read_column(mesh.polygons, "loop_total")
    if (sizes != 4).any():
        several = int((sizes != 4).sum())
        raise _damaged(object_, f"has {several:,} face{'s' * (several > 1)} without four corners")
    raw = {"starts": starts_of(mesh), "corners": corners_of(mesh), "places": points_of(mesh).ravel()}
    raw |= {name: read_attribute(mesh, name) for name in ATTRIBUTES}
    raw[CORNER] = np.zeros(len(mesh.vertices), np.int32)
    if _kind_of(mesh, CORNER) == ("INT", "POINT"):
        raw[CORNER] = read_attribute(mesh, CORNER)
    return raw


def _kind_of(mesh: bpy.types.Mesh, name: str) -> tuple[str, str] | None:
    attribute = mesh.attributes.get(name)
    return None if attribute is None else (attribute.data_type, attribute.domain)


def _digest(mesh: bpy.types.Mesh, raw: dict[str, npt.NDArray[Any]]) -> bytes:
    import hashlib

    digest = hashlib.blake2b(str(mesh.get(STAMP, "")).encode(), digest_size=16)
    for values in raw.values():
        digest.update(values.tobytes())
    return digest.digest()


def _ledger(object_: bpy.types.Object) -> Ledger:
    from .link_rows import from_columns

    try:
        stored = json.loads(mesh_of(object_)[LEDGER])
        matrix = tuple(map(float, stored["matrix"]))
        if len(matrix) != 16 or not float(stored["metres"]) > 0:
            raise ValueError
        return Ledger(from_columns(stored), matrix, float(stored["metres"]))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise _damaged(object_, "has a ledger that cannot be read") from None


def _faces(object_: bpy.types.Object, raw: dict[str, npt.NDArray[Any]], ledger: Ledger) -> LinkRows:
    """What the faces say, in navcore's coordinates."""
    import numpy as np

    from .link_rows import KINDS, REJECTED, LinkRows

    vertices = raw["corners"][raw["starts"][:, None] + np.arange(4)]
    order = _order(raw[CORNER][vertices])
    vertices = np.take_along_axis(vertices, order, axis=1)
    kinds, areas, flags = raw["link_kind"], raw["link_area"], raw["link_flags"]
    if ((kinds < 0) | (kinds >= len(KINDS)) | (areas < 0) | (areas > 62) | (flags < 0) | (flags > 0xFFFF)).any():
        raise _damaged(object_, "has a kind, an area or flags that no link can have")
    places = placed(raw["places"].reshape(-1, 3), ledger)
    if not np.isfinite(places).all():
        raise _damaged(object_, "has a corner that is nowhere")
    return LinkRows(
        raw["link_id"].view(np.uint32), kinds.astype(np.uint8), places[vertices], raw["link_two_way"], areas, flags,
        np.minimum(raw["link_state"], REJECTED).clip(0).astype(np.uint8),
    )  # fmt: skip


def _order(corners: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Where in each face its corners 0 to 3 are; where they don't say, as faces are written."""
    import numpy as np

    order = np.argsort(corners, axis=1, kind="stable")
    unclear = (np.take_along_axis(corners, order, axis=1) != np.arange(4)).any(axis=1)
    order[unclear] = np.argsort(ORDER)
    return order


def placed(local: npt.NDArray[np.float32], ledger: Ledger) -> npt.NDArray[np.float32]:
    """The object's own coordinates as navcore's, from where it stood when it was written."""
    import numpy as np

    matrix = np.array(ledger.matrix, np.float64).reshape(4, 4)
    world = (local.astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]) * ledger.metres
    return np.column_stack([world[:, 0], world[:, 2], -world[:, 1]]).astype(np.float32)
