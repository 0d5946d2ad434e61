"""Levels of other programs, through the importers that this Blender has, into an empty file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import addon_utils
import bpy
import mathutils

from ...navcore.errors import BadInput
from ...navcore.formats.file_axes import AS_READ, FileAxes
from ..axes import turned_in_blender
from ..blender_types import scene_of
from ..stored.setup_properties import KINDS


class _Importer(NamedTuple):
    """How File > Import brings in files of one ending."""

    operators: tuple[str, ...]  # the first that this Blender has
    addon: str = ""  # whose operator it is, where it is one of those that Blender ships
    takes_axes: bool = False  # files say nothing of axes, and the operator is told which they have


_GLTF, _USD = _Importer(("import_scene.gltf",), "io_scene_gltf2"), _Importer(("wm.usd_import",))
_IMPORTERS = {
    ".glb": _GLTF, ".gltf": _GLTF,
    ".fbx": _Importer(("wm.fbx_import", "import_scene.fbx"), "io_scene_fbx"),  # Blender's own from 4.5 on
    ".usd": _USD, ".usda": _USD, ".usdc": _USD, ".usdz": _USD,
    ".obj": _Importer(("wm.obj_import",), takes_axes=True), ".ply": _Importer(("wm.ply_import",), takes_axes=True),
    ".stl": _Importer(("wm.stl_import",), takes_axes=True), ".abc": _Importer(("wm.alembic_import",)),
    ".dae": _Importer(("wm.collada_import",)),  # until 4.5
}  # fmt: skip
ENDINGS = tuple(_IMPORTERS)
_AS_NAVCORE = {"forward_axis": "NEGATIVE_Z", "up_axis": "Y"}  # points of the file are then navcore's


def is_imported(path: Path) -> bool:
    """Whether a file of this name is imported; others are opened."""
    return path.suffix.lower() in _IMPORTERS


def import_level(path: Path, axes: FileAxes = AS_READ, up_is_told: bool = False) -> None:
    """Make an empty file and import into it, as File > Import does with its default options. Raises BadInput.

    Then turn and scale all of it by `axes`. Where `up_is_told`, a file that says nothing of axes is read by that alone;
    without it Blender takes .stl and .ply for z up. Others are turned beyond what they say.
    """
    importer = _IMPORTERS[path.suffix.lower()]
    _check_alembic(path)
    # Not the factory settings: those would disable extensions, this one among them.
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True, load_ui=False)
    with _enabled(importer, path):
        operator = next((name for name in importer.operators if _exists(name)), None)
        if operator is None:
            raise BadInput(
                f"{path}: Blender {bpy.app.version_string} has no importer for {path.suffix.lower()} files. Export the "
                "level as .glb, or save it as .blend.",
                "NO_IMPORTER",
            )
        group, name = operator.split(".")
        try:
            told = _AS_NAVCORE if up_is_told and importer.takes_axes else {}
            getattr(getattr(bpy.ops, group), name)(filepath=str(path.resolve()), **told)
        except RuntimeError as reason:
            raise _refused(path, _last_line(str(reason))) from None
    if not any(object_.type in KINDS for object_ in bpy.data.objects):
        raise _refused(path, "no mesh came of it")
    _turn(axes)


def _turn(axes: FileAxes) -> None:
    """Turn and scale what was imported, by an empty above all of it: then what is animated turns, too."""
    if axes == AS_READ:
        return
    scene = scene_of(bpy.context)
    roots = [object_ for object_ in scene.objects if object_.parent is None]
    above = bpy.data.objects.new("Axes of the File", None)
    scene.collection.objects.link(above)
    above.matrix_world = mathutils.Matrix(turned_in_blender(axes.rows()).tolist()).to_4x4()
    for object_ in roots:
        object_.parent = above
    if bpy.context.view_layer is not None:
        bpy.context.view_layer.update()


def _check_alembic(path: Path) -> None:
    """Refuse an .abc that ends before its root, which it names: Blender's importer would crash and end all builds."""
    if path.suffix.lower() != ".abc":
        return
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except OSError as reason:
        raise BadInput(f"Could not read {path}: {reason.strerror or reason}.", "CANNOT_READ") from None
    if head.startswith(b"Ogawa") and (
        head[5:6] != b"\xff" or int.from_bytes(head[8:], "little") >= path.stat().st_size
    ):
        raise _refused(path, "the file ends too early")


@contextmanager
def _enabled(importer: _Importer, path: Path) -> Iterator[None]:
    """An add-on of Blender's that is switched off is enabled meanwhile, and nothing of that is saved."""
    if not importer.addon or any(map(_exists, importer.operators)):
        yield
        return
    reasons: list[Exception] = []
    if addon_utils.enable(importer.addon, default_set=False, handle_error=reasons.append) is None:
        why = f" ({_last_line(str(reasons[0]))})" if reasons else ""
        raise BadInput(
            f"{path}: Blender's add-on {importer.addon}, which imports {path.suffix.lower()} files, cannot be enabled"
            f"{why}. Enable it in Preferences > Add-ons, or save the level as .blend.",
            "NO_IMPORTER",
        )
    try:
        yield
    finally:
        addon_utils.disable(importer.addon, default_set=False)


def _exists(operator: str) -> bool:
    """Asked of the registered classes: bpy.ops has an attribute for every name."""
    group, name = operator.split(".")
    return name in dir(getattr(bpy.ops, group))


def _last_line(text: str) -> str:
    """The end of a report, or of the traceback that a failed add-on's report is."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    without = [line for line in lines if not line.startswith(("Location:", "Traceback", "File "))]
    return without[-1].removeprefix("Error: ").rstrip(".")[:200] if without else "it gives no reason"


def _refused(path: Path, why: str) -> BadInput:
    return BadInput(
        f"{path} could not be imported: {why}. Check whether the file is whole, or import it in Blender's window and "
        "save it as .blend.",
        "CANNOT_READ",
    )
