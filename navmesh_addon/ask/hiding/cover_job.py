"""Looking for cover on a thread. Nothing here may touch bpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...background import Job

if TYPE_CHECKING:
    from ....navcore.cover.find_cover import Cover
    from ....navcore.views.picture import Picture
    from ...builds.request_and_result import BuiltNavmesh


class CoverJob(Job[tuple["Cover", "Picture"]]):
    """The cover of one navmesh, and how it is drawn."""

    def __init__(self, built: BuiltNavmesh, spacing: float) -> None:
        super().__init__("navmesh-cover", lambda _job: self._seek(built, spacing))

    def _seek(self, built: BuiltNavmesh, spacing: float) -> tuple[Cover, Picture]:
        """On the thread."""
        from ....navcore.cover.find_cover import find_cover
        from ....navcore.cover.sight import Sight
        from ....navcore.views.cover_faces import cover_faces

        level, progress = built.request.level, self.new_progress()
        cover = find_cover(built.navmesh, Sight(level.vertices, level.triangles), spacing, progress=progress)
        return cover, cover_faces(cover)
