"""Off-mesh links as one-way jumps from polygon to polygon."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..navquery.query_mesh import QueryMesh
from ..types import F32, F64, I32
from .seams import link_owners

_START, _END = 0, 1  # of a link: its corners, and the edges by which it is joined to the ground


class Jumps(NamedTuple):
    """J jumps, sorted by where they begin."""

    rows: I32  # (J, 3) the link's polygon, from, to
    ends: F32  # (J, 2, 3) where they begin and end
    lengths: F64  # (J,) metres


def jumps_of(mesh: QueryMesh, passing: npt.NDArray[np.bool_], ground: npt.NDArray[np.bool_]) -> Jumps:
    """Jumps over links that pass, between ground that does. A link within one polygon shortens nothing."""
    rows, ends = [], []
    entries = set(zip(link_owners(mesh).tolist(), mesh.links["target"].tolist(), strict=True))
    for link in np.flatnonzero(passing & (mesh.polygons["kind"] != 0)).tolist():
        joined = mesh.links[mesh.polygons["first_link"][link] : mesh.polygons["end_link"][link]]
        starts, landings = (
            [target for target in joined["target"][joined["edge"] == end].tolist() if ground[target]]
            for end in (_START, _END)
        )
        for one in starts:
            for other in landings:
                for here, there, way in ((one, other, [_START, _END]), (other, one, [_END, _START])):
                    if here != there and (here, link) in entries:
                        rows.append((link, here, there))
                        ends.append(mesh.outline[link, way])
    found = np.array(rows, np.int32).reshape(-1, 3)
    places = np.array(ends, np.float32).reshape(-1, 2, 3)
    order = np.argsort(found[:, 1], kind="stable")
    found, places = found[order], places[order]
    lengths = np.sqrt(((places[:, 1].astype(np.float64) - places[:, 0]) ** 2).sum(axis=1))
    return Jumps(found, places, lengths)
