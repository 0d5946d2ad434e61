"""The files of a tile store: damaged, cut short, foreign, written by two processes at once or by one that is killed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import numpy as np
import pytest

from navcore import NavMesh, Settings, build_navmesh
from navcore.builder.fused_tile import StageCounts
from navcore.builder.pipeline import Piece, counts_of
from navcore.builder.tile_store import StoredTile
from navcore.builder.tile_store import tile_store as sweeping
from navcore.builder.tile_store.pack_files import PackWriter, read_body, read_pack
from navcore.builder.tile_store.tile_records import BadRecord, packed, unpacked, unpacked_list
from navcore.builder.tile_store.tile_store import MAX_BYTES, UNUSED_FOR, USED_LATELY, sweep
from tests import scenes
from tests.navcore.builder.test_tile_store import BOUNDS, CITY, TILED, everything, tally
from tests.navcore.builder.test_tiles import arrays
from tests.soak.store_kills import kill_soon

ROOT = Path(__file__).resolve().parents[3]
DAY = 24 * 3600
_FULL: list[NavMesh] = []


def full_build() -> NavMesh:
    """What every build here must equal."""
    if not _FULL:
        _FULL.append(build_navmesh(*CITY, TILED, bounds=BOUNDS))
    return _FULL[0]


def build(store: Path, mesh: scenes.Mesh = CITY) -> NavMesh:
    return build_navmesh(*mesh, TILED, bounds=BOUNDS, store=store)


def packs(store: Path) -> list[Path]:
    return sorted(store.glob("*.pack"))


def codes(navmesh: NavMesh) -> list[str]:
    return [warning.code for warning in navmesh.report.warnings]


# --- damage


@pytest.mark.parametrize("seed", range(25))
def test_a_byte_that_changed_is_told_once_and_never_comes_out(seed: int, tmp_path: Path) -> None:
    """Wherever it is: tiles built again are the same, and the file is gone after it."""
    random = Random(seed)
    build(tmp_path)
    (pack,) = packs(tmp_path)
    content = bytearray(pack.read_bytes())
    place = random.randrange(len(content)) if seed else 0
    content[place] ^= 1 << random.randrange(8)
    pack.write_bytes(content)
    damaged = build(tmp_path)
    assert arrays(damaged) == arrays(full_build()) and damaged.report.counts == full_build().report.counts
    if place < 16:  # it no longer says that it is ours: it is left where it is
        assert codes(damaged) == ["STORE_DAMAGED"] and pack.exists()
        assert "delete the file" in damaged.report.warnings[0].message
    else:
        assert codes(damaged) in ([], ["STORE_DAMAGED"]) and (not codes(damaged) or not pack.exists())
        again = build(tmp_path)
        assert tally(again)[1] == 0 and everything(again) == everything(full_build())


@pytest.mark.parametrize("seed", range(25))
def test_a_pack_may_end_anywhere(seed: int, tmp_path: Path) -> None:
    """As one does whose writer was killed, where everything before the last record is sound."""
    build(tmp_path)
    (pack,) = packs(tmp_path)
    whole = pack.read_bytes()
    length = Random(seed).randrange(len(whole)) if seed else 0
    pack.write_bytes(whole[:length])
    navmesh = build(tmp_path)
    assert everything(navmesh) == everything(full_build())
    reused, built = tally(navmesh)
    assert abs(reused - (reused + built) * length / len(whole)) < 8


def test_a_hundred_bytes_that_changed_anywhere(tmp_path: Path) -> None:
    build(tmp_path)
    (pack,) = packs(tmp_path)
    content = np.frombuffer(pack.read_bytes(), np.uint8).copy()
    content[np.random.default_rng(1).integers(16, len(content), 100)] ^= 0x55
    pack.write_bytes(content.tobytes())
    damaged = build(tmp_path)
    assert arrays(damaged) == arrays(full_build()) and codes(damaged) == ["STORE_DAMAGED"]


@pytest.mark.parametrize(
    "content", [b"", b"navmesh", b"no pack", bytes(4096), os.urandom(4096), b"navmesh tiles 2\n" * 9]
)
def test_a_foreign_file_with_the_name_of_a_pack_is_told_and_left(content: bytes, tmp_path: Path) -> None:
    build(tmp_path)
    foreign = tmp_path / "tiles-0123456789abcdef.pack"
    foreign.write_bytes(content)
    navmesh = build(tmp_path)
    assert tally(navmesh)[1] == 0 and arrays(navmesh) == arrays(full_build())
    assert codes(navmesh) == ([] if b"navmesh tiles 1\n".startswith(content) else ["STORE_DAMAGED"])
    assert foreign.read_bytes() == content


def test_other_files_links_and_folders_in_a_store_are_left_alone(tmp_path: Path) -> None:
    build(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "tiles-1111111111111111.pack").mkdir()
    (tmp_path / "tiles-2222222222222222.pack").symlink_to(packs(tmp_path)[0])
    names = {path.name for path in tmp_path.iterdir()}
    navmesh = build(tmp_path)
    assert codes(navmesh) == [] and {path.name for path in tmp_path.iterdir()} == names


@pytest.mark.parametrize("seed", range(20))
def test_bytes_that_are_no_tile_are_refused_or_safe(seed: int) -> None:
    """Also where their hash fits: no kernel may index with what comes out."""
    random = Random(seed)
    with_ground = [tile for tile in full_build().tiles if len(tile.polygon_mesh.polygons) > 3]
    tile = random.choice(with_ground)
    counts = counts_of(tile.polygon_mesh, tile.detail_mesh, StageCounts(1, 1, 1, 1))
    sound = packed(StoredTile(Piece(tile.polygon_mesh, tile.detail_mesh, counts, []), None))
    for _ in range(200):
        content = bytearray(sound)
        for _ in range(random.choice((1, 3, 20))):
            content[random.randrange(len(content))] = random.choice((0, 255, random.randrange(256)))
        if random.random() < 0.2:
            del content[random.randrange(len(content)) :]
        try:
            piece = unpacked(np.frombuffer(bytes(content), np.uint8).copy()).piece
        except BadRecord:
            continue
        if piece is not None:
            mesh, detail = piece.polygon_mesh, piece.detail_mesh
            inside = mesh.polygons[mesh.polygons != 0xFFFF]
            assert inside.max(initial=0) < len(mesh.vertices) and mesh.area.max() <= 63
            if detail is not None:
                ends = detail.meshes[:, ::2].astype(np.int64) + detail.meshes[:, 1::2]
                assert (ends <= [len(detail.vertices), len(detail.triangles)]).all()
    with pytest.raises(BadRecord):
        unpacked_list(np.zeros(39, np.uint8))


@pytest.mark.parametrize(
    "said",
    [
        b"{", b"[]", b"{}", b'{"warnings": 1}', b'{"warnings": [1]}', b'{"warnings": [[[], "", null, ""]]}',
        b'{"warnings": [["REPAIRED", "", [1, 2, 3], ""]]}', b'{"warnings": [["UNHEARD_OF", "", null, ""]]}',
        b'{"warnings": [["REPAIRED", "", null]]}', b"[" * 5000,
    ],
)  # fmt: skip
def test_words_that_no_build_says_are_refused(said: bytes) -> None:
    mesh, detail = full_build().tiles[0][2:4]
    sound = packed(StoredTile(Piece(mesh, detail, counts_of(mesh, detail, StageCounts(1, 1, 1, 1)), []), None))
    content = bytearray(sound + said)
    content[15 * 8 : 16 * 8] = len(said).to_bytes(8, "little")  # the last of the whole numbers
    with pytest.raises(BadRecord):
        unpacked(np.frombuffer(bytes(content), np.uint8).copy())


# --- several processes


def start(store: Path, *, city: int = 3) -> subprocess.Popen[str]:
    """A process that builds into the store, and says so when its first tile is there."""
    script = f"""
from pathlib import Path
from navcore import Settings, build_navmesh
from tests import scenes
build_navmesh(*scenes.flat(20), Settings(tile_size=24))
build_navmesh(*scenes.city({city}), Settings(tile_size=24), bounds={(0, -1, 0, 16 * city, 9, 16 * city)},
    store=Path({str(store)!r}), threads=1, on_tile=lambda *_: print("tile", flush=True))
"""
    return subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_two_processes_fill_one_store_at_once(tmp_path: Path) -> None:
    both = [start(tmp_path / "store") for _ in range(2)]
    for process in both:
        process.communicate(timeout=300)
        assert process.returncode == 0
    navmesh = build(tmp_path / "store")
    assert tally(navmesh)[1] == 0 and everything(navmesh) == everything(full_build())


def test_a_process_that_is_killed_leaves_what_it_has_built(tmp_path: Path) -> None:
    """At random moments; tests/soak/store_kills.py does this more often."""
    random = Random(1)
    full = build_navmesh(*scenes.city(5), TILED, bounds=(0, -1, 0, 80, 9, 80))
    reused = []
    for number in range(2):
        store = tmp_path / str(number)
        for _ in range(2):
            kill_soon(start(store, city=5), random, random.randrange(2, 40))
        navmesh = build_navmesh(*scenes.city(5), TILED, bounds=(0, -1, 0, 80, 9, 80), store=store)
        assert everything(navmesh) == everything(full)
        reused.append(tally(navmesh)[0])
    assert min(reused) > 0


# --- what keeps it small


def test_many_builds_make_few_files(tmp_path: Path) -> None:
    for number in range(14):
        edited = scenes.join([CITY, scenes.box(3 + 3 * number, 0, 20, 1, 1, 1)])
        build(tmp_path, edited)
        assert len(packs(tmp_path)) <= 9
    navmesh = build(tmp_path)
    assert everything(navmesh) == everything(full_build())
    last = build(tmp_path, edited)
    assert tally(last)[1] == 0


def test_a_tile_is_dropped_thirty_days_after_its_last_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def on_day(day: int, mesh: scenes.Mesh) -> tuple[int, int]:
        monkeypatch.setattr("navcore.builder.tile_store.tile_store.seconds_now", lambda: 1_800_000_000 + day * DAY)
        navmesh = build(tmp_path, mesh)
        assert codes(navmesh) == []
        return tally(navmesh)

    other = scenes.join([CITY, scenes.box(40, 0, 20, 1, 1, 1)])
    tiles = sum(on_day(0, CITY))
    assert on_day(0, other)[1] < tiles
    for day in range(5, 60, 5):
        assert on_day(day, CITY) == (tiles, 0), "what is used stays"
    reused, built = on_day(60, other)
    assert 0 < built < reused, "what isn't has gone"


def line_of(pack: Path, key: bytes) -> bytes | None:
    found = read_pack(pack)
    for line in found.lines:
        if line["key"].tobytes() == key:
            with pack.open("rb") as file:
                return read_body(file, int(line["offset"]), int(line["size"]), key).tobytes()
    return None


def fill(store: Path, now: int, *ages: float, size: int = 1000, first: int = 0) -> list[bytes]:
    """A pack with records that are so many days old."""
    writer = PackWriter(store)
    keys = [bytes([first + i]) * 32 for i in range(len(ages))]
    for key, age in zip(keys, ages, strict=True):
        writer.add(key, key[:1] * size, now - int(age * DAY))
    writer.finish()
    return keys


def stored(store: Path) -> set[bytes]:
    return {line["key"].tobytes() for pack in packs(store) for line in read_pack(pack).lines}


def swept(store: Path, now: int, used: int = 0) -> set[bytes]:
    sweep(store, [read_pack(pack) for pack in packs(store)], used, now)
    return stored(store)


def test_old_tiles_go_when_most_of_their_pack_is_old(tmp_path: Path) -> None:
    now = 2_000_000_000
    old, older, young, *_ = fill(tmp_path, now, 31, 45, 2)
    assert swept(tmp_path, now) == {young} and len(packs(tmp_path)) == 1
    fill(tmp_path, now, 31, first=9)
    assert swept(tmp_path, now) == {young}, "a pack without anything in use is removed"
    assert old != older


def test_of_two_copies_the_younger_stays(tmp_path: Path) -> None:
    now = 2_000_000_000
    (key,) = fill(tmp_path, now, 12)
    fill(tmp_path, now, 1, size=500)
    assert swept(tmp_path, now) == {key}
    (pack,) = packs(tmp_path)
    assert line_of(pack, key) == key[:1] * 500


def test_a_store_has_a_size_at_which_the_oldest_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 2_000_000_000
    monkeypatch.setattr(sweeping, "MAX_BYTES", 6000)
    keys = fill(tmp_path, now, *range(20))
    assert swept(tmp_path, now) == set(keys[:5])
    keys = fill(tmp_path, now, *range(20), first=50)
    assert len(swept(tmp_path, now, used=3000)) == 11, "four times what the last build used, if that is more"
    assert MAX_BYTES >= 1 << 30


def test_a_pack_that_somebody_may_be_writing_is_not_touched(tmp_path: Path) -> None:
    now = int(time.time())
    writer = PackWriter(tmp_path)
    writer.add(bytes(32), b"body", now - 40 * DAY)
    writer.give_up()
    assert swept(tmp_path, now) == {bytes(32)}
    os.utime(writer.path, (now - 2 * DAY, now - 2 * DAY))
    assert swept(tmp_path, now) == set(), "after a day nobody is"


def test_a_pack_that_another_build_sweeps_away_is_still_read(tmp_path: Path) -> None:
    build(tmp_path)
    taken: list[object] = []

    def sweep_all(*_: object) -> None:
        if not taken:
            for pack in packs(tmp_path):
                pack.unlink()
        taken.append(1)

    navmesh = build_navmesh(*CITY, TILED, bounds=BOUNDS, store=tmp_path, on_tile=sweep_all)
    if sys.platform != "win32":
        assert tally(navmesh)[1] == 0
    assert navmesh.report.warnings == []


def test_what_is_used_is_written_anew_before_it_grows_old() -> None:
    assert 2 * USED_LATELY < UNUSED_FOR


def test_a_tile_of_a_city_takes_some_kilobytes(tmp_path: Path) -> None:
    """docs/large-levels.md says how many."""
    navmesh = build_navmesh(*scenes.city(8), Settings(tile_size=64), store=tmp_path)
    size = sum(pack.stat().st_size for pack in packs(tmp_path))
    assert 2000 < size / navmesh.report.counts["tiles"] < 6000
