"""Which of many are connected: a parent for each, and the root of its chain stands for all that were joined."""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from ..types import I32


@kernel
def root_of(parents: I32, member: np.int32) -> np.int32:
    """Who stands for all that `member` was joined to. Chains are halved on the way."""
    while parents[member] != member:
        parents[member] = parents[parents[member]]
        member = parents[member]
    return member


@kernel
def join(parents: I32, one: np.int32, other: np.int32) -> None:
    """Make two one; the lower of the two roots stands for both, so that the first member does in the end."""
    a, b = root_of(parents, one), root_of(parents, other)
    parents[max(a, b)] = min(a, b)


@kernel
def flatten(parents: I32) -> None:
    """Afterwards every member's parent is its root."""
    for member in range(len(parents)):
        parents[member] = root_of(parents, np.int32(member))
