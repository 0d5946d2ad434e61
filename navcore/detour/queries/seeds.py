"""Where agents set out: seeds on the ground below them, and which of them reach each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...build_warning import BuildWarning
from ...errors import BadInput
from ...scene import Seed, as_seeds
from ...settings import Settings
from .walk_graph import WalkGraph, reached_from, reaching, standing_on

Seeds = Iterable[Seed | Mapping[str, Any] | Sequence[float]]
_MOST_NAMES = 5  # in one message


class PlacedSeeds(NamedTuple):
    """Where seeds stand."""

    named: tuple[tuple[str, int], ...]  # how to call each seed, and its node in the graph
    lost: tuple[str, ...]  # names of those that stand on no ground

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


def place_seeds(graph: WalkGraph, seeds: Sequence[Seed], settings: Settings) -> PlacedSeeds:
    """The ground below each seed: no farther aside than eroding and simplifying move a wall, or above than an agent."""
    voxels = settings.in_voxels()
    aside = float(voxels.cell_size) * (voxels.radius_vx + settings.edge_max_error + 1)
    above = float(voxels.cell_height) * max(voxels.height_vx, voxels.climb_vx)
    nodes = [(_name(seed, i), standing_on(graph, seed.point, aside, above)) for i, seed in enumerate(seeds, 1)]
    on_ground = tuple((name, node) for name, node in nodes if node >= 0)
    return PlacedSeeds(on_ground, tuple(name for name, node in nodes if node < 0))


def cut_off(graph: WalkGraph, placed: PlacedSeeds) -> list[str]:
    """Names of the seeds that cannot reach the first one and come back: none where all reach each other."""
    if not placed.named:
        return []
    first = placed.named[0][1]
    there, back = reached_from(graph, [first]), reaching(graph, first)
    return [name for name, node in placed.named if not (there[node] and back[node])]


def off_navmesh(names: Sequence[str]) -> str:
    """What is said of seeds that stand on no ground."""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    stands = "stand" if len(names) > 1 else "stands"
    listed = ", ".join(names[:_MOST_NAMES])
    return f"Seed {listed}{more} {stands} on no navmesh. Move it to ground that an agent of this size can walk on."


def seed_warnings(placed: PlacedSeeds) -> list[BuildWarning]:
    """A warning where some of several seeds stand on no ground."""
    return [BuildWarning("SEED_OFF_NAVMESH", off_navmesh(placed.lost))] if placed.lost else []


def _name(seed: Seed, number: int) -> str:
    """A name is enough to find a seed, and knows no axes."""
    at = ", ".join(f"{value:.6g}" for value in seed.point)
    return f"“{seed.name}”" if seed.name else f"{number} at ({at})"
