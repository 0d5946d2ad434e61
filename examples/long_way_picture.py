"""The picture of long ways in docs/guide/queries.md: districts that one leads through, beside the whole search's.

    .venv-nox/core/bin/python examples/long_way_picture.py

Needs navcore alone. Every run draws the same picture.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import numpy as np
from solids import Builder, Part

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from navcore import NavQuery, QueryFilter, Settings, build_navmesh  # noqa: E402
from navcore.navquery.districts import districts_of  # noqa: E402
from navcore.questions.asked import mesh_of  # noqa: E402

FOLDER = ROOT / "docs/guide/pictures"
NAME = "long-way.svg"
SCALE, BLOCKS, BLOCK, TILE = 5, 14, 7.0, 24  # pixels a metre; houses along a side, metres each; cells
SIDE, ROOFS = BLOCKS * BLOCK, 1.0
START, END = (7.0, 0.0, 91.0), (91.0, 0.0, 7.0)
GROUND, BESIDE, LEADS, WAY, WHOLE = "#dfe5e8", "#cfe3c8", "#9ccf8b", "#1f6f2e", "#c05020"


def main(folder: Path = FOLDER) -> list[Path]:
    """Draw it; returns where it is."""
    part = town()
    query = NavQuery(build_navmesh(part.vertices, part.triangles, Settings(tile_size=TILE)))
    (folder / NAME).write_text(drawn(query), encoding="utf-8")
    return [folder / NAME]


def town() -> Part:
    """Streets between houses, some of which are walls across."""
    random, build = np.random.default_rng(3), Builder()
    build.box(0, 0, SIDE, SIDE, -0.3, 0)
    for x in range(BLOCKS):
        for z in range(BLOCKS):
            low = np.array([x, z]) * BLOCK + random.uniform(1.0, 2.4, 2)
            high = low + random.uniform(2.4, 4.2, 2)
            build.box(low[0], low[1], high[0], high[1], 0, 2.5)
    for _ in range(10):
        x, z, along = *random.uniform(5, SIDE - 40, 2), random.uniform(15, 40)
        size = (along, 1) if random.random() < 0.5 else (1, along)
        build.box(x, z, x + size[0], z + size[1], 0, 2.5)
    return build.part()


def drawn(query: NavQuery) -> str:
    """Ground, the parts that may be entered, both ways, and the borders of tiles."""
    long, whole = (
        query.find_long_paths(START, END).paths,
        query.find_paths(START, END, max_nodes=None, max_path=None, max_points=None),
    )
    mesh, names = mesh_of(query)
    districts = districts_of(mesh, QueryFilter().rule())
    parts = np.unique(districts.part_of[names.polygons(long.polygons)])
    beside = districts.gates["into"][np.isin(districts.gates["part"], parts)]
    size = SCALE * SIDE
    shapes = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size:g} {size + 24:g}" width="{size:g}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{size:g}" height="{size + 24:g}" fill="#f4f4f2"/>',
    ]
    for color, chosen in (
        (GROUND, np.ones(len(districts.part_of), bool)),
        (BESIDE, np.isin(districts.part_of, beside)),
        (LEADS, np.isin(districts.part_of, parts)),
    ):
        outlines = query.outlines(names.names(np.flatnonzero(chosen).astype(np.int32)))
        cuts = outlines.offsets.tolist()
        rings = [outlines.points[a:b] for a, b in itertools.pairwise(cuts)]
        shapes.append(f'<g fill="{color}" stroke="{color}" stroke-width="0.4">')
        shapes += [f'<polygon points="{written(ring[:, ::2])}"/>' for ring in rings if ring[:, 1].max() < ROOFS]
        shapes.append("</g>")
    tile, count = SCALE * TILE * 0.3, int(query.tiles().x.max()) + 1
    lines = [f"M{k * tile:.1f} 0V{size:g}M0 {k * tile:.1f}H{size:g}" for k in range(1, count)]
    shapes.append(
        f'<path d="{"".join(lines)}" stroke="#8899a6" stroke-width="0.5" stroke-dasharray="3 3" fill="none"/>'
    )
    for k, (paths, name, color) in enumerate(((whole, "whole search", WHOLE), (long, "over districts", WAY))):
        line = written(paths.points[:, ::2])
        shapes.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="{3 - k}"/>')
        said = f"{name}: {paths.length[0]:.1f} m"
        shapes.append(f'<text x="{12 + 190 * k}" y="{size + 17:g}" fill="{color}">{said}</text>')
    return "\n".join([*shapes, "</svg>"]) + "\n"


def written(points: np.ndarray) -> str:
    return " ".join(f"{x * SCALE:.1f},{z * SCALE:.1f}" for x, z in points.tolist())


if __name__ == "__main__":
    print(*main(), sep="\n")
