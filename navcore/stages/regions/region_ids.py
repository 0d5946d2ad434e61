"""How many ids there are, and what a region kernel returns in place of the next free one when it can't go on."""

from __future__ import annotations

from ...errors import Cancelled, TooLarge
from ...types import BORDER_REGION

POLL_EVERY = 1 << 18  # spans between two looks at the cancel flag
LAST_ID = BORDER_REGION - 1  # before small regions are joined or removed
STOPPED = -1  # the caller has cancelled
TOO_MANY = -2  # a region would need an id that means a tile's border


def checked(next_id: int) -> int:
    """`next_id`, or the error it stands for."""
    if next_id == STOPPED:
        raise Cancelled
    if next_id == TOO_MANY:
        raise TooLarge(
            f"The floor falls into more than {LAST_ID:,} regions before small ones are joined or removed "
            "(that many is the limit). Use tiles, raise Cell Size or select less."
        )
    return next_id
