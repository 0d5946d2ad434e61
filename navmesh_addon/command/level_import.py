"""Levels of other programs, through the importers that this Blender has, into an empty file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import addon_utils
import bpy

from ...navcore.errors import BadInput
from ..stored.setup_properties import KINDS


class _Importer(NamedTuple):
    """How File > Import brings in files of one ending."""

    operators: tuple[str, ...]  # the first that this Blender has
    addon: str = ""  # whose operator it is, where it is one of those that Blender ships


_GLTF, _USD = _Importer(("import_scene.gltf",), "io_scene_gltf2"), _Importer(("wm.usd_import",))
_IMPORTERS = {
    ".glb": _GLTF, ".gltf": _GLTF,
    ".fbx": _Importer(("wm.fbx_import", "import_scene.fbx"), "io_scene_fbx"),  # Blender's own from 4.5 on
    ".usd": _USD, ".usda": _USD, ".usdc": _USD, ".usdz": _USD,
    ".obj": _Importer(("wm.obj_import",)), ".ply": _Importer(("wm.ply_import",)),
    ".stl": _Importer(("wm.stl_import",)), ".abc": _Importer(("wm.alembic_import",)),
    ".dae": _Importer(("wm.collada_import",)),  # until 4.5
}  # fmt: skip
ENDINGS = tuple(_IMPORTERS)


def is_imported(path: Path) -> bool:
    """Whether a file of this name is imported; others are opened."""
    return path.suffix.lower() in _IMPORTERS


def import_level(path: Path) -> None:
    """Make an empty file and import into it, as File > Import does with its default options. Raises BadInput."""
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
            getattr(getattr(bpy.ops, group), name)(filepath=str(path.resolve()))
        except RuntimeError as reason:
            raise _refused(path, _last_line(str(reason))) from None
    if not any(object_.type in KINDS for object_ in bpy.data.objects):
        raise _refused(path, "no mesh came of it")


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
