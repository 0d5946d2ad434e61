"""The whole pipeline, runtime data included, against dumps of the C++ library (NAVMESH_GOLDENS), array for array."""

from __future__ import annotations

from typing import Any

import pytest

from navcore import build_navmesh
from navcore.formats.stage_dump import dumped
from tests import dumps


def ours(dump: dumps.Dump, threads: int | None = None) -> dict[str, Any]:
    vertices, triangles, areas = dump.geometry()
    scene = dump.scene()
    return dumped(
        build_navmesh(
            vertices, triangles, dump.settings(), areas=areas, volumes=scene["volumes"], links=scene["links"],
            bounds=scene.get("bounds"), threads=threads, keep_stages=True,
        )
    )  # fmt: skip


def different(dump: dumps.Dump, found: dict[str, Any]) -> list[str]:
    return [n for n in dump.names() if not (n in found and dumps.same_bytes(found[n], dump[n]))]


@pytest.mark.parametrize(("mesh", "variant"), dumps.variants())
def test_every_array_is_the_librarys(mesh: str, variant: str) -> None:
    dump = dumps.Dump(mesh, variant)
    assert different(dump, ours(dump)) == []


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("mesh", "variant"), dumps.variants("tiled"))
def test_every_array_of_tiles_is_the_librarys(mesh: str, variant: str, threads: int) -> None:
    dump = dumps.Dump(mesh, variant)
    assert different(dump, ours(dump, threads)) == []
