"""The whole pipeline against stage dumps of the C++ library (NAVMESH_GOLDENS), array for array."""

from __future__ import annotations

import pytest

from navcore import build_navmesh
from navcore.dump import packed_stages
from tests import dumps

RUNTIME_DATA = {"navdata", "mset", "pm_areas_final", "pm_flags_final"}


@pytest.mark.parametrize(("mesh", "variant"), dumps.variants())
def test_every_array_is_the_librarys(mesh: str, variant: str) -> None:
    dump = dumps.Dump(mesh, variant)
    vertices, triangles, areas = dump.geometry()
    scene = dump.scene()
    navmesh = build_navmesh(
        vertices, triangles, dump.settings(), areas=areas, volumes=scene["volumes"], bounds=scene.get("bounds"), keep_stages=True
    )
    ours = packed_stages(navmesh.stages)
    different = [
        name for name in dump.names() if name not in RUNTIME_DATA and not (name in ours and dumps.same_bytes(ours[name], dump[name]))
    ]
    assert different == []
