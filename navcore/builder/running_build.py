"""A build while it runs: its settings, threads and progress, the report that grows with it, and how it may end."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..agent_sizes import AgentSize, joint_settings, with_flags
from ..errors import Cancelled, NavmeshError, NothingWalkable, TooLarge
from ..geometry.tile_grid import TileGrid
from ..geometry.tile_key import TileKey
from ..kernels.kept_kernels import kernel_counts, kernels_since
from ..progress import Progress, ProgressReport
from ..report import Report
from ..resolution import settings_at_resolution
from ..result.navmesh import NavMesh
from ..scene import Volume
from ..settings import Settings
from ..threads import Workers
from ..types import Heightfield
from .build_limits import HangGuard
from .checked_input import CheckedLevel
from .edit_marks import cells_in, in_cells_of_level, with_patches
from .failure_files import Case, with_case
from .level_spans import LevelSpans
from .local_resolution import with_resolutions
from .odd_input import InputLook, unused_volumes
from .pipeline import STAGES, Piece, mark_ground
from .recipe import Recipe, recipe_of
from .repair import BrokenMesh

Watch = Progress | ProgressReport | None


class RunningBuild:
    """One running build."""

    def __init__(
        self, settings: Settings, workers: Workers, guard: HangGuard, finds_links: bool = True,
        sizes: tuple[AgentSize, ...] = (),
    ) -> None:  # fmt: skip
        self.guard, self.sizes = guard, sizes
        settings = joint_settings(settings, sizes)
        self.settings, self.workers, self.progress = settings, workers, workers.progress
        self.recipe = recipe_of(settings, finds_links, sizes)
        self._scaled: dict[float, Recipe] = {}  # recipes of tiles with other cells
        self.report = Report(settings, self.recipe.voxels, workers.count)
        self.edit_cells: Counter[str] = Counter()  # how many cells each edit has marked, by its key
        self.emptied: dict[TileKey, Mapping[str, int]] = {}  # likewise in tiles of which nothing was left
        self.look: InputLook | None = None  # at what is built from, once that has been checked
        self._untold: InputLook | None = None  # whose warnings are not in the report yet
        self.nothing: NothingWalkable | None = None  # why a tile came out empty
        self.case: Case | None = None  # what is built from, once that has been checked
        self.solid: Heightfield | None = None  # of a level in one piece, for the links that are found on it
        self.spans: LevelSpans | None = None  # of a level in tiles, likewise
        self._began, self._kernels = time.perf_counter(), kernel_counts()

    def recipe_at(self, scale: float) -> Recipe:
        """The recipe of tiles whose cells are `scale` times as wide. Raises BadSettings where there can be none.

        Links are found on the level's own cells everywhere, so nobody asks such tiles for what is solid in them.
        """
        if scale == 1:
            return self.recipe
        if scale not in self._scaled:
            self._scaled[scale] = recipe_of(settings_at_resolution(self.settings, scale), False, self.sizes)
        return self._scaled[scale]

    def in_tiles(self, tile_grid: TileGrid, volumes: Sequence[Volume]) -> TileGrid:
        """How the level is cut, with the tiles that volumes give other cells."""
        return with_resolutions(tile_grid, volumes, self.recipe_at) or tile_grid

    def know(self, level: CheckedLevel) -> None:
        """Which flags the level uses: those that are left are there for sizes."""
        if self.sizes:
            self.sizes = with_flags(self.sizes, level.used_flags(self.settings))
            self.report.sizes = [size.to_mapping() for size in self.sizes]

    def marked(self, level: CheckedLevel) -> CheckedLevel:
        """Stage 1, for the whole level at once."""
        ground = mark_ground(level.geometry, self.settings, self.workers)
        return level._replace(geometry=with_patches(ground, level.volumes))

    def looked_at(self, level: CheckedLevel) -> CheckedLevel:
        """`marked`, after a look at the level; what is odd about it goes into the report."""
        self.look = self._untold = look = InputLook(level, self.settings)
        if self.workers.count > 1 and not self.settings.tile_size:
            self.workers.spare = lambda: look.warnings  # while one thread alone has something to do
        else:
            self.tell_look()
        marked = self.marked(level)
        self.report.warnings += unused_volumes(marked.geometry, level.given_volumes, self.recipe.voxels)
        return marked

    def tell_look(self) -> None:
        """What is odd about the input stands before all else, whenever it was found."""
        look, self._untold = self._untold, None
        if look is not None:
            self.report.warnings[:0] = look.warnings

    def add(self, piece: Piece, where: str = "", scale: float = 1.0) -> None:
        """Put the counts and warnings of a piece, whose cells are `scale` times as wide, into the report."""
        for name, count in {**piece.counts, "tiles": 1}.items():
            self.report.counts[name] = self.report.counts.get(name, 0) + count
        warnings, cells = cells_in(piece.warnings)
        self.edit_cells.update(in_cells_of_level(cells, scale))
        self.report.take(warning._replace(message=where + warning.message) for warning in warnings)

    def cells_of_edits(self) -> Mapping[str, int]:
        """How many cells each edit has marked in all tiles, by its key."""
        cells = Counter(self.edit_cells)
        for marked in self.emptied.values():
            cells.update(marked)
        return cells

    def add_seconds(self, seconds: dict[str, float]) -> None:
        """The same for the seconds of stages."""
        for stage, taken in seconds.items():
            self.report.seconds[stage] = self.report.seconds.get(stage, 0.0) + taken

    def finished(self, navmesh: NavMesh) -> NavMesh:
        """Close the report."""
        self.tell_look()
        self.progress.check()
        self.add_seconds(self.progress.seconds)
        self.report.total_seconds = time.perf_counter() - self._began
        self.report.kernels = kernels_since(self._kernels)
        self.progress.done()
        return navmesh


@contextmanager
def running_build(
    settings: Settings,
    threads: int | None,
    progress: Watch,
    failures: Path | None = None,
    finds_links: bool = True,
    sizes: tuple[AgentSize, ...] = (),
) -> Iterator[RunningBuild]:
    """Threads, a guard against hanging, and errors as sentences around whatever builds."""
    watch = progress if isinstance(progress, Progress) else Progress(progress)
    watch.begin(STAGES)
    with Workers(threads, watch) as workers, HangGuard(watch, workers.count) as guard:
        build = RunningBuild(settings, workers, guard, finds_links, sizes)
        try:
            yield build
        except Cancelled:
            guard.check()
            raise
        except NavmeshError as reason:
            build.tell_look()
            reason.warnings = (*build.report.warnings, *reason.warnings)
            if build.look is not None:
                build.look.explain(reason)
            if isinstance(reason, BrokenMesh) and build.case is not None:
                raise with_case(reason, build.case, failures) from None
            raise
        except MemoryError:
            raise TooLarge(
                "There is not enough memory for this build. Raise Cell Size, use tiles, or select less.",
                "OUT_OF_MEMORY",
            ) from None
