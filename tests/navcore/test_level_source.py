"""A level as one bundle, in place of arrays and keywords."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from navcore import (
    BadInput,
    BoxVolume,
    LevelSource,
    Link,
    LinkEdits,
    NavmeshEdits,
    Settings,
    WhyHere,
    build_navmesh,
    build_uneroded,
    rebuild_tiles,
    why,
)
from navcore.area_types import AreaType
from navcore.formats.mset import mset_bytes
from tests import scenes

VERTICES, TRIANGLES = scenes.flat(12.0)
TILED = Settings(tile_size=16)
GIVEN: dict[str, Any] = {
    "areas": np.full(len(TRIANGLES), 3, np.uint8),
    "volumes": (BoxVolume(area=5, min=(2, -1, 2), max=(4, 2, 4)),),
    "links": (Link(start=(1, 0, 1), end=(8, 0, 8)),),
    "bounds": (0.0, -1.0, 0.0, 10.0, 3.0, 11.0),
    "area_types": {3: AreaType("floor", 4)},
}


@pytest.mark.parametrize("settings", [Settings(), TILED])
def test_a_bundle_builds_what_keywords_build(settings: Settings) -> None:
    source = LevelSource(VERTICES, TRIANGLES, **GIVEN)
    assert mset_bytes(build_navmesh(source, settings=settings)) == mset_bytes(
        build_navmesh(VERTICES, TRIANGLES, settings, **GIVEN)
    )


def test_every_call_takes_it() -> None:
    box, source = (0, -1, 0, 3, 1, 3), LevelSource(VERTICES, TRIANGLES, links=GIVEN["links"])
    built = build_navmesh(VERTICES, TRIANGLES, TILED)
    again = rebuild_tiles(built, box, VERTICES, TRIANGLES, links=GIVEN["links"])
    assert mset_bytes(rebuild_tiles(built, box, source)) == mset_bytes(again)
    assert mset_bytes(build_uneroded(source, settings=TILED)) == mset_bytes(
        build_uneroded(VERTICES, TRIANGLES, TILED, links=GIVEN["links"])
    )
    assert why(source, at=(5, 0, 5)) == why(VERTICES, TRIANGLES, at=(5, 0, 5)) == WhyHere(source).ask((5, 0, 5))


@pytest.mark.parametrize("name", [*GIVEN, "triangles", "link_edits"])
def test_what_is_given_twice_is_named(name: str) -> None:
    given = {**GIVEN, "triangles": TRIANGLES, "link_edits": LinkEdits()}[name]
    with pytest.raises(BadInput, match=f"^{name} is given beside a LevelSource"):
        build_navmesh(LevelSource(VERTICES, TRIANGLES), **{name: given})


def test_wrong_kinds_are_named() -> None:
    source = LevelSource(VERTICES, TRIANGLES)
    with pytest.raises(BadInput, match=r"^edits must be NavmeshEdits, not LinkEdits\.$"):
        build_navmesh(replace(source, edits=LinkEdits()))  # type: ignore[arg-type]
    with pytest.raises(BadInput, match=r"^link_edits must be LinkEdits, not list\.$"):
        build_navmesh(replace(source, edits=NavmeshEdits([])))  # type: ignore[arg-type]
    with pytest.raises(BadInput, match=r"^area_types must be a mapping"):
        build_navmesh(replace(source, area_types=[]))  # type: ignore[arg-type]
    with pytest.raises(BadInput, match=r"^triangles must be numbers"):
        build_navmesh(VERTICES)


def test_keywords_have_the_names_of_fields() -> None:
    assert {field.name for field in fields(LevelSource)} >= {*GIVEN, "vertices", "triangles", "seeds", "edits"}
