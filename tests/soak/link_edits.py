"""Random edits of levels whose links are found: `python -m tests.soak.link_edits --edits 500`

As tests.soak.edits, on wider levels with crates to jump off and gaps to jump over; what was found is rejected, kept,
moved and let go of again. After each edit all links must be those of a full build, byte for byte.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from navcore import LinkEdits, NavMesh, Settings, WideLink
from tests import scenes

from .edits import Edited, run

_FOUND = Settings(generate_links=True, tile_size=16, cell_size=0.4, agent_radius=0.4, region_min_size=1)
_SETTINGS = (
    _FOUND,
    replace(_FOUND, link_detour=1.5, link_spacing=1.0),
    replace(_FOUND, link_climb_height=2.0, link_jump_area=5, link_drop_height=4.0),
    replace(_FOUND, tile_size=40, link_jump_distance=4.0, link_jump_height=1.4),
    replace(_FOUND, tile_size=24, partition="monotone", detail_mesh=False, link_detour=2.0),
    replace(_FOUND, generate_links=False),
)
_SIZE = 64.0  # metres: several times as far as links reach


class Linked(Edited):
    """A level whose links are found, and its edits."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, _SETTINGS, _SIZE)
        self.level.settings = self.random.choice(_SETTINGS[:-1])
        for _ in range(60):
            self.crate()
        self.found: tuple[WideLink, ...] = ()

    def crate(self) -> None:
        """High enough to stand on, often beside another one."""
        random = self.random
        mesh = scenes.box(0, -0.5, 0, random.uniform(2, 6), random.uniform(1, 3.5), random.uniform(2, 6))
        self._names += 1
        spot = self._point() * [1, 0, 1]
        self._set(f"crate {self._names}", (mesh[0] + spot).astype(np.float32), mesh[1], None)
        if random.random() < 0.5:
            aside = np.array([random.uniform(2, 8), random.uniform(0, 0.6), random.uniform(-1, 1)])
            self._set(f"crate {self._names} b", (mesh[0] + spot + aside).astype(np.float32), mesh[1], None)

    def reject(self) -> None:
        """A link that the last build found, or none any more."""
        self._decide("rejected", 0.0)

    def keep(self) -> None:
        """A link that the last build found, perhaps moved."""
        self._decide("kept", self.random.choice((0.0, 0.3, 3.0)))

    def _decide(self, name: str, farthest: float) -> None:
        edits = self.level.link_edits or LinkEdits()
        had: tuple[WideLink, ...] = getattr(edits, name)
        free = [wide for wide in self.found if wide.id not in {other.id for other in had}]
        if not free or len(had) > 6:
            self.level.link_edits = replace(edits, **{name: had[2:]})
            return
        wide = self.random.choice(free)
        moved = np.array(wide.corners) + [self.random.uniform(-farthest, farthest) for _ in range(3)]
        a, b, c, d = (tuple(corner) for corner in moved.tolist())
        self.level.link_edits = replace(edits, **{name: (*had, replace(wide, corners=(a, b, c, d)))})

    def kinds(self) -> list[Callable[[], None]]:
        usual = [self.move, self.move, self.add, self.remove, self.bend, self.mark, self.crate, self.crate]
        return [*usual * 3, *[self.reject, self.keep, self.link] * 2, self.seed, self.bound, self.set, self.cancel]

    def update(self) -> NavMesh:
        navmesh = super().update()
        self.found = navmesh.wide_links
        return navmesh


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--edits", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    kinds, wrong = run(arguments.edits, arguments.seed, begin=Linked)
    print(f"{sum(kinds.values()):,} edits: {dict(kinds)}", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
