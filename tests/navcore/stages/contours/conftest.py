"""What all tests of contours want."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several threads share the smallest scenes, too."""
    monkeypatch.setattr("navcore.stages.contours.region_outlines._SHARED_FROM", 0)
