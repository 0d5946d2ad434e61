"""Pictures from above of docs/guide/queries.md and views.md: paths over a town and the example level, stages.

    .venv-nox/core/bin/python examples/plan_pictures.py

Needs navcore alone. Every run draws the same pictures, most of them by the commands that the pages name.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import level
import numpy as np
from solids import Builder, Part

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from navcore import NavMesh, NavQuery, PathStatus, Settings, build_navmesh  # noqa: E402
from navcore.__main__ import main as navcore  # noqa: E402

FOLDER = ROOT / "docs/guide/pictures"
SCALE = 16  # pixels a metre of the town
DETOUR, SHORTEST = "#c05020", "#2f7d3b"
NAMES = ("shortest-path.svg", "ways.svg", "views/contours.svg", "views/meadow.svg")
PAIRS = 2000  # of random points


def main(folder: Path = FOLDER) -> list[Path]:
    """Draw all of them; returns which."""
    with tempfile.TemporaryDirectory() as place:
        files = {name: write_obj(Path(place) / f"{name}.obj", part) for name, part in levels().items()}
        pictures = [
            folder / name for name in ("shortest-path.svg", "ways.svg", "views/contours.svg", "views/meadow.svg")
        ]
        for picture in pictures:
            picture.parent.mkdir(parents=True, exist_ok=True)
        pictures[0].write_text(two_paths(town()), encoding="utf-8")
        navmesh = files["level"].with_suffix(".bin")
        run("build", files["level"], "-o", navmesh, "--quiet")
        run("compare-paths", navmesh, "--from", "41.46,0.1,43.98", "--to", "23.05,0.4,9.23", "-o", pictures[1])
        stages = ("--cell-size", "0.2", "--agent-radius", "0.4")
        run(
            "picture",
            files["plaza"],
            "--view",
            "CONTOURS",
            "--variant",
            "bridges",
            "--partition",
            "layers",
            *stages,
            "-o",
            pictures[2],
        )
        run("picture", files["town"], "--view", "MEADOW", *stages, "-o", pictures[3])
    return pictures


def run(*words: object) -> None:
    status = navcore([str(word) for word in words])
    if status:
        raise SystemExit(f"navcore {words[0]} ended with {status}.")


def levels() -> dict[str, Part]:
    return {"level": whole(level.level()), "plaza": plaza(), "town": town()}


def whole(parts: dict[str, Part]) -> Part:
    """Parts as one."""
    first = np.cumsum([0, *(len(part.vertices) for part in parts.values())])
    faces = [part.triangles + start for part, start in zip(parts.values(), first.tolist(), strict=False)]
    vertices = np.concatenate([part.vertices for part in parts.values()])
    return Part(vertices, np.concatenate(faces).astype(np.int32))


def plaza() -> Part:
    """A square with five by seven pillars."""
    build = Builder()
    build.box(0, 0, 24, 18, -0.3, 0)
    for x in range(7):
        for z in range(5):
            build.cylinder(3 + 3 * x, 3 + 3 * z, 0.5, 0, 2.5, sides=8)
    return build.part()


def town() -> Part:
    """Streets between houses of different sizes."""
    random, build = np.random.default_rng(7), Builder()
    build.box(0, 0, 28, 28, -0.3, 0)
    for x in range(4):
        for z in range(4):
            low = np.array([x, z]) * 7 + random.uniform(1.2, 2.6, 2)
            high = low + random.uniform(2.4, 4.0, 2)
            build.box(low[0], low[1], high[0], high[1], 0, 2.5)
    return build.part()


def write_obj(path: Path, part: Part) -> Path:
    corners = [f"v {x:.6g} {y:.6g} {z:.6g}" for x, y, z in part.vertices.tolist()]
    faces = [f"f {a} {b} {c}" for a, b, c in (part.triangles + 1).tolist()]
    path.write_text("\n".join([*corners, *faces]) + "\n", encoding="ascii")
    return path


def two_paths(part: Part) -> str:
    """Detour's path and the shortest, of the pair where they differ by most metres."""
    navmesh = build_navmesh(part.vertices, part.triangles, Settings(cell_size=0.2, agent_radius=0.4))
    query = NavQuery(navmesh)
    points = query.random_points(2 * PAIRS, seed=1).points
    starts, ends = points[:PAIRS], points[PAIRS:]
    found = [query.find_paths(starts, ends, exact=exact) for exact in (False, True)]
    complete = found[0].status == PathStatus.COMPLETE
    worst = int(np.argmax(np.where(complete, found[0].length - found[1].length, 0)))
    lines = [paths.points[paths.offsets[worst] : paths.offsets[worst + 1], ::2] for paths in found]
    names = [f"{name}: {paths.length[worst]:.1f} m" for name, paths in zip(("Detour", "shortest"), found, strict=True)]
    side = SCALE * 28
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side + 24}" width="{side}"'
    shapes = [
        f'{head} font-family="sans-serif" font-size="13">',
        f'<rect width="{side}" height="{side + 24}" fill="#f4f4f2"/>',
    ]
    shapes.append('<g fill="#b9d3dc" stroke="#7fa3b0" stroke-width="0.6">')
    shapes += [f'<polygon points="{written(ring)}"/>' for ring in rings(navmesh)]
    shapes.append("</g>")
    for k, (line, name, color) in enumerate(zip(lines, names, (DETOUR, SHORTEST), strict=True)):
        shapes.append(f'<polyline points="{written(line)}" fill="none" stroke="{color}" stroke-width="3"/>')
        shapes.append(f'<text x="{12 + 160 * k}" y="{side + 17}" fill="{color}">{name}</text>')
    return "\n".join([*shapes, "</svg>"]) + "\n"


def rings(navmesh: NavMesh) -> list[np.ndarray]:
    """The corners of each polygon from above, in metres."""
    mesh = navmesh.polygon_mesh
    corners = mesh.vertices[:, ::2] * mesh.grid.cell_size + mesh.grid.bounds_min[::2]
    return [corners[polygon[polygon != 0xFFFF]] for polygon in mesh.polygons]


def written(points: np.ndarray) -> str:
    return " ".join(f"{SCALE * x:.0f},{SCALE * z:.0f}" for x, z in points.tolist())


if __name__ == "__main__":
    print(*main(), sep="\n")
