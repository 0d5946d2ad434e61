"""Tiles with cells of several sizes in recast-navigation-js: joined as our own linker joins them, and walked across."""

from __future__ import annotations

from pathlib import Path

import pytest

from navcore import Settings

HERE = Path(__file__).parent
SETTINGS = Settings(cell_size=0.3, cell_height=0.1, tile_size=32, agent_radius=0.4, agent_max_climb=0.4)

pytestmark = pytest.mark.skipif(
    not (HERE / "node_modules").is_dir(), reason="the npm packages are not there: run `python3 dev.py clients`"
)
