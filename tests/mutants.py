"""Damaged navmesh files by number, and what must hold of each: `python -m tests.mutants --count 100000`.

A mutant is made from (seed, number) alone, so a run can be cut in parts (`--first`), spread over processes, and any
mutant made again. The first ones are systematic: every byte of a small file flipped, every truncation, every number at
its extremes. The others are random: bits, truncations, splices and extremes of files in one piece and in tiles.

The command compiles kernels with bounds checks, so that an index that leaves its array is an error instead of luck.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

if __name__ in ("__main__", "__mp_main__"):  # the command and its processes
    os.environ["NUMBA_BOUNDSCHECK"] = "1"  # Numba reads it when it is imported
    from navcore.kernels.kept_kernels import keep_kernels_in

    keep_kernels_in(Path(__file__).resolve().parents[1] / "out" / "checked-kernels")  # never among the others

import numba

from navcore import NavmeshError, Settings, TileCache, build_navmesh
from navcore.detour.byte_layout import SET_HEADER, TILE_ENTRY
from navcore.detour.file_checks import BadFile
from navcore.detour.file_contents import contents_of
from navcore.detour.nearest import nearest_in_tile
from navcore.detour.reader import NavmeshFile, read_navmesh
from navcore.detour.tile_links import linked_tiles
from navcore.formats import targets
from navcore.formats.mset import mset_bytes, tile_blobs
from navcore.formats.plain_from_detour import plain_of_file
from navcore.formats.target_catalog import ExportOptions
from navcore.report import peak_memory_mb
from tests import scenes
from tests.navcore.detour.detour_examples import small_file

Random = np.random.Generator
INTEGERS = (0, 1, -1, 2, 3, 6, 7, 127, 128, 255, 256, 32_767, 32_768, 65_535, 65_536, 2**22, 2**30, 2**31 - 1, -(2**31))
FLOATS = (0.0, -0.0, 1.0, -1.0, 1e-45, 1e9, -1e9, 1.1e9, 3e38, -3e38, np.inf, -np.inf, np.nan)
MOST_SECONDS = 1.0
_BYTES_PER_BYTE, _FREE_BYTES = 100, 1 << 20  # memory that a file may take: in proportion to it, and a little
_EXPORTED = 10  # every so many are also written in other formats
_WEIGHED = 53  # every so many mutants the memory is measured, which takes time


@cache
def originals() -> tuple[bytes, ...]:
    """Sound files of every kind; the first is small."""
    volume = {"shape": "box", "area": 2, "min": [2, -1, 2], "max": [7, 9, 8]}
    jump = {"start": [9, 3.5, 6], "end": [16, 0.2, 14], "radius": 0.8, "area": 5, "flags": 8, "id": 1}
    links = [jump, {**jump, "start": [30, 3.6, 3], "end": [3, 0.2, 18], "bidirectional": False}]
    stairs = [build_navmesh(*scenes.stairs(), s, volumes=[volume], links=links) for s in (Settings(), TILED)]
    plain = build_navmesh(*scenes.plaza(3), Settings(tile_size=32, detail_mesh=False), links=links)
    tower = build_navmesh(*scenes.tower(4), Settings(detail_sample_distance=3))
    cache = TileCache(*scenes.stairs(), TILED, volumes=[volume], threads=1).files()[0]
    return small_file(), *map(mset_bytes, (*stairs, plain, tower)), max(tile_blobs(stairs[1]), key=len), cache


TILED = Settings(tile_size=24, region_min_size=2)


# --- damage


def mutant(seed: int, number: int) -> bytes:
    """One damaged file."""
    small = originals()[0]
    for count, make in _SYSTEMATIC:
        if number < count(small):
            return make(small, number)
        number -= count(small)
    rng = np.random.default_rng((seed, number))
    content = bytearray(originals()[rng.integers(len(originals()))])
    for _ in range(rng.integers(1, 4)):
        content = _DAMAGES[rng.integers(len(_DAMAGES))](content, rng)
    return bytes(content)


def _flipped(content: bytes, number: int) -> bytes:
    at, bit = divmod(number, 8)
    return content[:at] + bytes([content[at] ^ (1 << bit)]) + content[at + 1 :]


def _extreme(content: bytes, number: int) -> bytes:
    at, which = divmod(number, len(INTEGERS))
    return content[: 4 * at] + (INTEGERS[which] & 0xFFFFFFFF).to_bytes(4, "little") + content[4 * at + 4 :]


_SYSTEMATIC: tuple[tuple[Callable[[bytes], int], Callable[[bytes, int], bytes]], ...] = (
    (lambda content: 8 * len(content), _flipped),
    (len, lambda content, number: content[:number]),
    (lambda content: len(content) // 4 * len(INTEGERS), _extreme),
)


def _place(content: bytearray, rng: Random, size: int) -> int:
    """Somewhere in the file, aligned; half of the time in one of its headers, where counts are."""
    last = max(len(content) - size, 0)
    if rng.random() < 0.5:
        begin = int(rng.choice(_headers(content)))
        last = min(last, begin + 100)
        return int(rng.integers(min(begin, last), last + 1)) // size * size
    return int(rng.integers(0, last + 1)) // size * size


def _headers(content: bytearray) -> list[int]:
    """Where tile headers begin, as far as that can still be told, and the file's own."""
    found = [0]
    for magic in (b"VAND", b"RLTD"):
        at = content.find(magic)
        while at >= 0:
            found.append(at)
            at = content.find(magic, at + 1)
    return found


def _flip_bits(content: bytearray, rng: Random) -> bytearray:
    for at in rng.integers(0, max(len(content), 1), rng.integers(1, 9)):
        if at < len(content):
            content[at] ^= 1 << int(rng.integers(8))
    return content


def _set_integer(content: bytearray, rng: Random) -> bytearray:
    size = int(rng.choice([1, 2, 4]))
    at = _place(content, rng, size)
    old = int.from_bytes(content[at : at + size], "little")
    value = old + int(rng.integers(-2, 3)) if rng.random() < 0.3 else int(rng.choice(INTEGERS))
    content[at : at + size] = (value % (1 << 8 * size)).to_bytes(size, "little")
    return content


def _set_float(content: bytearray, rng: Random) -> bytearray:
    at = _place(content, rng, 4)
    content[at : at + 4] = np.float32(rng.choice(FLOATS)).astype("<f4").tobytes()
    return content


def _truncate(content: bytearray, rng: Random) -> bytearray:
    return content[: rng.integers(0, len(content) + 1)]


def _splice(content: bytearray, rng: Random) -> bytearray:
    """A piece of this or another file over, or between, what is there."""
    other = originals()[rng.integers(len(originals()))]
    begin, at = (int(rng.integers(0, len(part) + 1)) // 4 * 4 for part in (other, content))
    piece = other[begin : begin + int(rng.choice([4, 12, 32, 100, 1000]))]
    content[at : at + (len(piece) if rng.random() < 0.8 else 0)] = piece
    return content


def _shuffle(content: bytearray, rng: Random) -> bytearray:
    """Two records of a section change places: all numbers sound, but not where they belong."""
    size = int(rng.choice([4, 12, 16, 32, 36]))
    a, b = (_place(content, rng, size) for _ in range(2))
    content[a : a + size], content[b : b + size] = content[b : b + size], content[a : a + size]
    return content


_DAMAGES = (_flip_bits, _flip_bits, _set_integer, _set_integer, _set_float, _truncate, _splice, _shuffle)


# --- what must hold


def survives(content: bytes, exports: bool = True) -> bool:
    """Read a file and, where it is accepted, do all that is done with files. Anything wrong raises."""
    code, is_cache = "", content.startswith(b"TEST")
    refusals = NavmeshError if is_cache else BadFile  # sound layers may hold more than a tile does
    try:
        if is_cache:
            _put_obstacles(content)
        else:
            file = read_navmesh(content)
            _use(file)
            if exports:
                _export(file)
    except refusals as refused:
        code, said = refused.code, str(refused)
    if code and not (code.isupper() and said.endswith(".")):
        raise ValueError(f"refused without a name or a sentence: {code}: {said}")
    return not code


def _use(file: NavmeshFile) -> None:
    """Link, save, read again, count, and ask for nearest points in and out of reach."""
    linked = linked_tiles(file)
    if file.kind == "MSET":
        header = np.array((0x4D534554, 1, len(linked), *file.parameters), SET_HEADER).tobytes()
        entries = [np.array((tile.reference, len(data)), TILE_ENTRY).tobytes() + data.tobytes()
                   for tile, data in zip(file.tiles, linked, strict=True)]  # fmt: skip
        try:
            linked_tiles(read_navmesh(b"".join([header, *entries])))
        except BadFile as reason:
            raise ValueError("what was accepted, linked and saved is refused") from reason
    assert contents_of(file).islands >= 0
    found = np.empty(3, np.float32)
    for data in linked[:4]:
        low, high = file.tiles[0].sections.header[0]["bounds_min"], file.tiles[0].sections.header[0]["bounds_max"]
        for part in (0.0, 0.3, 1.0, 1e6):
            center = (low + (high - low) * np.float32(part)).astype(np.float32)
            for reach in (0.5, 1e9):
                nearest_in_tile(data, center, np.full(3, reach, np.float32), found, np.array([2**62]))


def _put_obstacles(content: bytes) -> None:
    """A tile cache comes back as it was; obstacles stand in it and go, and each navmesh is a sound file."""
    cache = TileCache.from_bytes(content)
    layers = cache._content.set.layers
    middle = np.mean([[layer.bounds_min, layer.bounds_max] for layer in layers] or [[[0, 0, 0]] * 2], axis=(0, 1))
    if TileCache.from_bytes(cache.files()[0]).files() != cache.files():
        raise ValueError("what was written does not come back")
    place = cache.add_cylinder(tuple(middle.tolist()), 2.0, 3.0)
    for _ in range(2):
        cache.update()
        read_navmesh(mset_bytes(cache.navmesh))
        cache.remove(place)


def _export(file: NavmeshFile) -> None:
    """Write it in every other format; what an engine could not load is refused by name, and nothing overflows."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain = plain_of_file(file)
        for target in targets().values():
            if target.export is not None:
                with suppress(NavmeshError):
                    target.export(plain, "navmesh", ExportOptions())


class Tally(NamedTuple):
    """What became of some mutants."""

    accepted: int = 0
    refused: int = 0
    slowest: float = 0.0  # seconds of this process
    most_memory: float = 0.0  # bytes for each byte that the file has, beyond a little
    peak: float = 0.0  # MB of the largest process

    def __add__(self, other: Any) -> Tally:
        return Tally(self[0] + other[0], self[1] + other[1], *map(max, self[2:], other[2:]))


def examine(seed: int, number: int) -> Tally:
    """Make one mutant and look at what it does. Raises what the reader should not have let by."""
    content = mutant(seed, number)
    weighed = number % _WEIGHED == 0
    if weighed:
        tracemalloc.start()
    began = time.process_time()
    try:
        accepted = survives(content, exports=number % _EXPORTED == 0)
        peak = tracemalloc.get_traced_memory()[1] if weighed else 0
    finally:
        tracemalloc.stop()
    seconds = time.process_time() - began
    assert seconds < MOST_SECONDS, f"took {seconds:.2f} s"
    memory = max(peak - _FREE_BYTES, 0) / max(len(content), 1)
    assert memory < _BYTES_PER_BYTE, f"{len(content):,} bytes took {peak:,} bytes of memory"
    return Tally(int(accepted), int(not accepted), 0.0 if weighed else seconds, memory)


# --- the command


def _examine_many(seed: int, first: int, count: int, failures: str) -> Tally:
    if not numba.config.BOUNDSCHECK:
        raise RuntimeError("kernels came without bounds checks: nothing would be seen")
    for sound in originals():
        survives(sound)  # compiles
    total = Tally()
    for number in range(first, first + count):
        try:
            total += examine(seed, number)
        except Exception as reason:
            path = Path(failures) / f"mutant-{seed}-{number}.bin"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(mutant(seed, number))
            raise AssertionError(f"Mutant {number} of seed {seed}: {reason!r}. It lies in {path}.") from reason
    return total._replace(peak=peak_memory_mb())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0, help="number to begin with: that at which an earlier run ended")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--failures", default="out/mutants", help="where a mutant that does harm is written")
    arguments = parser.parse_args()
    step = 2_000
    last = arguments.first + arguments.count
    parts = [
        (arguments.seed, at, min(step, last - at), arguments.failures) for at in range(arguments.first, last, step)
    ]
    total = Tally()
    with ProcessPoolExecutor(arguments.processes, multiprocessing.get_context("spawn")) as pool:
        for part, tally in zip(parts, pool.map(_examine_many, *zip(*parts, strict=True)), strict=True):
            total += tally
            end = part[1] + part[2]
            print(f"{end - arguments.first:,} mutants: {_told(total)} (go on with --first {end})", flush=True)
    print("No harm done.")
    return 0


def _told(total: Tally) -> str:
    return (
        f"{total.accepted:,} accepted, {total.refused:,} refused, slowest {total.slowest * 1e3:.0f} ms, "
        f"memory at most {total.most_memory:.1f} bytes a byte, {total.peak:.0f} MB a process"
    )


if __name__ == "__main__":
    sys.exit(main())
