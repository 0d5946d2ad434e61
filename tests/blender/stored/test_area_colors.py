"""The usual areas are told apart by people of every kind of color vision, simulated.

Simulation: Machado, Oliveira, Fernandes, “A Physiologically-based Model for Simulation of Color Vision Deficiency”,
2009, at full severity. Distance: CIEDE2000; two colors of 2 are told apart side by side, of 10 at a glance.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

F64 = npt.NDArray[np.float64]
VISIONS = {
    "usual": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [
        [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900],
    ],
}  # fmt: skip
LEAST = 12.0
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def lab(linear: F64) -> F64:
    """CIELAB of linear RGB."""
    xyz = TO_XYZ @ linear / np.array([0.95047, 1.0, 1.08883])
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(one: F64, other: F64) -> float:
    """CIEDE2000."""
    chroma = [np.hypot(color[1], color[2]) for color in (one, other)]
    mean = sum(chroma) / 2
    stretch = 1.5 - 0.5 * np.sqrt(mean**7 / (mean**7 + 25**7))
    flat = [(color[0], stretch * color[1], color[2]) for color in (one, other)]
    chroma = [float(np.hypot(a, b)) for _, a, b in flat]
    hue = [float(np.degrees(np.arctan2(b, a)) % 360) for _, a, b in flat]
    turn = (hue[1] - hue[0] + 180) % 360 - 180
    light, more = flat[1][0] - flat[0][0], chroma[1] - chroma[0]
    around = 2 * np.sqrt(chroma[0] * chroma[1]) * np.sin(np.radians(turn / 2))
    lightness, mean, middle = (flat[0][0] + flat[1][0]) / 2, sum(chroma) / 2, (hue[0] + turn / 2) % 360
    t = (
        1 - 0.17 * np.cos(np.radians(middle - 30)) + 0.24 * np.cos(np.radians(2 * middle))
        + 0.32 * np.cos(np.radians(3 * middle + 6)) - 0.2 * np.cos(np.radians(4 * middle - 63))
    )  # fmt: skip
    of_light = 1 + 0.015 * (lightness - 50) ** 2 / np.sqrt(20 + (lightness - 50) ** 2)
    of_chroma, of_hue = 1 + 0.045 * mean, 1 + 0.015 * mean * t
    twist = -np.sin(np.radians(60 * np.exp(-(((middle - 275) / 25) ** 2)))) * 2 * np.sqrt(mean**7 / (mean**7 + 25**7))
    return float(
        np.sqrt(
            (light / of_light) ** 2 + (more / of_chroma) ** 2 + (around / of_hue) ** 2
            + twist * more / of_chroma * around / of_hue
        )
    )  # fmt: skip


def test_the_distance_is_the_published_one() -> None:
    """Pairs of Sharma, Wu, Dalal, “The CIEDE2000 Color-Difference Formula”, 2005."""
    pairs = (
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
    )
    for one, other, published in pairs:
        assert distance(np.array(one, float), np.array(other, float)) == pytest.approx(published, abs=1e-4)


@pytest.mark.parametrize("vision", VISIONS)
def test_usual_areas_are_told_apart(addon: Any, vision: str) -> None:
    rows = addon("stored.area_types").DEFAULT_ROWS
    seen = {row.name: lab(np.clip(np.array(VISIONS[vision]) @ np.array(row.color), 0, 1)) for row in rows}
    near = {pair: distance(seen[pair[0]], seen[pair[1]]) for pair in combinations(seen, 2)}
    assert min(near.values()) >= LEAST, min(near.items(), key=lambda item: item[1])
