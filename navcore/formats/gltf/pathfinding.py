"""glTF for three-pathfinding and yuka: one mesh of welded triangles without T-junctions, positions and nothing else."""

from __future__ import annotations

import numpy as np

from ...build_warning import BuildWarning, place_in_words
from ...geometry.polygon_rings import parts_by_edges
from ...types import I32
from ..mesh_checks import CannotCarry, Unsound, check_edges, crowded_edge
from ..plain_navmesh import PlainNavmesh
from .glb import GlbPart, binary, polygon_triangles
from .glb_reader import ReadPart, read_glb

CENTIMETRES = 2  # decimals to which three-pathfinding rounds positions
MOST_APART = 1e-4  # metres; three-pathfinding makes vertices one that are nearer


def pathfinding_bytes(navmesh: PlainNavmesh, name: str) -> bytes:
    """The polygons in triangles. Nothing splits a vertex: both libraries find neighbors by their corners.

    Links are in the extras, for games that follow them by themselves.
    """
    check_edges(navmesh, "three-pathfinding")
    vertices, triangles, _ = polygon_triangles(navmesh)
    extras = {"navmesh": {"version": 1, **navmesh.told_links()}} if navmesh.links else {}
    return binary([GlbPart(name, vertices + np.float32(0), triangles, None)], extras)


def check_pathfinding(content: bytes, navmesh: PlainNavmesh) -> list[BuildWarning]:
    """Whether both libraries will see the triangles, and the neighbors that the navmesh has.

    Warned of are islands that yuka can't find ways to: it knows regions by their neighbors, and these have none.
    """
    parts, _ = read_glb(content)
    if len(parts) != 1 or parts[0].area is not None:
        raise Unsound("The .glb must hold one mesh with nothing but positions.")
    part = parts[0]
    first = np.arange(0, 3 * len(part.triangles) + 1, 3, dtype=np.int32)
    corners = part.triangles.ravel().astype(np.int32)
    _check_rounding(part)
    if crowded_edge(first, corners) is not None:
        raise Unsound("Three triangles of the .glb meet at one edge.")
    _, one_of_each, polygons = np.unique(labels(navmesh.first, navmesh.corners), return_index=True, return_counts=True)
    pieces = len(np.unique(labels(first, corners)))
    if pieces != len(polygons):
        raise Unsound(f"The .glb falls into {pieces} pieces and the navmesh into {len(polygons)}.")
    alone = int((polygons == 1).sum())
    if alone == 0:
        return []
    first_alone = int(one_of_each[np.argmax(polygons == 1)])
    corner_points = navmesh.vertices[navmesh.corners[navmesh.first[first_alone] : navmesh.first[first_alone + 1]]]
    x, y, z = corner_points.astype(np.float64).mean(0).round(3).tolist()
    islands = "1 island is" if alone == 1 else f"{alone:,} islands are"
    text = f"{islands} a single polygon: yuka fails when asked for a way to one. Prune what nobody can reach."
    return [BuildWarning("YUKA_ISLANDS", text, (x, y, z))]


def _check_rounding(part: ReadPart) -> None:
    """Corners that round to one point would leave triangles without area and paths through walls."""
    for what, places in (
        ("nearer than 0.1 mm", np.round(part.vertices.astype(np.float64) / MOST_APART)),
        ("less than 1 cm apart", np.round(part.vertices.astype(np.float64), CENTIMETRES)),
    ):
        _, first, counts = np.unique(places, axis=0, return_index=True, return_counts=True)
        if (counts > 1).any():
            place = place_in_words(part.vertices[first[np.argmax(counts > 1)]].tolist())
            raise CannotCarry(
                f"Two corners near {place} are {what}, and three-pathfinding makes them one. Raise cell_size.",
                "CORNERS_TOO_NEAR",
            )


def labels(first: I32, corners: I32) -> I32:
    """For each polygon which part it belongs to, of those that hang together over shared edges."""
    from ...result.stitch.stitched_mesh import connected

    return parts_by_edges(first, connected(first, corners, int(corners.max(initial=0)) + 1))
