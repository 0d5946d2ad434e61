"""A finder of links in the place of navcore's: it finds what a test tells it to, minds decisions as builds do, and
tells what it was asked."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

Corners = Any  # (4, 3) in Blender's coordinates: start left, start right, end left, end right


def quad(x: float, y: float, width: float = 2.0, length: float = 2.0, down: float = 0.0) -> Corners:
    """A link along x, in Blender's coordinates."""
    return [
        (x, y + width / 2, 0.0), (x, y - width / 2, 0.0), (x + length, y + width / 2, -down),
        (x + length, y - width / 2, -down),
    ]  # fmt: skip


class Finder:
    """`found` maps ids to corners in Blender's coordinates; `kinds` to kinds, where they are no jumps."""

    def __init__(self, addon: Any, monkeypatch: Any) -> None:
        self.links: dict[int, Corners] = {}
        self.kinds: dict[int, str] = {}
        self.asked: list[Any] = []  # the edits of each build
        self._wide = addon("wide_links", "navcore").WideLink
        self._link = addon("scene", "navcore").Link
        level = addon("build_level", "navcore.builder")
        self._real = level.build_navmesh
        monkeypatch.setattr(level, "build_navmesh", self._build)

    def _build(self, source: Any, *, settings: Any, **more: Any) -> Any:
        link_edits = source.link_edits
        self.asked.append(link_edits)
        navmesh = self._real(source, settings=dataclasses.replace(settings, generate_links=False), **more)
        navmesh = dataclasses.replace(navmesh, settings=settings)
        if not navmesh.settings.generate_links:
            return navmesh
        rejected = [] if link_edits is None else list(link_edits.rejected)
        kept = [] if link_edits is None else list(link_edits.kept)
        found = [self._made(number) for number in self.links]
        found = [
            one for one in found
            if not any(self._is_near(one, other) for other in rejected) and one.id not in {k.id for k in kept}
        ]  # fmt: skip
        wide = tuple(dataclasses.replace(one, points=(self._point(one),)) for one in (*found, *kept))
        return dataclasses.replace(
            navmesh, wide_links=wide, links=(*navmesh.links, *(point for one in wide for point in one.points)),
            failing_ends=(),
        )  # fmt: skip

    def _made(self, number: int) -> Any:
        corners = np.array(self.links[number], np.float32)[:, [0, 2, 1]] * np.float32([1, 1, -1])
        return self._wide(
            kind=self.kinds.get(number, "jump"), corners=tuple(map(tuple, corners.tolist())), bidirectional=True,
            area=5, flags=8, id=number, points=(),
        )  # fmt: skip

    def _point(self, one: Any) -> Any:
        corners = np.array(one.corners)
        return self._link(
            start=corners[:2].mean(0).tolist(), end=corners[2:].mean(0).tolist(), bidirectional=one.bidirectional,
            area=one.area, flags=one.flags, id=one.id,
        )  # fmt: skip

    @staticmethod
    def _is_near(one: Any, other: Any) -> bool:
        return one.kind == other.kind and np.abs(np.subtract(one.corners, other.corners)).max() < 0.5
