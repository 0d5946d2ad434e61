"""What an agent of a crowd is doing."""

from __future__ import annotations

from enum import IntEnum


class AgentState(IntEnum):
    """Of each agent, after each step."""

    WALKING = 0
    """It is on its way."""
    JUMPING = 1
    """It is in the air, between the two ends of a link."""
    ARRIVED = 2
    """It stands at its end, or as near as there is room beside others who stand there. It still gives way."""
    STUCK = 3
    """It has hardly come forward for five seconds. It goes on trying, and walks again as soon as there is room."""
    NO_WAY = 4
    """No way leads from its start to its end; it stands at its start."""


WALKING, JUMPING, ARRIVED, STUCK, NO_WAY = (state.value for state in AgentState)  # as kernels know them
