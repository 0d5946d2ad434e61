"""Point in polygon, by the even-odd rule: a ray from a point inside crosses the outline an odd number of times.

Each caller has the corners in a form of its own, and goes around them. Recast: dtPointInPolygon, rcPointInPoly.
"""

from __future__ import annotations

from ..jit import inlined
from ..types import AnyBool
from .segments import AnyFloat


@inlined
def ray_crosses(x: AnyFloat, z: AnyFloat, ax: AnyFloat, az: AnyFloat, bx: AnyFloat, bz: AnyFloat) -> AnyBool:
    """Whether the ray from point (x, z) along x crosses the edge a → b."""
    return (az > z) != (bz > z) and x < (bx - ax) * (z - az) / (bz - az) + ax
