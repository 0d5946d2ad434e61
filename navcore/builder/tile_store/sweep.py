"""What keeps a store small: packs that are mostly out of use, and small ones, become one; nothing old comes along.

A tile is out of use where no build has used it for 30 days (builds write tiles anew that they use after 10), where a
newer copy of it lies elsewhere, and where younger tiles fill the store.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from .pack_files import PackWriter, TilePack, records

UNUSED_FOR = 30 * 24 * 3600  # seconds after which a tile is dropped
USED_LATELY = 10 * 24 * 3600  # seconds for which a tile that is used need not be written anew
MAX_BYTES = 1 << 30  # of tiles, where the last build hasn't used more than a quarter of that
_MAX_SMALL = 8  # packs
_SMALL = 4 << 20  # bytes of a pack
_ABANDONED = 24 * 3600  # seconds after which nobody is still writing a pack that isn't whole

InUse = npt.NDArray[np.bool_]


def sweep(folder: Path, packs: Sequence[TilePack], used_bytes: int, now: int) -> None:
    """Write what is still in use of some packs into a new one, and remove those. Raises OSError."""
    packs = [pack for pack in packs if _is_ended(pack, now)]
    kept = _in_use(packs, max(MAX_BYTES, 4 * used_bytes), now)
    small = [pack.size < _SMALL for pack in packs]
    merged = [
        (pack, flags)
        for pack, flags, is_small in zip(packs, kept, small, strict=True)
        if pack.damage or 2 * pack.lines["size"][flags].sum() < pack.size or (is_small and sum(small) > _MAX_SMALL)
    ]
    writer = PackWriter(folder)
    try:
        for pack, flags in merged:
            for key, body, written in records(pack, flags):
                writer.add(key, body, written)
        writer.finish()
    finally:
        writer.give_up()
    for pack, _ in merged:
        with suppress(OSError):  # Windows removes nothing that another build is reading: the next one will
            pack.path.unlink()


def _is_ended(pack: TilePack, now: int) -> bool:
    """Whether it is ours, and nobody writes to it any more."""
    if pack.whole or not pack.ours or pack.damage:
        return pack.ours
    with suppress(OSError):
        return now - pack.path.stat().st_mtime > _ABANDONED
    return False


def _in_use(packs: Sequence[TilePack], most_bytes: int, now: int) -> list[InUse]:
    """For each line of each pack, whether it stays."""
    if not packs:
        return []
    lines = np.concatenate([pack.lines for pack in packs])
    key, written = lines["key"][:, 0], lines["written"]
    damaged = np.repeat([bool(pack.damage) for pack in packs], [len(pack.lines) for pack in packs])
    by_age = np.lexsort((-written, damaged, key))  # of copies the soundest, then the newest
    copies = np.zeros(len(lines), bool)
    copies[by_age[1:]] = key[by_age[1:]] == key[by_age[:-1]]
    stays = ~copies & (np.abs(now - written) < UNUSED_FOR)
    youngest = np.argsort(-written, kind="stable")
    stays[youngest] &= np.cumsum(np.where(stays, lines["size"], 0)[youngest]) <= most_bytes
    return np.split(stays, np.cumsum([len(pack.lines) for pack in packs])[:-1])


def seconds_now() -> int:
    return int(time.time())
