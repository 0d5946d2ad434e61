"""Where agents set out: seeds on the ground below them, and which of them reach each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...build_warning import BuildWarning, place_in_words
from ...errors import BadInput, TooLarge
from ...level_source import Seeds
from ...result.navmesh import NavMesh
from ...scene import Seed, as_seeds
from ...settings import Settings
from ...types import Geometry
from .walk_graph import WalkGraph, reached_from, reaching, standing_on, walk_graph
from .why_off_navmesh import why_off_navmesh

_MOST_TOLD = 5  # seeds, each with its reason


class PlacedSeeds(NamedTuple):
    """Where seeds stand."""

    named: tuple[tuple[str, int], ...]  # how to call each seed, and its node in the graph
    lost: tuple[tuple[str, Seed], ...]  # how to call each one that stands on no ground

    @property
    def nodes(self) -> list[int]:
        """The nodes on which seeds stand."""
        return [node for _, node in self.named]


def checked_seeds(seeds: Seeds) -> list[Seed]:
    """The seeds to prune by. Raises BadInput where there is none."""
    points = as_seeds(seeds)
    if not points:
        raise BadInput(
            "Pruning keeps what a seed can reach, and there is no seed. Mark an empty where agents set out as Seed, "
            "or give seeds in the scene file.",
            "NO_SEEDS",
        )
    return points


def seed_reach(settings: Settings) -> tuple[float, float]:
    """Metres within which a seed finds its ground: no farther aside than eroding and simplifying move a wall, and no
    farther above than an agent is high."""
    voxels = settings.in_voxels()
    aside = float(voxels.cell_size) * (voxels.radius_vx + settings.edge_max_error + 1)
    return aside, float(voxels.cell_height) * max(voxels.height_vx, voxels.climb_vx)


def place_seeds(graph: WalkGraph, seeds: Sequence[Seed], settings: Settings) -> PlacedSeeds:
    """The ground below each seed."""
    aside, above = seed_reach(settings)
    found = [(_name(seed, i), seed, standing_on(graph, seed.point, aside, above)) for i, seed in enumerate(seeds, 1)]
    on_ground = tuple((name, node) for name, _, node in found if node >= 0)
    return PlacedSeeds(on_ground, tuple((name, seed) for name, seed, node in found if node < 0))


class SeedWays(NamedTuple):
    """Which seeds can't reach the first one and come back: none where all reach each other. All by name."""

    first: str  # nothing where no seed stands on the navmesh
    cut_off: tuple[str, ...]  # all of them
    no_way_back: tuple[str, ...]  # those that the first one reaches
    no_way_there: tuple[str, ...]  # those that reach the first one


def seed_ways(graph: WalkGraph, placed: PlacedSeeds) -> SeedWays:
    """Who of the seeds that stand on the navmesh gets where, seen from the first one."""
    if not placed.named:
        return SeedWays("", (), (), ())
    name, first = placed.named[0]
    there, back = reached_from(graph, [first]), reaching(graph, first)
    return SeedWays(
        name,
        tuple(name for name, node in placed.named if not (there[node] and back[node])),
        tuple(name for name, node in placed.named if there[node] and not back[node]),
        tuple(name for name, node in placed.named if back[node] and not there[node]),
    )


def tell_lost_seeds(navmesh: NavMesh, seeds: Sequence[Seed], level: Geometry | None = None) -> None:
    """Add a warning to the report for each seed that stands on no ground. Nothing is left out for it."""
    if not seeds:
        return
    try:
        placed = place_seeds(walk_graph(navmesh), seeds, navmesh.settings)
        told = seed_warnings(placed, navmesh, level)
    except TooLarge as error:  # of tiles that runtime data cannot hold nothing can be asked
        told = [BuildWarning("SEED_OFF_NAVMESH", f"Nobody can tell whether seeds stand on the navmesh: {error}")]
    navmesh.report.warnings += told


def near_a_seed(low: Sequence[float], high: Sequence[float], seeds: Sequence[Seed], settings: Settings) -> bool:
    """Whether a tile with these corners may hold the ground of any seed."""
    aside, _ = seed_reach(settings)
    return any(all(low[axis] - aside <= seed.point[axis] <= high[axis] + aside for axis in (0, 2)) for seed in seeds)


def seed_warnings(
    placed: PlacedSeeds, navmesh: NavMesh, level: Geometry | None, prunes: bool = False
) -> list[BuildWarning]:
    """A warning with its reason for each seed that stands on no ground, and one where therefore nothing is pruned."""
    told = [
        BuildWarning(
            "SEED_OFF_NAVMESH",
            f"Seed {name} stands on no navmesh: {why_off_navmesh(navmesh, seed.point, level)}",
            seed.point,
        )
        for name, seed in placed.lost[:_MOST_TOLD]
    ]
    if more := len(placed.lost) - len(told):
        stand = "stands" if more == 1 else "stand"
        told.append(
            BuildWarning("SEED_OFF_NAVMESH", f"{more:,} more of the seeds {stand} on no navmesh. Move them to ground.")
        )
    if prunes and not placed.named:
        nobody = (
            "No seed stands on the navmesh, so nothing was left out: all of it is there, reachable or not. Move a seed "
            "to ground that an agent of this size can walk on."
        )
        told.append(BuildWarning("SEED_OFF_NAVMESH", nobody))
    return told


def _name(seed: Seed, number: int) -> str:
    """A name is enough to find a seed, and knows no axes."""
    return f"“{seed.name}”" if seed.name else f"{number} at {place_in_words(seed.point)}"
