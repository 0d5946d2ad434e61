"""Navmesh → mesh objects in the collection “Navmesh”. One that is built again keeps its objects and their looks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ...navcore.errors import NavmeshError
from ..build import finished_navmeshes as results
from ..build.build_thread import Built
from ..stored.area_types import area_rows, area_table
from ..stored.object_properties import DETAIL_MESH, POLYGON_MESH, ROLE
from ..stored.setting_properties import write_values
from ..stored.setups import add_setup, find_setup, new_uid
from .materials import PALETTE, material_for
from .rollback import Rollback

if TYPE_CHECKING:
    from .navmesh_to_arrays import Surface

SETUP, BUILD, SETTINGS, SOURCES, REPORT, AREA_TYPES, FINGERPRINT, PRUNED, FILE = (
    "navmesh_setup", "navmesh_build", "navmesh_settings", "navmesh_sources", "navmesh_report", "navmesh_area_types",
    "navmesh_fingerprint", "navmesh_pruned", "navmesh_file",
)  # fmt: skip
LIFT = "Above Ground"  # the modifier that lifts what is shown
SLOTS = "navmesh_slots"  # which color each material slot is for
_TOLD = (ROLE, SETUP, BUILD, SETTINGS, SOURCES, REPORT, AREA_TYPES, FINGERPRINT, PRUNED, SLOTS)
_IMPORTED_LIFT = 0.2  # metres, for files that do not tell the height of a cell
_LIFT = {
    POLYGON_MESH: 0.5,
    DETAIL_MESH: 0.25,
}  # cell heights above the ground that is shown, so that they don't flicker


class _Plan(NamedTuple):
    built: Built
    color_by: str
    meshes: dict[str, Surface | None]  # by role
    targets: dict[str, Any]  # objects that are there already, by role


def write_back(scene: Any, built: list[Built]) -> list[Any]:
    """Write navmeshes into a scene, all or none; returns their polygon meshes' objects."""
    plans = [_plan(scene, one) for one in built]
    with Rollback(scene, [thing for plan in plans for thing in plan.targets.values()], _TOLD):
        written = [_write(scene, plan) for plan in plans]
    for plan, thing in zip(plans, written, strict=True):
        if plan.meshes[DETAIL_MESH] is None and DETAIL_MESH in plan.targets:  # it was turned off
            bpy.data.objects.remove(plan.targets[DETAIL_MESH])
        results.keep(str(thing[BUILD]), plan.built)
    return written


def write_imported(scene: Any, name: str, meshes: dict[str, Surface | None], told: dict[str, Any], links: Any) -> Any:
    """Put a navmesh from a file into a scene, beside all others; returns its polygon mesh's object.

    `told` are its custom properties; `links` (., 3) the points of edges that show links, if any.
    """
    with Rollback(scene, [], ()):
        home, things = _home(scene), {}
        for role, surface in meshes.items():
            if surface is not None:
                thing = things[role] = _new_object(home, name, role, _IMPORTED_LIFT / scene.unit_settings.scale_length)
                thing[ROLE], thing[SETUP] = role, told[SETUP]
                thing.hide_select = False
                _fill(thing, surface)
                _color(scene, thing, surface, scene.navmesh.draft.color_by)
                thing.data.validate(clean_customdata=False)  # files of any origin may hold a face twice
        if len(links):
            mesh = bpy.data.meshes.new(f"{things[POLYGON_MESH].name} Links")
            mesh.from_pydata(links.tolist(), [(i, i + 1) for i in range(0, len(links), 2)], [])
            shown = bpy.data.objects.new(mesh.name, mesh)
            shown[ROLE], shown[SETUP] = "links", told[SETUP]
            home.objects.link(shown)
        for key, value in told.items():
            things[POLYGON_MESH][key] = value
    return things[POLYGON_MESH]


def navmesh_objects(scene: Any, setup: str = "") -> dict[tuple[str, str], Any]:
    """Our objects in a scene by setup and role; with `setup`, only its."""
    found: dict[tuple[str, str], Any] = {}
    home = scene.navmesh.collection
    for thing in (*(home.all_objects if home else ()), *scene.objects):
        key = str(thing.get(SETUP, "")), str(thing.get(ROLE, ""))
        if key[1] in (POLYGON_MESH, DETAIL_MESH) and key not in found and (not setup or key[0] == setup):
            if thing.type == "MESH" and thing.library is None and thing.data.library is None and thing.users_scene:
                found[key] = thing
    return found


def _plan(scene: Any, built: Built) -> _Plan:
    from .navmesh_to_arrays import surfaces

    color_by = (find_setup(scene, built.request.setup) or scene.navmesh.draft).color_by
    metres = scene.unit_settings.scale_length
    polygons, detail = surfaces(built.navmesh, area_rows(scene), color_by, metres)
    targets = {role: thing for (_, role), thing in navmesh_objects(scene, built.request.setup).items()}
    for thing in targets.values():
        if thing.mode != "OBJECT":
            raise NavmeshError(f"“{thing.name}” is being edited. Leave its edit mode and build again.", "IN_EDIT_MODE")
    return _Plan(built, color_by, {POLYGON_MESH: polygons, DETAIL_MESH: detail}, targets)


def _write(scene: Any, plan: _Plan) -> Any:
    request = plan.built.request
    setup = find_setup(scene, request.setup)
    if setup is None:
        setup = add_setup(scene, request.name, request.setup)
        write_values(setup, request.settings.to_mapping(), scene.unit_settings.scale_length)
        setup.prune = request.prune
    setup.listed = "\n".join(request.gathered.sources.names or request.gathered.used)
    home, build = _home(scene), new_uid()
    for role, surface in plan.meshes.items():
        thing = plan.targets.get(role)
        if surface is None:
            continue
        if thing is None:
            thing = _new_object(home, setup.name, role, request.settings.cell_height / scene.unit_settings.scale_length)
        _fill(thing, surface)
        _color(scene, thing, surface, plan.color_by)
        _remember(thing, role, plan.built, build)
        plan.targets[role] = thing
    return plan.targets[POLYGON_MESH]


def _home(scene: Any) -> Any:
    """The collection that navmeshes are put into."""
    home = scene.navmesh.collection
    if home is None or home.library is not None:
        home = bpy.data.collections.new("Navmesh")
        home[ROLE] = "collection"
        scene.navmesh.collection = home
    if home not in scene.collection.children_recursive:
        scene.collection.children.link(home)
    return home


def _new_object(home: Any, name: str, role: str, cell_height: float) -> Any:
    full = name if name.startswith("Navmesh") else f"Navmesh {name}"
    if role == DETAIL_MESH:
        full += " Detail"
    thing = bpy.data.objects.new(full, bpy.data.meshes.new(full))
    home.objects.link(thing)
    thing.hide_render = True
    thing.hide_select = True
    if role == POLYGON_MESH:
        thing.display_type = "WIRE"
        thing.show_all_edges = True
    lift: Any = thing.modifiers.new(LIFT, "DISPLACE")  # its own coordinates stay exact
    lift.direction, lift.mid_level, lift.strength = "Z", 0.0, _LIFT[role] * cell_height
    lift.show_render = False
    return thing


def _fill(thing: Any, surface: Surface) -> None:
    """Replace the mesh's geometry, in place."""
    mesh = thing.data
    if mesh.shape_keys is not None:
        thing.shape_key_clear()
    mesh.clear_geometry()
    mesh.vertices.add(len(surface.vertices))
    mesh.loops.add(len(surface.corners))
    mesh.polygons.add(len(surface.starts))
    mesh.attributes["position"].data.foreach_set("vector", _local(thing, surface.vertices).ravel())
    mesh.attributes[".corner_vert"].data.foreach_set("value", surface.corners)
    mesh.polygons.foreach_set("loop_start", surface.starts)
    for name, values in surface.attributes.items():
        mesh.attributes.new(name, "INT", "FACE").data.foreach_set("value", values)
    mesh.update(calc_edges=True)
    mesh.shade_flat()


def _local(thing: Any, points: Any) -> Any:
    """Where the object was moved or parented, the navmesh still lies on the level."""
    import numpy as np

    matrix = np.array(thing.matrix_world, np.float64)
    if (matrix == np.eye(4)).all() or abs(np.linalg.det(matrix)) < 1e-12:
        return points
    inverse = np.linalg.inv(matrix)
    return (points.astype(np.float64) @ inverse[:3, :3].T + inverse[:3, 3]).astype(np.float32)


def _color(scene: Any, thing: Any, surface: Surface, color_by: str) -> None:
    """Give every face a material slot; slots that are there keep the material that somebody put into them."""
    import numpy as np

    from .navmesh_to_arrays import material_keys

    keys = material_keys(surface, color_by, PALETTE)
    tags = [f"{color_by} {key}" for key in np.unique(keys).tolist()]
    slots = json.loads(thing.get(SLOTS, "[]"))[: len(thing.data.materials)]
    if not slots or slots[0].split()[0] != color_by.split()[0]:
        slots = []
        thing.data.materials.clear()
    for tag in tags:
        if tag not in slots:
            slots.append(tag)
            thing.data.materials.append(material_for(scene, area_rows(scene), color_by, int(tag.split()[1])))
    thing[SLOTS] = json.dumps(slots)
    slot_of = np.zeros(int(keys.max()) + 1, np.int32)
    for number, tag in enumerate(slots):
        if tag in tags:
            slot_of[int(tag.split()[1])] = number
    attribute = thing.data.attributes.new("material_index", "INT", "FACE")
    attribute.data.foreach_set("value", slot_of[keys])
    thing.data.update()


def _remember(thing: Any, role: str, built: Built, build: str) -> None:
    """What the navmesh was built from, so that building it again is one click."""
    request = built.request
    thing[ROLE], thing[SETUP], thing[BUILD] = role, request.setup, build
    thing[SETTINGS] = json.dumps(request.settings.to_mapping())
    thing[PRUNED] = request.prune
    thing[SOURCES] = json.dumps(request.gathered.sources._asdict())
    thing[REPORT] = json.dumps(report_of(built))
    thing[AREA_TYPES], thing[FINGERPRINT] = json.dumps(area_table(request.area_types)), built.fingerprint


def _where(place: tuple[float, float, float] | None) -> str:
    """A place of the builder's as a sentence in this scene's coordinates."""
    from ..axes import to_blender  # here, as it loads NumPy

    if place is None:
        return ""
    scene: Any = bpy.context.scene
    x, y, z = to_blender([place], scene.unit_settings.scale_length)[0].tolist()
    return f" At ({x:.2f}, {y:.2f}, {z:.2f})."


def report_of(built: Built) -> dict[str, Any]:
    """The builder's report, and what gathering left out."""
    given = built.request.gathered
    report: dict[str, Any] = built.navmesh.report.to_mapping()
    for warning in report["warnings"]:
        warning["message"] += _where(warning["place"])
    report["warnings"] += [
        {"code": n.code, "message": f"“{n.name}”: {n.message}", "object": n.name} for n in built.notes
    ]
    report["used"] = given.used[:100]
    report["used_count"] = len(given.used)
    report["skipped"] = [list(row) for row in given.skipped[:100]]
    report["skipped_count"] = len(given.skipped)
    report["triangles"] = len(given.triangles)
    report["area_types"] = area_table(built.request.area_types)
    return report
