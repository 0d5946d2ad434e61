"""Plans small enough to check by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from navcore.pictures.plan_view import Plan

NAMES = {0: "ground", 1: "water"}


def two_squares(**more: Any) -> Plan:
    """Ground and water of 2 × 2 m side by side, and 5 m above the water a square of ground that reaches nothing."""
    floor = [(0, 0, 0), (2, 0, 0), (4, 0, 0), (0, 0, 2), (2, 0, 2), (4, 0, 2)]
    above = [(2.5, 5, 0.5), (3.5, 5, 0.5), (3.5, 5, 1.5), (2.5, 5, 1.5)]
    plan = Plan(
        np.array(floor + above, np.float32), np.array([0, 4, 8, 12], np.int32),
        np.array([0, 1, 4, 3, 1, 2, 5, 4, 6, 7, 8, 9], np.int32),
        np.array([-1, 1, -1, -1, -1, -1, -1, 0, -1, -1, -1, -1], np.int32), np.array([0, 1, 0], np.uint8), [], NAMES,
    )  # fmt: skip
    return plan._replace(**more)


def nothing() -> Plan:
    none = np.zeros(0, np.int32)
    return Plan(np.zeros((0, 3), np.float32), np.zeros(1, np.int32), none, none, np.zeros(0, np.uint8), [], NAMES)
