"""The four directions in which an open span has neighbors, by name."""

from __future__ import annotations

LEFT, AFTER, RIGHT, BEFORE = 0, 1, 2, 3  # columns of `CompactHeightfield.neighbors`: towards −x, +z, +x and −z
STEP_X, STEP_Z = (-1, 0, 1, 0), (0, 1, 0, -1)  # one step in each of them
