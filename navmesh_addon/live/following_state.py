"""What a navmesh that is followed is doing, from a change that was found to the mesh that is written."""

from __future__ import annotations

from enum import Enum


class FollowingState(Enum):
    """The usual course is from top to bottom; whatever is found goes back to FOUND, once the thread has ended."""

    EMPTY = "nothing was found yet"
    FOUND = "changes wait for the thread"
    BUILDING = "the thread builds tiles"
    SHOWN = "tiles are drawn; the whole is not put together"
    FINISHING = "the thread puts the whole together"
    FINISHED = "the whole waits to be written"
    AT_REST = "written, or nothing can be built until something changes"
    FAILED = "not followed further"

    @property
    def is_on_thread(self) -> bool:
        """Whether a thread is at work."""
        return self in (FollowingState.BUILDING, FollowingState.FINISHING)
