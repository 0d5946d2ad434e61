"""One section of a world, built on a thread of its own or at once. Nothing here may touch bpy; a test sees to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...navcore.compile_ahead import waiting
from ..background import Job
from .run_builds import load

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...navcore.types import Geometry
    from ...navcore.world.blender_levels import BlendMesh
    from ...navcore.world.build_world import WorldReport
    from ...navcore.world.world_file import World
    from .request_and_result import Means


class SectionBuild(NamedTuple):
    """What is built."""

    world: World
    folder: Path
    section: str
    levels: Mapping[BlendMesh, tuple[Geometry, dict[str, object]]]  # what this Blender shows of .blend files


class BuiltSection(NamedTuple):
    """What came of it."""

    section: str
    report: WorldReport
    unread: tuple[str, ...]  # sections of .blend files that nobody has read yet


class SectionJob(Job[BuiltSection]):
    """One build."""

    def __init__(self, asked: SectionBuild, means: Means) -> None:
        super().__init__("navmesh-section", lambda _: self._build())
        self._asked, self._means, self._progress = asked, means, self.new_progress()

    def _build(self) -> BuiltSection:
        """Raises NavmeshError."""
        load(self._means.kernels)
        from ...navcore.files.atomic_write import make_folder
        from ...navcore.world.blender_levels import blend_meshes, keep_level, kept_level, with_levels
        from ...navcore.world.build_world import build_world

        world, folder, section, levels = self._asked
        waiting.wait(self)
        make_folder(folder)
        for blend, level in levels.items():
            keep_level(blend, folder, *level, {})  # of no file: the command reads the file that is saved
        blends = blend_meshes(world)
        unread = dict.fromkeys(blend.section for blend in blends if kept_level(blend, folder) is None)
        read = with_levels(world, dict.fromkeys(blends, folder))
        report = build_world(read, folder, [section], threads=self._means.threads, progress=self._progress)
        return BuiltSection(section, report, tuple(unread))
