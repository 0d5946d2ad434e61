"""Which links are attached, after edits of a level: taken over where nothing near has changed."""

import numpy as np
import pytest

from navcore import Level, Link, NavMesh, Settings, build_navmesh
from navcore.detour.queries import checked_links
from tests import scenes

BOUNDS = (0, -1, 0, 48, 8, 48)
SETTINGS = Settings(tile_size=24, cell_size=0.2, agent_radius=0.2)


def plates() -> dict[str, scenes.Mesh]:
    """Small floors in rows, with gaps between them."""
    return {f"plate {x} {z}": scenes.box(6 * x, 0, 6 * z, 4, 1, 4) for x in range(8) for z in range(8)}


def some_links() -> list[Link]:
    """Between plates side by side, and between plates far apart, which nothing joins."""
    generator, links = np.random.default_rng(7), list[Link]()
    for number in range(80):
        x, z = generator.integers(0, 7, 2)
        dx, dz = generator.integers(0, 2, 2) if number % 8 else generator.integers(3, 5, 2)
        start, end = (6.0 * x + 2, 1.0, 6.0 * z + 2), (6.0 * min(x + dx, 7) + 2.5, 1.0, 6.0 * min(z + dz, 7) + 2)
        links.append(Link(start=start, end=end, radius=0.5, id=1 + number, name="far" if number % 8 == 0 else ""))
    return links


def said(navmesh: NavMesh) -> object:
    return navmesh.failing_ends, navmesh.report.warnings


@pytest.mark.parametrize("sees_what_is_near", [True, False])
def test_ends_are_those_of_a_full_build(sees_what_is_near: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plates go and come. Whoever looks at new links alone is wrong."""
    if not sees_what_is_near:
        monkeypatch.setattr(
            checked_links._Marks, "touched_by", lambda _self, points, _metres: np.zeros(len(points), bool)
        )
    level, parts, generator = Level(SETTINGS, bounds=BOUNDS, links=some_links()), plates(), np.random.default_rng(1)
    everything, alike, states = dict(parts), [], set()
    for name, part in parts.items():
        level.set_part(name, *part)
    for step in range(12):
        if step == 6:
            level.links = level.links[10:70]
        name = str(generator.choice(list(everything)))
        if name in parts:
            del parts[name]
            level.remove_part(name)
        else:
            parts[name] = everything[name]
            level.set_part(name, *parts[name])
        mesh = scenes.join([parts[each] for each in level.parts])
        full = build_navmesh(*mesh, SETTINGS, bounds=BOUNDS, links=level.links)
        alike.append(said(level.update()) == said(full))
        states.add(full.failing_ends)
    assert len(states) > 6
    assert all(alike) == sees_what_is_near
