"""Places of cover as files: JSON, empties of a glTF with extras, and markers of a Godot scene. Beside any navmesh.

A place's −z looks towards what hides, as Godot and the cameras of glTF have it, and its y is up.
"""

from __future__ import annotations

import json
import math
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..cover.find_cover import Cover
from ..errors import BadInput
from ..files.atomic_write import check_folder, write_whole
from ..files.strict_json import load_json
from .gltf.glb import JSON_CHUNK, MAGIC, VERSION

ENDINGS = (".json", ".glb", ".tscn")
_MOST_BYTES = 256 << 20
_WAY_OUT = "Give the file that `navcore cover -o NAME.json` wrote."
_KEPT = ("kind", "lean", "height", "exposure")  # of a point, what the node at its place keeps


def check_cover_file(path: Path, others: tuple[str, ...] = ()) -> None:
    """Refuse, before cover is looked for, what could not be written afterwards; `others`: endings that may be, too."""
    known = (*ENDINGS, *others)
    if path.suffix.lower() not in known:
        raise BadInput(f"{path.name}: cover is written to {', '.join(known)}. Take one of these.", "UNKNOWN_FORMAT")
    check_folder(path)


def write_cover(cover: Cover, path: str | PathLike[str]) -> None:
    """Write places of cover: .json as `navcore cover` does, .glb for any program, .tscn for Godot 4.

    The nodes of the last two are named "Cover 1" and so on, lie below one that is called Cover, and keep kind, lean,
    height and exposure, as extras of glTF and as metadata in Godot, where they are of the groups cover and cover_low or
    cover_high. Raises NavmeshError.
    """
    path = Path(path)
    check_cover_file(path)
    ending = path.suffix.lower()
    content = cover.to_mapping()
    if ending == ".json":
        data = (json.dumps(content, allow_nan=False) + "\n").encode()
    else:
        data = _glb_bytes(content["points"]) if ending == ".glb" else _tscn_bytes(content["points"])
    write_whole(path, data)


def read_cover(path: str | PathLike[str]) -> Cover:
    """The places of a COVER.json; who saw them is not in it. Raises BadInput."""
    content = load_json(Path(path), "cover", _MOST_BYTES)
    points = content.get("points") if isinstance(content, dict) else None
    if not isinstance(points, list) or not isinstance(content, dict) or content.get("format") != 1:
        raise BadInput(f"{Path(path).name} is no cover: it has no list of points. {_WAY_OUT}", "BAD_COVER")
    rows = [_row(number, point) for number, point in enumerate(points, 1)]
    numbers = np.array([row[:8] for row in rows], np.float64).reshape(-1, 8)
    lean = np.array([[side in row[9] for side in ("left", "right")] for row in rows], bool).reshape(-1, 2)
    return Cover(
        numbers[:, :3], numbers[:, 3:6], np.array([row[8] for row in rows], np.str_), lean, numbers[:, 6],
        numbers[:, 7], np.zeros((0, 3)),
    )  # fmt: skip


def _row(number: int, point: object) -> tuple[Any, ...]:
    """Eight numbers, the kind and where one leans."""
    if isinstance(point, dict):
        places, lean = [point.get(name) for name in ("at", "towards")], point.get("lean")
        triples = [value for value in places if isinstance(value, list) and len(value) == 3]
        if len(triples) == 2 and point.get("kind") in ("low", "high") and isinstance(lean, list):
            numbers = [*triples[0], *triples[1], point.get("height"), point.get("exposure")]
            if all(isinstance(value, int | float) and not isinstance(value, bool) for value in numbers):
                return (*map(float, numbers), point["kind"], lean)
    raise BadInput(
        f"Point {number} of the cover lacks at, towards, kind, lean, height or exposure. {_WAY_OUT}", "BAD_COVER"
    )


def _turn(point: dict[str, Any]) -> float:
    """Radians around y from −z to the way towards the wall."""
    x, _, z = point["towards"]
    return math.atan2(-x, -z)


def _glb_bytes(points: list[dict[str, Any]]) -> bytes:
    """A glTF of nodes alone."""
    nodes: list[dict[str, Any]] = [{"name": "Cover", "extras": {"cover": {"version": 1, "points": len(points)}}}]
    if points:
        nodes[0]["children"] = list(range(1, len(points) + 1))
    for number, point in enumerate(points, 1):
        half = _turn(point) / 2
        rotation = [0.0, round(math.sin(half), 7), 0.0, round(math.cos(half), 7)]
        extras = {name: point[name] for name in _KEPT}
        nodes.append({"name": f"Cover {number}", "translation": point["at"], "rotation": rotation, "extras": extras})
    content = {
        "asset": {"version": "2.0", "generator": "Navmesh cover"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": nodes,
    }  # fmt: skip
    text = json.dumps(content, allow_nan=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    return np.array([MAGIC, VERSION, 20 + len(text), len(text), JSON_CHUNK], "<u4").tobytes() + text


def _tscn_bytes(points: list[dict[str, Any]]) -> bytes:
    """A scene of Marker3D nodes."""
    lines = ["[gd_scene format=3]", "", '[node name="Cover" type="Node3D"]', f"metadata/points = {len(points)}"]
    for number, point in enumerate(points, 1):
        sine, cosine = (round(value, 6) + 0.0 for value in (math.sin(_turn(point)), math.cos(_turn(point))))
        basis = (cosine, 0, sine, 0, 1, 0, -sine + 0.0, 0, cosine)  # row by row
        kind, lean = point["kind"], ", ".join(f'"{side}"' for side in point["lean"])
        lines += [
            "", f'[node name="Cover {number}" type="Marker3D" parent="." groups=["cover", "cover_{kind}"]]',
            f"transform = Transform3D({', '.join(f'{value:g}' for value in basis)}, "
            f"{', '.join(map(repr, point['at']))})",
            f'metadata/kind = "{kind}"', f"metadata/lean = [{lean}]", f"metadata/height = {point['height']!r}",
            f"metadata/exposure = {point['exposure']!r}",
        ]  # fmt: skip
    return ("\n".join(lines) + "\n").encode()
