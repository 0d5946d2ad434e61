"""A .glb is read back before it is written: whether it holds the whole ground."""

from __future__ import annotations

import numpy as np

from ...build_warning import in_words
from ..mesh_checks import Unsound
from ..mesh_measures import areas_from_above, triangles_from_above
from ..plain_navmesh import PlainNavmesh
from .glb_reader import read_glb


def check_glb(content: bytes, navmesh: PlainNavmesh) -> None:
    """Whether the file holds the whole ground, each triangle with one area and with an extent."""
    parts, extras = read_glb(content)
    if "navmesh" not in extras or len(parts) != (1 if navmesh.detail is None else 2):
        raise Unsound("The .glb does not hold the meshes and extras that it should.")
    if any(extras["navmesh"].get(name) != told for name, told in navmesh.told_links().items()):
        raise Unsound("The links in the .glb are not those of the navmesh.")
    for part in parts:
        corners = part.area[part.triangles] if part.area is not None else None
        if corners is None or (corners != corners[:, :1]).any():
            raise Unsound(f"A triangle of {part.name!r} in the .glb has not one area.")
    ground = float(triangles_from_above(parts[0].vertices[parts[0].triangles].astype(np.float64)).sum())
    whole = float(areas_from_above(navmesh).sum())
    if not np.isclose(ground, whole, rtol=1e-4, atol=1e-4):
        raise Unsound(f"The .glb holds {in_words(ground)} m² of ground, the navmesh {in_words(whole)} m².")
