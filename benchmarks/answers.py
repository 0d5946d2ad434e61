"""The same questions to Recast's own navmesh files and to ours: `python benchmarks/answers.py`.

For each level the peer (Recast as WebAssembly) builds its file from the triangles alone. Ours must hold the same bytes
but for the order in which bounding trees keep equal boxes, and give the same answers: nearest points, paths, straight
paths, raycasts, walks along the surface, random points. Two ties are broken otherwise by the peer's C library, and that
tile differs: a hole that two bridges of one length join to its outline, and a link's end that is equally near to two
polygons. Needs Node.js; the peer is installed by npm into a folder that git ignores.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from benchmarks.run import install_peer  # noqa: E402
from navcore import Settings, build_navmesh, read_navmesh, write_navmesh  # noqa: E402
from navcore.area_types import AREA_TYPES  # noqa: E402
from navcore.detour.byte_layout import Sections  # noqa: E402
from tests import scenes  # noqa: E402

LINK = {"radius": 0.6, "bidirectional": True, "area": 5, "flags": 8, "id": 1}
"""What a link is unless it says so."""


def compare(
    mesh: scenes.Mesh,
    settings: Settings,
    *,
    boxes: Sequence[Mapping[str, Any]] = (),
    links: Sequence[Mapping[str, Any]] = (),
    questions: int = 500,
    seed: int = 1,
) -> dict[str, Any]:
    """Build one level on both sides; what differs in the bytes ("sections") and in the answers ("different")."""
    links = [{**LINK, **link} for link in links]
    vertices, triangles = np.ascontiguousarray(mesh[0], "<f4"), np.ascontiguousarray(mesh[1], "<i4")
    navmesh = build_navmesh(
        vertices, triangles, settings, links=links, volumes=[{"shape": "box", **box} for box in boxes]
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        vertices.tofile(folder / "vertices.bin")
        triangles.tofile(folder / "triangles.bin")
        write_navmesh(navmesh, folder / "ours.bin")
        job = {
            **{part: str(folder / f"{part}.bin") for part in ("vertices", "triangles", "ours", "theirs")},
            "voxels": {k: float(v) for k, v in settings.in_voxels()._asdict().items()},
            "agent": [settings.agent_height, settings.agent_radius, settings.agent_max_climb],
            "flags": {area: kind.flags for area, kind in AREA_TYPES.items()},
            "max_slope": settings.agent_max_slope,
            **{k: getattr(settings, k) for k in ("tile_size", "partition", "vertices_per_polygon")},
            "boxes": list(boxes),
            "links": links,
            "questions": questions,
            "seed": seed,
        }
        (folder / "job.json").write_text(json.dumps(job))
        told = answers(folder / "job.json")
        ours, theirs = ((folder / f"{side}.bin").read_bytes() for side in ("ours", "theirs"))
    return {**told, "tiles": len(navmesh.tiles), "bytes": len(ours), "sections": differences(ours, theirs)}


def answers(job: Path) -> dict[str, Any]:
    done = subprocess.run(["node", str(HERE / "peer" / "answers.mjs"), str(job)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the peer failed: {done.stderr.strip()[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def differences(ours: bytes, theirs: bytes) -> list[str]:
    """What differs between two files, but for the order of equal boxes in bounding trees."""
    if ours == theirs:
        return []
    a, b = read_navmesh(ours), read_navmesh(theirs)
    if ours[:40] != theirs[:40]:
        return [f"header: {a.parameters} and {b.parameters}, {len(a.tiles)} and {len(b.tiles)} tiles"]
    found = []
    for one, other in zip(a.tiles, b.tiles, strict=True):
        where = f"tile ({one.x}, {one.y})"
        if one.reference != other.reference:
            found.append(f"{where}: reference")
        for name in Sections._fields:
            mine, its = getattr(one.sections, name), getattr(other.sections, name)
            same = same_tree(mine, its) if name == "nodes" else mine.tobytes() == its.tobytes()
            if not same:
                found.append(f"{where}: {name}")
    return found


def same_tree(ours: Any, theirs: Any) -> bool:
    """Whether two bounding trees hold the same leaves, and each is sound: inner boxes are those around their leaves."""
    count = (len(ours) + 1) // 2  # leaves, if the last of 2 n nodes is unused
    trees = ours, theirs
    leaves = [{(int(n["polygon"]), n["box"].tobytes()) for n in nodes if n["polygon"] >= 0} for nodes in trees]
    return len(ours) == len(theirs) and leaves[0] == leaves[1] and all(is_sound(nodes, count) for nodes in trees)


def is_sound(nodes: Any, leaves: int) -> bool:
    used = nodes[: 2 * leaves - 1]
    for place, node in enumerate(used):
        if node["polygon"] < 0:
            below = used[place + 1 : place - int(node["polygon"])]
            below = below[below["polygon"] >= 0]["box"]
            around = np.concatenate([below[:, :3].min(0), below[:, 3:].max(0)])
            if not np.array_equal(around, node["box"]):
                return False
    return True


# --- the levels


def levels(count: int, seed: int) -> dict[str, tuple[scenes.Mesh, Settings, dict[str, Any]]]:
    """Generated levels in one piece and in tiles, with areas and links at random places."""
    rng = np.random.default_rng(seed)
    makers = {
        "city": lambda s: scenes.city(3, seed=s),
        "terrain": lambda s: scenes.terrain(150, 0.45, 0.1, seed=s),
        "stairs": lambda _: scenes.stairs(),
        "plaza": lambda s: scenes.plaza(4 + s % 4),
        "tower": lambda s: scenes.tower(3 + s % 4, 14.0),
        "soup": lambda s: scenes.snapped_soup(300, seed=s),
        "spiral": lambda s: scenes.spiral(2 + s % 3),
    }
    made = {}
    for number in range(count):
        kind = list(makers)[number % len(makers)]
        mesh = makers[kind](int(rng.integers(1000)))
        settings = Settings(
            tile_size=int(rng.choice([0, 0, 24, 32, 48, 64])),
            cell_size=float(rng.choice([0.2, 0.25, 0.3])),
            agent_radius=float(rng.choice([0.3, 0.6])),
            partition=str(rng.choice(["watershed", "monotone", "layers"])),
            region_min_size=float(rng.choice([2, 8])),
            vertices_per_polygon=int(rng.choice([3, 6, 6])),
            repair=False,
        )
        low, high = mesh[0].min(0), mesh[0].max(0)
        made[f"{number} {kind}"] = mesh, settings, {"boxes": boxes(rng, low, high), "links": links(rng, low, high)}
    return made


def boxes(rng: np.random.Generator, low: Any, high: Any) -> list[dict[str, Any]]:
    half = np.array([3, 20, 3])
    centers = [low + (high - low) * rng.random(3) for _ in range(3)]
    areas = rng.integers(1, 5, 3).tolist()
    corners = [((c - half).tolist(), (c + half).tolist()) for c in centers]
    return [{"area": area, "min": a, "max": b} for area, (a, b) in zip(areas, corners, strict=True)]


def links(rng: np.random.Generator, low: Any, high: Any) -> list[dict[str, Any]]:
    made = []
    for number in range(12):
        start, end = (np.round(low + (high - low) * rng.random(3), 2).tolist() for _ in range(2))
        made.append({"start": start, "end": end, "radius": 1.0, "bidirectional": bool(number % 2), "id": number})
    return made


def summary(told: Mapping[str, Any]) -> str:
    return (
        f"{told['tiles']:>4} tiles {told['bytes']:>9,} bytes  {told['asked']:,} questions, "
        f"{told['count']} answers differ ({told['ties']} ties), {len(told['sections'])} sections differ"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--levels", type=int, default=28)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--questions", type=int, default=500, help="of each of six kinds, a level")
    arguments = parser.parse_args()
    install_peer()
    wrong = 0
    for name, (mesh, settings, more) in levels(arguments.levels, arguments.seed).items():
        told = compare(mesh, settings, **more, questions=arguments.questions, seed=arguments.seed)
        wrong += bool(told["count"] or told["sections"])
        print(f"{name:<12}{settings.partition:<10} tile {settings.tile_size:<3} {summary(told)}", flush=True)
        for line in [*told["sections"][:5], *map(str, told["different"][:5])]:
            print(f"    {line[:400]}")
    print(f"{wrong} of {arguments.levels} levels differ.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
