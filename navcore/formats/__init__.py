"""Pure writers and readers, one file per format, and the one way to a file: by its ending or by its target."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import BadInput
from .target_names import LEVEL_BESIDE

if TYPE_CHECKING:
    from ..build_warning import BuildWarning
    from ..detour.reader import NavmeshFile
    from ..result.navmesh import NavMesh
    from ..settings import Settings
    from .plain_navmesh import PlainNavmesh
    from .target_catalog import ExportOptions, Target

ENDINGS = {
    ".bin": "detour", ".glb": "gltf", ".obj": "obj", ".json": "json", ".tres": "godot", ".tscn": "godot-scene",
    ".gset": "recastdemo",
}  # fmt: skip
"""Ending → the target that is meant where only the file is named."""
READ = (".bin", ".json", ".glb", ".tres", ".tscn")
"""Endings of navmeshes that are read."""
_WITH_REFERENCES = ("detour", "json", "gltf", "godot-scene")  # targets: of tiles, or of doors
TILE_CACHE = ".tilecache.bin"
"""How the names of tile caches end."""


def targets() -> Mapping[str, Target]:
    """Name → target: what navmeshes can be exported for."""
    from .target_catalog import TARGETS  # here, so that the list of endings does not wait for NumPy and Numba

    return TARGETS


def target_for(path: Path, target: str | None) -> str | None:
    """`target` where its files end as `path` does; a name that no target has is left to be refused."""
    ending = Path(path).suffix.lower()
    return target if target is not None and (target not in targets() or targets()[target].ending == ending) else None


def holds_detour_data(path: Path) -> bool:
    """Whether a file of this name has the limits of Detour, which `build_navmesh(…, detour_data=True)` keeps."""
    return path.suffix.lower() == ".bin" and not is_tile_cache(path)


def holds_references(path: Path, target: str | None = None) -> bool:
    """Whether what is written there for a target has references: a `.bin`, or what lists the polygons of doors."""
    return _target_of(path, target) in _WITH_REFERENCES


def is_tile_cache(path: Path) -> bool:
    """Whether a file of this name is a tile cache, which is built from the level, not from a navmesh."""
    return path.name.lower().endswith(TILE_CACHE)


def files_of(path: Path) -> list[Path]:
    """An output, and what its format writes beside it: the second file of a tile cache, RecastDemo's level."""
    if is_tile_cache(path):
        return [path, path.with_suffix(".json")]
    return [path, path.with_name(path.stem + LEVEL_BESIDE)] if path.suffix.lower() == ".gset" else [path]


def check_output(path: Path, settings: Settings | None = None, target: str | None = None) -> None:
    """Refuse, before anything is built, an output that could not be written afterwards."""
    from ..files.atomic_write import check_folder  # here, so that menus need nothing of it when Blender starts

    chosen = _target_of(path, target)
    check_folder(path)
    if settings is not None and chosen == "detour":
        from ..detour.limits import check_settings

        check_settings(settings)


def write_navmesh(
    navmesh: NavMesh | PlainNavmesh | NavmeshFile,
    path: str | PathLike[str],
    target: str | None = None,
    options: ExportOptions | None = None,
    *,
    reference_bits: int | None = None,
) -> list[BuildWarning]:
    """Write for a target, else for the one in the name (level.pathfinding.glb), else in the format of the ending.

    What is written was read back and checked, and it is complete or not there at all.
    `navmesh` is a built one or one that was read. `reference_bits` is of a `.bin` and of doors in other files: 32, as
    engines are usually built, or 64 for engines that were built with DT_POLYREF64; others read such a `.bin` as an
    empty navmesh. Returns what a person should know about what was written; warnings about a built navmesh are added to
    its report too. Raises NavmeshError with what the target cannot carry.
    """
    from ..detour.reader import NavmeshFile
    from ..files.atomic_write import check_folder, write_together
    from ..result.navmesh import check_built
    from ..wide_links import joins_nothing
    from .mset import write_mset
    from .plain_from_detour import plain_of_file
    from .plain_navmesh import PlainNavmesh, plain_navmesh
    from .target_catalog import ExportOptions

    if not isinstance(path, (str, PathLike)):
        raise BadInput(f"write_navmesh takes the path of a file, not {type(path).__name__}.", "WRONG_KIND")
    if not isinstance(options, (ExportOptions, type(None))):
        raise BadInput(f"options must be ExportOptions, not {type(options).__name__}.", "WRONG_KIND")
    if reference_bits not in (None, 32, 64):
        raise BadInput(f"reference_bits is {reference_bits!r}. Give 32 or 64.", "WRONG_QUESTION")
    path = Path(path)
    chosen = targets()[_target_of(path, target)]
    if reference_bits == 64 and not holds_references(path, target):
        text = "only a .bin, and doors in a .json, .glb or .tscn, have references. Leave reference_bits out."
        raise BadInput(f"{path.name}: {text}", "WRONG_QUESTION")
    if isinstance(navmesh, NavmeshFile):
        navmesh = plain_of_file(navmesh)
    if not isinstance(navmesh, PlainNavmesh):
        check_built("write_navmesh", navmesh)
    check_folder(path)
    if chosen.export is None:
        warnings = write_mset(navmesh, path, reference_bits)
    else:
        plain = plain_navmesh(navmesh)
        if reference_bits == 64 and plain.doors is not None and not isinstance(navmesh, PlainNavmesh):
            from ..detour.doors import doors_of_navmesh

            plain = plain._replace(doors=plain.doors._replace(rows=doors_of_navmesh(navmesh, wide=True)))
        export = chosen.export(plain, path.stem, options or ExportOptions())
        write_together(
            {path if e == chosen.ending else path.with_name(path.stem + e): export.files[e] for e in export.files}
        )
        warnings = export.warnings
    if chosen.has_links:
        warnings = [*warnings, *joins_nothing(navmesh.wide_links, chosen.ending)]
    if not isinstance(navmesh, PlainNavmesh):
        navmesh.report.warnings += warnings
    return warnings


def read_navmesh_file(path: Path) -> PlainNavmesh:
    """A navmesh from a file of any origin, by its ending. Raises NavmeshError that says what is wrong with it."""
    ending = path.suffix.lower()
    if ending not in READ:
        raise BadInput(f"{path.name}: unknown ending. Navmeshes are read from {', '.join(READ)}.", "UNKNOWN_FORMAT")
    try:
        content = path.read_bytes()
    except OSError as reason:
        raise BadInput(f"Could not read {path}: {reason.strerror or reason}.", "CANNOT_READ") from None
    return read_navmesh_bytes(content, ending)


def read_navmesh_bytes(content: bytes, ending: str) -> PlainNavmesh:
    """The same from memory."""
    if ending == ".bin":
        from ..detour.reader import read_navmesh
        from .plain_from_detour import plain_of_file

        return plain_of_file(read_navmesh(content))
    if ending == ".json":
        from .json_mesh import read_json

        return read_json(content)
    if ending == ".glb":
        from .gltf.glb_reader import read_glb_navmesh

        return read_glb_navmesh(content)[0]
    if ending == ".tscn":
        from .godot.scene_reader import read_tscn

        return read_tscn(content)
    from .godot.godot_mesh_reader import read_tres

    return read_tres(content)[0]


def _target_of(path: Path, target: str | None) -> str:
    """The target that is asked for: by name, else as part of the file's (level.pathfinding.glb), else by its ending."""
    ending = path.suffix.lower()
    if is_tile_cache(path):
        raise BadInput(
            f"{path.name}: a tile cache is built from the level, and only the navmesh is at hand. Build it with "
            "`navcore build -o`, or with TileCache in Python.",
            "NEEDS_THE_LEVEL",
        )
    if target is None:
        named = Path(path.stem).suffix[1:].lower()
        if named in targets() and targets()[named].ending == ending:
            return named
        if ending not in ENDINGS:
            raise BadInput(
                f"{path.name}: unknown ending. Navmeshes are written as {', '.join(ENDINGS)}.", "UNKNOWN_FORMAT"
            )
        return ENDINGS[ending]
    if not isinstance(target, str) or target not in targets():
        raise BadInput(f"There is no target {target!r:.60}. Known are {', '.join(targets())}.", "UNKNOWN_TARGET")
    if ending != targets()[target].ending:
        raise BadInput(
            f"{path.name}: files for {targets()[target].label} end in {targets()[target].ending}.", "WRONG_ENDING"
        )
    return target
