"""Solids of the example level, which the extension brings: for pictures that need a box or a cylinder."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "navmesh_addon/interface"))  # its folder alone: no Blender
_solids: Any = importlib.import_module("example_level.solids")
Builder, Part, Points = _solids.Builder, _solids.SolidPart, _solids.Points
circle, smooth = _solids.circle, _solids.smooth
