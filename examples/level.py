"""The example level that the extension brings, as a file: a ruined fort by a river. Needs NumPy alone.

python examples/level.py out/level.obj
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "navmesh_addon/interface"))  # its folder alone: no Blender
_fort: Any = importlib.import_module("example_level.ruined_fort")
Part = _fort.SolidPart
level, scene, water, circle, blender_axes = _fort.level, _fort.scene, _fort.water, _fort.circle, _fort.blender_axes
SIZE, WATER_AREA = _fort.SIZE, _fort.WATER_AREA


def write_obj(path: Path, parts: dict[str, Any]) -> None:
    lines = ["# Navmesh example level, Y up, metres"]
    first = 1
    for name, part in parts.items():
        lines.append(f"o {name}")
        lines += [f"v {x:.6g} {y:.6g} {z:.6g}" for x, y, z in part.vertices]
        lines += [f"f {a} {b} {c}" for a, b, c in part.triangles + first]
        first += len(part.vertices)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


def main(arguments: list[str]) -> int:
    target = Path(arguments[0] if arguments else "out/level.obj")
    parts = level()
    write_obj(target, parts)
    target.with_suffix(".scene.json").write_text(json.dumps(scene(), indent=1) + "\n", encoding="ascii")
    print(f"{target}: {sum(len(part.triangles) for part in parts.values()):,} triangles")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
