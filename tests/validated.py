"""What of a piece breaks an invariant, for tests of what must break none."""

from __future__ import annotations

from navcore.builder.validate import PolygonSources, Violation, inspect, listed
from navcore.types import DetailMesh, PolygonMesh


def validate(
    mesh: PolygonMesh, detail: DetailMesh | None = None, sources: PolygonSources | None = None, climb_vx: int = 0
) -> list[Violation]:
    """One entry for each broken invariant and place."""
    return listed(inspect(mesh, detail, sources, climb_vx), mesh, sources)
