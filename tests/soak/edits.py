"""Random edits of levels: `python -m tests.soak.edits --edits 2000`

A level of parts is edited again and again: parts are moved, added, removed, bent, given areas; volumes, links, seeds,
bounds and settings change; an update is cancelled now and then. After each edit, or after several at once
(`--between 10`: up to ten), the navmesh must be that of a full build, byte for byte, and so must its Detour file.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from random import Random

import numpy as np

from navcore import (
    BoxVolume,
    Cancelled,
    Level,
    Link,
    NavMesh,
    NavmeshError,
    Progress,
    Settings,
    build_navmesh,
    prune_navmesh,
)
from navcore.formats.mset import mset_bytes
from navcore.types import F32, I32, U8
from tests import scenes

from ..navcore.builder.test_tiles import arrays

_SIZE = 40.0  # metres
_TOLD = 250  # levels after which it says how far it is
_SETTINGS = (
    Settings(tile_size=32),
    Settings(tile_size=16, cell_size=0.4),
    Settings(tile_size=48, partition="monotone", agent_radius=0.3),
    Settings(tile_size=32, partition="layers", median_filter=True),
    Settings(tile_size=24, detail_mesh=False, cell_size=0.5),
    Settings(cell_size=0.5),
)
# What is odd about what a level is made of: a level that follows looks at that where all of it is built anew.
_OF_THE_WHOLE = frozenset({"FACES_DOWN", "OUTLIER", "VOLUME_UNUSED", "WRONG_AXIS", "WRONG_UNIT"})
PartArrays = tuple[F32, I32, "U8 | None"]


class Edited:
    """A level, and what a full build of it is made of."""

    def __init__(self, seed: int, settings: Sequence[Settings] = _SETTINGS, size: float = _SIZE) -> None:
        self.random = Random(f"edits-{seed}")
        self.size, self._settings = size, settings
        self.level = Level(self.random.choice(settings))
        self.parts: dict[str, PartArrays] = {}
        self._names = 0
        ground = scenes.terrain(61, size / 60, 0.04, seed) if seed % 2 else scenes.flat(size, 30)
        self._set("ground", *ground, None)
        for _ in range(self.random.randrange(3, 12) * round(size * size / _SIZE**2)):
            self.add()

    def _set(self, name: str, vertices: F32, triangles: I32, areas: U8 | None) -> None:
        self.parts[name] = vertices, triangles, areas
        self.level.set_part(name, vertices, triangles, areas=areas)

    def _some(self) -> str:
        return self.random.choice([name for name in self.parts if name != "ground"] or ["ground"])

    def _point(self, beyond: float = 0.0) -> np.ndarray:
        r = self.random
        x, y, z = r.uniform(-beyond, self.size + beyond), r.uniform(-0.5, 2), r.uniform(-beyond, self.size + beyond)
        return np.array([x, y, z])

    def add(self) -> None:
        """A crate, a slab, or a small hill of many triangles."""
        random = self.random
        kind = random.randrange(3)
        if kind == 0:
            mesh = scenes.box(0, 0, 0, *(random.uniform(0.2, 6) for _ in range(3)))
        elif kind == 1:
            mesh = scenes.flat(random.uniform(1, 12), random.randrange(2, 12))
        else:
            mesh = scenes.terrain(random.randrange(4, 20), 0.5, 0.3, random.randrange(1000))
        self._names += 1
        self._set(f"part {self._names}", (mesh[0] + self._point()).astype(np.float32), mesh[1], None)

    def move(self) -> None:
        name = self._some()
        vertices, triangles, areas = self.parts[name]
        far = self.random.random() < 0.1
        shift = self._point(5) - vertices.mean(axis=0) if far else [self.random.uniform(-2, 2) for _ in range(3)]
        self._set(name, (vertices + np.array(shift)).astype(np.float32), triangles, areas)

    def remove(self) -> None:
        name = self._some()
        if name != "ground":
            del self.parts[name]
            self.level.remove_part(name)

    def bend(self) -> None:
        """A corner of any part."""
        name = self.random.choice(list(self.parts))
        vertices, triangles, areas = self.parts[name]
        bent = vertices.copy()
        bent[self.random.randrange(len(bent)), 1] += np.float32(self.random.uniform(-1, 1))
        self._set(name, bent, triangles, areas)

    def paint(self) -> None:
        """Areas of some triangles of a part, or none any more."""
        name = self.random.choice(list(self.parts))
        vertices, triangles, areas = self.parts[name]
        rng = np.random.default_rng(self.random.randrange(1000))
        said = None if areas is not None else rng.choice([0, 1, 2, 63, 63, 63], len(triangles)).astype(np.uint8)
        self._set(name, vertices, triangles, said)

    def mark(self) -> None:
        """A volume more, fewer, or in another order."""
        volumes = list(self.level.volumes)
        if volumes and self.random.random() < 0.5:
            self.random.shuffle(volumes)
            volumes = volumes[1:]
        else:
            low = self._point(3)
            high = low + [self.random.uniform(0.5, 8) for _ in range(3)]
            area = self.random.choice((0, 1, 2, 3))
            volumes.append(BoxVolume(area=area, min=tuple(low.tolist()), max=tuple(high.tolist())))
        self.level.volumes = tuple(volumes)

    def link(self) -> None:
        ends = (tuple(self._point().tolist()), tuple(self._point().tolist()))
        more = [] if len(self.level.links) > 3 else [*self.level.links, Link(start=ends[0], end=ends[1], radius=0.6)]
        self.level.links = tuple(more)

    def seed(self) -> None:
        self.level.seeds = None if self.level.seeds is not None else [tuple(self._point().tolist())]

    def bound(self) -> None:
        """Bounds that somebody gives: some of them cut the level off."""
        margin, top = self.random.choice((-6.0, 0.0, 5.0)), self.random.choice((1.0, 20.0))
        given = [-margin, -8.0, -margin, self.size + margin, top, self.size + margin]
        self.level.bounds = None if self.level.bounds is not None else given

    def set(self) -> None:
        self.level.settings = self.random.choice(self._settings)

    def cancel(self) -> None:
        """An update that stops after some tiles."""
        self.move()
        progress, count = Progress(), self.random.randrange(4)

        def stop(_place: object, _tile: object) -> None:
            nonlocal count
            count -= 1
            if count < 0:
                progress.cancel()

        with suppress(Cancelled, NavmeshError):  # what is left of it is what the next update is compared for
            self.level.update(progress=progress, on_tile=stop, near=self._point().tolist())

    def update(self) -> NavMesh:
        """The level as it is now."""
        return self.level.update()

    def kinds(self) -> list[Callable[[], None]]:
        """What may be done, the usual several times."""
        usual = [self.move, self.add, self.remove, self.bend, self.paint, self.mark, self.link]
        return [*usual * 3, self.seed, self.bound, self.set, self.cancel]

    def edit(self) -> str:
        """One of these at random; returns its name."""
        kind = self.random.choice(self.kinds())
        kind()
        return kind.__name__

    def whole(self) -> NavMesh:
        """A full build."""
        vertices, triangles = scenes.join([part[:2] for part in self.parts.values()])
        areas = None
        if any(part[2] is not None for part in self.parts.values()):
            areas = np.concatenate(
                [np.full(len(part[1]), 63, np.uint8) if part[2] is None else part[2] for part in self.parts.values()]
            )
        level = self.level
        navmesh = build_navmesh(
            vertices, triangles, level.settings, areas=areas, volumes=level.volumes, links=level.links,
            link_edits=level.link_edits, bounds=level.bounds, threads=1,
        )  # fmt: skip
        return navmesh if level.seeds is None else prune_navmesh(navmesh, np.asarray(level.seeds))


def outcome(build: Callable[[], NavMesh]) -> object:
    """Every byte of a build, or which error it ends with."""
    try:
        navmesh = build()
    except NavmeshError as reason:
        return type(reason), reason.code
    grid = [np.asarray(value).tolist() for value in navmesh.tile_grid or ()]
    report = navmesh.report
    warnings = [warning for warning in report.warnings if warning.code not in _OF_THE_WHOLE]
    said = report.counts, sorted(warnings), navmesh.links, navmesh.failing_ends, navmesh.wide_links
    return arrays(navmesh), grid, mset_bytes(navmesh), *said


def run(
    edits: int, seed: int, at_once: int = 40, begin: Callable[[int], Edited] = Edited, between: int = 1
) -> tuple[Counter[str], list[str]]:
    """How often each kind of edit was made, and what went wrong; `between`: edits at most until both are compared."""
    kinds: Counter[str] = Counter()
    wrong: list[str] = []
    for number in range(-(-edits // at_once)):
        edited = begin(seed + number)
        most, done = min(at_once, edits - number * at_once), list[str]()
        while len(done) < most:
            several = edited.random.randint(1, between) if between > 1 else 1
            done += [edited.edit() for _ in range(min(several, most - len(done)))]
            if outcome(edited.update) != outcome(edited.whole):
                wrong.append(f"level {seed + number}, after {', '.join(done)}")
                break
        kinds.update(done)
        if (number + 1) % _TOLD == 0:
            print(f"{sum(kinds.values()):,} edits, {len(wrong)} wrong, up to level {seed + number}", flush=True)
    return kinds, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--edits", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--between", type=int, default=1, help="edits at most until both are compared")
    parser.add_argument("--size", type=float, default=_SIZE, help="of each level, in metres")
    arguments = parser.parse_args()
    begin = partial(Edited, size=arguments.size)
    kinds, wrong = run(arguments.edits, arguments.seed, begin=begin, between=arguments.between)
    print(f"{sum(kinds.values()):,} edits: {dict(kinds)}", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
