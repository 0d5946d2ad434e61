"""Where agents look: where they go, as quickly as one turns."""

from __future__ import annotations

import numpy as np

from ..types import F64
from .agents import Agents, Rules

_FASTEST = 2 * np.pi  # radians a second
_MOVES = 0.1  # of the largest speed: who is slower looks on


def turned(headings: F64, velocity: F64, rules: Rules) -> F64:
    """The headings after one more step."""
    moves = (velocity**2).sum(axis=1) > (_MOVES * rules.most) ** 2
    missing = np.where(moves, np.arctan2(velocity[:, 0], velocity[:, 1]) - headings, 0.0)
    missing = (missing + np.pi) % (2 * np.pi) - np.pi
    most = _FASTEST * rules.tick
    after: F64 = (headings + np.clip(missing, -most, most) + np.pi) % (2 * np.pi) - np.pi
    return after


def first_headings(agents: Agents) -> F64:
    """Towards their ends."""
    way = agents.goal.astype(np.float64) - agents.position
    return np.arctan2(way[:, 0], way[:, 2])
