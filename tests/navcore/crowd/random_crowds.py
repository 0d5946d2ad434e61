"""Crowds by chance: what they look like follows from a number."""

from __future__ import annotations

from functools import partial
from unittest import mock

import numpy as np

from navcore import AgentState, BadInput, Crowd, Level, NavQuery, Settings
from navcore.crowd import crowd as crowds
from tests import scenes
from tests.navcore.crowd.crowd_scenes import RADIUS, both_sides, off_navmesh, overlaps

LINK = {
    "start": [5, 0, 12.5], "end": [8, 0, 12.5], "radius": 0.6, "bidirectional": True, "area": 5, "flags": 8, "id": 1,
}  # fmt: skip
PASSES = 240  # calls of `step`


class RandomCrowd:
    """Sizes, speeds, shared ends, links, tiles; some start in one spot, come later, or get other ends while they walk.

    Levels are edited meanwhile, and polygons closed, which is nothing to a crowd that walks already.
    """

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        whole, links, tile_size = scenes.city(2, seed=seed), [LINK], 0
        if seed % 5 == 0:
            whole, links, tile_size = both_sides(40, float(rng.uniform(0.7, 3))).level, [], 64
        elif seed % 5 < 3:  # floors above each other, which Detour links where a steep border of tiles crosses both
            tile_size = int(rng.integers(32, 97))
        settings = Settings(agent_radius=RADIUS, cell_size=0.15, tile_size=tile_size)
        self.level = Level(settings, bounds=(-1, -2, -1, 33, 12, 33), links=links)
        self.level.set_part("whole", *whole)
        self.query = NavQuery(self.level.update())
        self.ground = self.query.as_it_is()
        self.count, self.seed = int(rng.integers(5, 60 if seed % 7 else 200)), seed
        found = self.query.random_points(3 * self.count, seed=seed)
        self.places, self.references = found.points.copy(), found.references
        if seed % 4 == 0:
            spread = rng.uniform(-1, 1, (self.count, 3)) * [1, 0, 1]
            self.places[: self.count] = self.query.nearest(self.places[0] + spread, (3, 3, 3)).points
        self.radius, self.speed = rng.uniform(0.15, RADIUS, self.count), rng.uniform(0.5, 2.5, self.count)
        self.ends = self.places[self.count : 2 * self.count].copy()
        self.ends[: self.count // 3] = self.ends[0]
        self.passes = rng.choice([1 / 30, 0.05, 0.01], PASSES)

    def walked(self, threads: int, pieces: int = 1) -> tuple[bytes, float, float]:
        """Where all are in the end, how deep any two stood in each other, and how far off the navmesh any was.

        Every pass of time is cut into so many pieces. With more threads than one each has a band, however few walk:
        two threads take clusters of those who touch, three take rounds in bands, as of very many.
        """
        crowd = Crowd(self.query, threads=threads, seed=self.seed)
        self._add(crowd)
        count, deepest, off = len(crowd), 0.0, 0.0
        for number, seconds in enumerate(self.passes):
            self._event(crowd, count, number)
            with mock.patch.multiple(crowds, _WORTH_A_THREAD=1, _MANY=0 if threads > 2 else 1e9):
                for _ in range(pieces):
                    crowd.step(float(seconds) / pieces)
            if threads == 1:
                ground = ~np.isin(crowd.states, (AgentState.JUMPING, AgentState.NO_WAY))
                deepest = max(deepest, float(overlaps(crowd.positions, ground, crowd.radii).max()))
                off = max(off, off_navmesh(self.ground, crowd.positions[ground]))
                assert np.isfinite(crowd.positions).all() and np.isfinite(crowd.velocities).all()
        names = ("positions", "velocities", "headings", "states")
        return b"".join(getattr(crowd, name).tobytes() for name in names), deepest, off

    def _add(self, crowd: Crowd) -> None:
        add = partial(crowd.add_many, self.places[: self.count], self.ends, radius=self.radius, speed=self.speed)
        try:
            add()
        except BadInput as refused:
            if refused.code != "NO_ROOM":
                raise
            crowd.add_many(self.places[:1], self.ends[:1], radius=self.radius[:1], speed=self.speed[:1])

    def _event(self, crowd: Crowd, count: int, number: int) -> None:
        """What happens before some of the passes."""
        if number == 60:
            crowd.add_many(self.places[2 * self.count :][:10], self.ends[:10], radius=0.2)
        if number == 90:
            x, _, z = crowd.positions[0].tolist()
            self.level.set_part("crate", *scenes.box(x - 1, 0, z - 1, 2, 1.5, 2))
            self.query.update(self.level.update())
        if number == 100:
            self.query.set_flags(self.query.references()[::2], 0)
        if number == 120:
            crowd.redirect(self.places[: count // 2], np.arange(count // 2))
        if number == 150:
            self.level.remove_part("crate")
            self.query.update(self.level.update())
        if number == 180:
            crowd.redirect(self.places[-1])
