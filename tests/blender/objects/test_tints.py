"""Tints: two agents can be told apart, one alone looks as ever, and no file that is exported knows of them."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.blender.scenes import add_cube, add_plane


@pytest.fixture
def level(bpy: Any) -> Any:
    """Ground with a lake."""
    lake = add_cube(bpy, "Lake", (4, 4, 0))
    lake.navmesh.use, lake.navmesh.area = "VOLUME", 1
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    return add_plane(bpy)


def build(bpy: Any, *names: str) -> Any:
    for name in names:
        bpy.ops.navmesh.setup_add(name=name)
    bpy.ops.navmesh.build(all_setups=True, cell_size=0.5)
    return bpy.context.scene.navmesh.setups


def seen(bpy: Any, name: str) -> dict[str, tuple[float, ...]]:
    """By an area's material, the color that the viewport shows of an object's faces in Solid and Material Preview."""
    object_ = bpy.data.objects[name]
    found = {}
    for slot, material in zip(object_.material_slots, object_.data.materials, strict=True):
        color = tuple(round(part, 4) for part in slot.material.diffuse_color)
        (shader,) = [n for n in slot.material.node_tree.nodes if n.bl_idname == "ShaderNodeBsdfPrincipled"]
        assert tuple(round(p, 4) for p in shader.inputs["Base Color"].default_value)[:3] == color[:3]
        assert shader.inputs["Alpha"].default_value == pytest.approx(color[3])
        if not material.name.startswith(("Navmesh Color", "Navmesh Heat")):  # of regions, islands and heat maps
            found[material.name] = color
    return found


def far(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    return float(np.abs(np.subtract(one[:3], other[:3])).max())


def test_one_setup_looks_as_ever(bpy: Any, level: Any) -> None:  # noqa: ARG001
    build(bpy, "Human")
    colors = seen(bpy, "Navmesh Human Detail")
    assert colors == {"Navmesh Walkable": (0.0, 0.45, 0.75, 0.45), "Navmesh Water": (0.1, 0.05, 0.9, 0.45)}
    assert {slot.link for slot in bpy.data.objects["Navmesh Human Detail"].material_slots} == {"DATA"}
    assert tuple(bpy.data.objects["Navmesh Human"].color) == (1, 1, 1, 1)


def test_several_setups_can_be_told_apart(bpy: Any, level: Any) -> None:  # noqa: ARG001
    names = [f"Agent {k}" for k in range(1, 6)]
    build(bpy, *names)
    colors = [seen(bpy, f"Navmesh {name} Detail") for name in names]
    for one, other in itertools.combinations(colors, 2):
        assert far(one["Navmesh Walkable"], other["Navmesh Walkable"]) > 0.25
    for one in colors:
        assert far(one["Navmesh Walkable"], one["Navmesh Water"]) > 0.15, "areas, too"
    meshes = [bpy.data.objects[f"Navmesh {name}"].data for name in names]
    assert {tuple(sorted(m.name for m in mesh.materials))[-2:] for mesh in meshes} == {
        ("Navmesh Walkable", "Navmesh Water")
    }


def test_navmeshes_over_each_other_do_not_flicker(bpy: Any, level: Any) -> None:  # noqa: ARG001
    build(bpy, "Human", "Giant")
    lifts = sorted(o.modifiers["Above Ground"].strength for o in bpy.data.objects if "navmesh_role" in o)
    assert len(lifts) == 4 and min(np.diff(lifts)) > 0.02
    assert lifts[0] > 0.02


def test_a_tint_is_seen_at_once_and_can_be_reset(bpy: Any, level: Any) -> None:  # noqa: ARG001
    setups = build(bpy, "Human", "Giant")
    count = len(bpy.data.materials)
    setups["Giant"].tint = (0.25, 0.5, 1.0)
    assert seen(bpy, "Navmesh Giant")["Navmesh Walkable"] == (0.25, 0.5, 1.0, 0.45)
    assert tuple(bpy.data.objects["Navmesh Giant"].color)[:3] == (0.25, 0.5, 1.0)
    assert len(bpy.data.materials) == count
    before = seen(bpy, "Navmesh Human")
    setups["Human"].tint = (0.5, 0.0, 0.0)
    assert seen(bpy, "Navmesh Human")["Navmesh Walkable"] == (0.5, 0.0, 0.0, 0.45)
    setups["Human"].property_unset("tint")
    bpy.ops.navmesh.build(setup="Human", cell_size=0.5)
    assert seen(bpy, "Navmesh Human") == before


def test_the_color_of_an_area_type_shines_through(bpy: Any, level: Any) -> None:  # noqa: ARG001
    build(bpy, "Human", "Giant")
    before = seen(bpy, "Navmesh Giant")
    bpy.ops.navmesh.area_types_edit()
    bpy.context.scene.navmesh.area_types[1].color = (0.9, 0.9, 0.9)
    after = seen(bpy, "Navmesh Giant")
    assert after["Navmesh Walkable"] == before["Navmesh Walkable"]
    assert far(after["Navmesh Water"], before["Navmesh Water"]) > 0.2


def test_a_material_that_somebody_gave_stays(bpy: Any, level: Any) -> None:  # noqa: ARG001
    build(bpy, "Human", "Giant")
    mesh, slots = bpy.data.objects["Navmesh Giant"].data, bpy.data.objects["Navmesh Giant"].material_slots
    mine, other = bpy.data.materials.new("Mine"), bpy.data.materials.new("Other")
    slots[0].material, mesh.materials[1] = mine, other
    bpy.ops.navmesh.build(all_setups=True, cell_size=0.5)
    bpy.context.scene.navmesh.setups["Giant"].tint = (0.25, 0.5, 1.0)
    assert [slot.material for slot in slots][:2] == [mine, other]


def test_a_new_setup_gets_a_tint_that_no_other_has(bpy: Any) -> None:
    for _ in range(4):
        bpy.ops.navmesh.setup_add()
    setups = bpy.context.scene.navmesh.setups
    bpy.context.scene.navmesh.active = 1
    gone = tuple(setups[1].tint)
    bpy.ops.navmesh.setup_remove()
    bpy.ops.navmesh.setup_add()
    assert tuple(setups[3].tint) == gone and len({tuple(setup.tint) for setup in setups}) == 4


def test_our_own_export_knows_no_tint(bpy: Any, level: Any, tmp_path: Path) -> None:  # noqa: ARG001
    setups = build(bpy, "Human", "Giant")
    for name in ("tinted", "plain"):
        if name == "plain":
            setups["Giant"].property_unset("tint")
            bpy.ops.navmesh.build(setup="Giant", cell_size=0.5)
        bpy.ops.navmesh.export(setup="Giant", filepath=str(tmp_path / f"{name}.glb"))
    assert (tmp_path / "tinted.glb").read_bytes() == (tmp_path / "plain.glb").read_bytes()
