"""Ten lines of Python, as the README has them: build, then read settings, polygons, areas and the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.blender.scenes import add_plane

SCRIPT = """
import bpy, json
bpy.ops.navmesh.build(scope="VISIBLE", agent_radius=0.4)
navmesh = bpy.data.objects["Navmesh"]
settings = json.loads(navmesh["navmesh_settings"])
report = json.loads(navmesh["navmesh_report"])
areas = [area.value for area in navmesh.data.attributes["navmesh_area"].data]
costs = {row["area"]: row["cost"] for row in json.loads(navmesh["navmesh_area_types"])}
for polygon in navmesh.data.polygons:
    corners = [navmesh.data.vertices[i].co for i in polygon.vertices]
    print(areas[polygon.index], corners)
bpy.ops.navmesh.export(filepath=FILE)
"""


def test_ten_lines(bpy: Any, tmp_path: Path, capsys: Any) -> None:
    add_plane(bpy)
    names: dict[str, Any] = {"FILE": str(tmp_path / "navmesh.bin")}
    exec(compile(SCRIPT, "script", "exec"), names)
    assert names["costs"] == {0: 1.0, 1: 10.0, 2: 1.0, 3: 1.0, 4: 2.0, 5: 1.5, 6: 1.0}
    assert names["report"]["area_types"][1] == {"area": 1, "name": "Water", "flags": 2, "cost": 10.0}
    assert names["settings"]["agent_radius"] == 0.4 and names["report"]["ok"]
    polygons = len(bpy.data.objects["Navmesh"].data.polygons)
    assert capsys.readouterr().out.count("Vector") >= 3 * polygons > 0
    assert (tmp_path / "navmesh.bin").stat().st_size > 100
