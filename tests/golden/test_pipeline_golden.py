"""The whole pipeline against stage dumps of the C++ library (NAVMESH_GOLDENS), array for array."""

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
            vertices, triangles, dump.settings(), areas=areas, volumes=scene["volumes"], bounds=scene.get("bounds"),
            threads=threads, keep_stages=True,
        )
    )  # fmt: skip


def runtime_data(name: str) -> bool:
    """Detour's bytes have tests of their own."""
    return name.rpartition("/")[2] in {"navdata", "mset", "tiles_navdata", "tiles_navsize", "tiles_xy"}


def different(dump: dumps.Dump, found: dict[str, Any]) -> list[str]:
    names = [n for n in dump.names() if not runtime_data(n)]
    return [n for n in names if not (n in found and dumps.same_bytes(found[n], dump[n]))]


@pytest.mark.parametrize(("mesh", "variant"), dumps.variants())
def test_every_array_is_the_librarys(mesh: str, variant: str) -> None:
    dump = dumps.Dump(mesh, variant)
    assert different(dump, ours(dump)) == []


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("mesh", "variant"), dumps.variants("tiled"))
def test_every_array_of_tiles_is_the_librarys(mesh: str, variant: str, threads: int) -> None:
    dump = dumps.Dump(mesh, variant)
    assert different(dump, ours(dump, threads)) == []
