"""The distance field against every watershed dump at hand."""

from __future__ import annotations

import pytest

from navcore.geometry import edge_distance as chamfer
from navcore.stages.distance import build_distance_field
from navcore.threads import Workers

from .. import dumps

WITH_DISTANCES = [(mesh, variant) for mesh, variant in dumps.variants() if "chf_dist" in dumps.Dump(mesh, variant)]


@pytest.mark.parametrize(("mesh", "variant"), WITH_DISTANCES)
@pytest.mark.parametrize("least_spans", [chamfer.MIN_SPANS, 5_000])
def test_distance_field(mesh: str, variant: str, least_spans: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chamfer, "MIN_SPANS", least_spans)
    dump = dumps.Dump(mesh, variant)
    with Workers(3) as workers:
        field = build_distance_field(dump.compact(), workers)
    assert dumps.same_bytes(field.distance, dump["chf_dist"])
    assert field.maximum == int(dump["chf_maxDistance"])
