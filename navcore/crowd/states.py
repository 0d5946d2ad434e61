"""What an agent of a crowd is doing."""

from __future__ import annotations

from enum import IntEnum

from ..jit import inlined
from ..types import AnyBool, AnyInt


class AgentState(IntEnum):
    """Of each agent, after each step."""

    WALKING = 0
    """It is on its way."""
    JUMPING = 1
    """It is in the air, between the two ends of a link."""
    ARRIVED = 2
    """It stands within two radii of its own end, at rest. It still gives way, and goes back."""
    STUCK = 3
    """It has not come forward by its own radius for ten seconds. It goes on trying, and looks for another way."""
    NO_WAY = 4
    """No way leads from its start to its end; it stands at its start."""
    NEAR = 5
    """Beside others who share its end it stands farther than two radii from it: as near as it came or there is room."""
    WAITING = 6
    """It has hardly come forward for half a second, as in a queue before a narrow door. It goes on trying."""


WALKING, JUMPING, ARRIVED, STUCK, NO_WAY, NEAR, WAITING = (state.value for state in AgentState)  # as kernels know them


@inlined
def rests(state: AnyInt) -> AnyBool:
    """Whether who is in this state has taken its place, and gives way to those who walk."""
    return (state == ARRIVED) | (state == NEAR)


@inlined
def walks(state: AnyInt) -> AnyBool:
    """Whether who is in this state is on its way along the ground."""
    return (state == WALKING) | (state == WAITING) | (state == STUCK)
