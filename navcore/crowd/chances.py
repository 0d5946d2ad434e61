"""Chances that are the same for the same numbers, whoever asks, and in whatever order."""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from ..types import AnyInt


@kernel
def chance(seed: AnyInt, agent: AnyInt, number: AnyInt) -> float:
    """From 0 to 1, the same for the same numbers. Steele, Lea and Flood, "Fast splittable pseudorandom number
    generators", OOPSLA 2014.
    """
    bits = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(agent) * np.uint64(0xD1B54A32D192ED03)
    bits += np.uint64(number) * np.uint64(0x8CB92BA72F3D8DD7) + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
    return float(bits >> np.uint64(11)) / 9007199254740992.0
