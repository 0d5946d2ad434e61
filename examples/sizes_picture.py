"""The picture of docs/guide/sizes.md: one navmesh of a yard, by the sizes of agents that each polygon is for.

    .venv-nox/core/bin/python examples/sizes_picture.py

Needs navcore alone. Every run draws the same picture.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from solids import Builder

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from navcore import Settings, build_navmesh  # noqa: E402
from navcore.commands.picture_command import plan_of  # noqa: E402
from navcore.formats.plain_navmesh import plain_navmesh  # noqa: E402
from navcore.pictures.plan_view import plan_view  # noqa: E402
from navcore.pictures.svg import svg_bytes  # noqa: E402

FOLDER = ROOT / "docs/guide/pictures"
SIZE = (24, 14)  # metres
WALLS = ((8, 0, 8.6, 5), (8, 6.4, 8.6, 14), (16, 0, 16.6, 8), (16, 12, 16.6, 14))  # x, z, x, z
LOW_GATE = (8, 5, 8.6, 6.4)  # whose lintel lies at 1 m
CRATES = ((3, 3, 4.2, 4.2), (4.9, 5.2, 6, 6.4), (11, 9, 12.4, 10.4), (19.5, 4, 21, 5.5))
SIZES = (("rat", 0.2, 0.6), ("human", 0.5, 1.8), ("ogre", 1.2, 3.0))
SHOWN = {0: "everybody", 1: "rat and human", 4: "rat alone"}  # colors of areas, and whom they stand for here


def main(folder: Path = FOLDER) -> list[Path]:
    """Draw it; returns which picture that is."""
    build = Builder()
    build.box(0, 0, *SIZE, -0.3, 0)
    for wall in WALLS:
        build.box(*wall, 0, 4)
    build.box(*LOW_GATE, 1, 4)
    for crate in CRATES:
        build.box(*crate, 0, 1.5)
    navmesh = build_navmesh(*build.part(), Settings(cell_size=0.1, cell_height=0.1, agent_max_climb=0.4), sizes=SIZES)
    plain = plain_navmesh(navmesh)
    _, human, ogre = navmesh.sizes
    color = np.where(plain.flags & human.exclude, 4, np.where(plain.flags & ogre.exclude, 1, 0)).astype(np.uint8)
    plan = plan_of(plain._replace(area=color))._replace(area_names=SHOWN)
    picture = folder / "sizes.svg"
    picture.write_bytes(svg_bytes(plan_view("One navmesh for three sizes", plan), 900))
    return [picture]


if __name__ == "__main__":
    print(*main())
