"""The last step of every partition: ids without gaps."""

from __future__ import annotations

import numpy as np

from ...jit import kernel, stands_in_for
from ...threads import Workers
from ...types import BORDER_REGION, I16, I32

GONE = -1  # the owner of a region that is given up
_MIN_BAND, _MAX_BAND = 200_000, 20_000_000  # spans; fewer are not worth a thread, more hide that one has cancelled


def renumber_shared(region: I16, owner: I32, workers: Workers) -> int:
    """`renumber` by all threads."""
    number, count = new_numbers(owner)
    bands = workers.bands(len(region), _MIN_BAND, _MAX_BAND)
    workers.run(_apply, [(region[begin:end], number) for begin, end in bands])
    return int(count)


@kernel
def renumber(region: I16, owner: I32) -> int:
    """Replace each id in `region` (O,) by the new number of its `owner` (N,), or by 0 if it is gone.

    Returns how many numbers there are. Borders stay. Recast: the end of mergeAndFilterRegions.
    """
    number, count = new_numbers(owner)
    _apply(region, number)
    return count


@kernel
def new_numbers(owner: I32) -> tuple[I16, int]:
    """Owners numbered 1, 2, 3 … as they first appear, also those that no span has; and how many there are."""
    number, number_of_owner = np.zeros(owner.shape[0], np.int16), np.zeros(owner.shape[0], np.int16)
    count = 0
    for i in range(1, owner.shape[0]):
        # Recast takes the id behind the last one for a border.
        if owner[i] <= 0 or owner[i] >= BORDER_REGION:
            continue
        if number_of_owner[owner[i]] == 0:
            count += 1
            number_of_owner[owner[i]] = count
        number[i] = number_of_owner[owner[i]]
    return number, count


@kernel
def _apply(region: I16, number: I16) -> None:
    for span in range(region.shape[0]):
        if region[span] > 0:
            region[span] = number[region[span]]


@stands_in_for(_apply)
def _apply_by_arrays(region: I16, number: I16) -> None:
    owned = region > 0
    region[owned] = number[region[owned]]
