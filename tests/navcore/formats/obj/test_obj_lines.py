"""Lines of OBJ files: what is read, what is passed over, and that whatever is wrong is a sentence with its line."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from navcore.errors import BadInput, Cancelled, TooLarge
from navcore.formats.level_mesh import LevelMesh
from navcore.formats.obj import obj_reader
from navcore.formats.obj.obj_reader import read_obj
from navcore.progress import Progress

SQUARE = "v 0 0 0\nv 0 0 1\nv 1 0 1\nv 1 0 0\n"
QUAD = [[0, 1, 2], [0, 2, 3]]


def outcome(path: Path, by_kernel: bool) -> tuple[object, ...]:
    try:
        mesh = read_obj(path, {"a*": 3}, {"b?": 4, "c": 0}, by_kernel=by_kernel)
    except BadInput as refused:
        return refused.code, str(refused)
    areas = None if mesh.areas is None else mesh.areas.tobytes()
    return mesh.vertices.tobytes(), mesh.triangles.tobytes(), areas, mesh.warnings


def read(path: Path, content: str | bytes) -> LevelMesh:
    """The mesh, which is the same in both ways of reading."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    assert outcome(path, False) == outcome(path, True)
    return read_obj(path)


def refusal(path: Path, content: str | bytes) -> BadInput:
    with pytest.raises(BadInput) as found:
        read(path, content)
    assert outcome(path, True) == (found.value.code, str(found.value))
    return found.value


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.obj"


@pytest.mark.parametrize("content", [SQUARE + "f 1 2 3 4\n", "# by hand\n" + SQUARE + "f 1 2 3 4"])
def test_a_byte_order_mark_costs_no_vertex(path: Path, content: str) -> None:
    mesh = read(path, b"\xef\xbb\xbf" + content.encode())
    assert len(mesh.vertices) == 4 and mesh.triangles.tolist() == QUAD and mesh.warnings == ()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_text_is_refused_with_how_to_save_it(path: Path, encoding: str) -> None:
    refused = refusal(path, (SQUARE + "f 1 2 3 4\n").encode(encoding))
    assert "UTF-16" in str(refused) and "UTF-8" in str(refused)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_as_on_any_system_and_a_backslash_goes_on(path: Path, end: str) -> None:
    lines = [
        "# a folder: C:\\levels\\", *SQUARE.split("\n"), "vn 0 \\", " 1 0", "f 1/1 \\", "2 \\", " 3\\", " 4/4",
        "v 5\\", "5 5", "\\", "f\\", "1 2 5",
    ]  # fmt: skip
    mesh = read(path, end.join(lines))
    assert mesh.vertices[4:].tolist() == [[5, 5, 5]]
    assert mesh.triangles.tolist() == [*QUAD, [0, 1, 4]] and mesh.warnings == ()
    refused = refusal(path, end.join([*lines, "", "f 1 2 99"]))
    assert f"line {len(lines) + 2} " in str(refused), "lines are counted as an editor shows them"


def test_what_goes_on_may_be_cut_by_the_end_of_a_block(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = (SQUARE + "f 1 \\\n 2\\\r\n 3 \\\n\\\n4\r\nusemtl a\\\nb\n" * 3).encode()
    wanted = outcome_of(path, content)
    for length in range(1, 60):
        monkeypatch.setattr(obj_reader, "BLOCK", length)
        assert outcome_of(path, content) == wanted


def outcome_of(path: Path, content: bytes) -> tuple[object, ...]:
    read(path, content)
    return outcome(path, True)


REFUSED = [
    ("v 1 2", "BAD_INPUT", "'v 1 2'. A vertex has 3 numbers, and this one 2; correct the line"),
    ("v 1 x 0", "BAD_INPUT", "is not a proper OBJ line: 'v 1 x 0'"),
    ("v 1 1_0 0", "BAD_INPUT", "is not a proper OBJ line"),
    ("v 1 2 3\0", "BAD_INPUT", "is not a proper OBJ line"),
    ("v nan 0 0", "NOT_FINITE", "not a finite number, or beyond 3.4e38: 'v nan 0 0'. Remove the vertex"),
    ("v 0 -Infinity 0", "NOT_FINITE", "not a finite number"),
    ("v 0 1e39 0", "NOT_FINITE", "beyond 3.4e38"),
    ("f", "BAD_INPUT", "a face needs at least 3 corners, not 0"),
    ("f 1 2 # 3", "BAD_INPUT", "a face needs at least 3 corners, not 2"),
    ("f 1 2 x", "BAD_INPUT", "A face is `f` and the whole numbers of its vertices"),
    ("f 1 2 3.0", "BAD_INPUT", "is not a proper OBJ line"),
    ("f 1 2 1_1", "BAD_INPUT", "is not a proper OBJ line"),
    ("f 1 2 4294967297", "BAD_INPUT", "is not a proper OBJ line"),
    ("f 1 2 0", "INDEX_OUT_OF_RANGE", "a face with the vertex 0, and vertices are counted from 1. Check the exporter"),
    ("f 1 2 -0", "INDEX_OUT_OF_RANGE", "vertices are counted from 1"),
    ("f -1 -2 -5", "INDEX_OUT_OF_RANGE", "a face with the vertex -5, and only 4 vertices come before it"),
    ("f 1 2 5", "INDEX_OUT_OF_RANGE", "a face with the vertex 5, and the file has 4"),
    ("f 1 2 3 4 999999999", "INDEX_OUT_OF_RANGE", "the vertex 999999999, and the file has 4"),
    ("\x7fELF\x02\x01", "BAD_INPUT", "holds bytes that are no text: this seems to be no OBJ file"),
]


@pytest.mark.parametrize(("line", "code", "text"), REFUSED)
def test_what_is_wrong_is_a_sentence_with_the_number_of_the_line(path: Path, line: str, code: str, text: str) -> None:
    refused = refusal(path, f"{SQUARE}\n# so far so good\nf 1 2 3 4\n{line}\nf 1 2 3\n")
    assert refused.code == code and str(refused).startswith("m.obj, line 8") and text in str(refused)
    assert str(refused).endswith(".")


def test_lines_that_nobody_reads_are_told(path: Path) -> None:
    mesh = read(path, f"{SQUARE}mtllib a.mtl\ns off\ng\nl 1 2\nwell 1\nsurf 0 1 0 1\nsurf 0 1\nf 1 2 3 4\nvp 1\n")
    assert mesh.triangles.tolist() == QUAD
    assert [warning.code for warning in mesh.warnings] == ["LINES_LEFT_OUT"] * 2
    assert "lines that begin with 'well' are left out: 1, the first of them line 9." in mesh.warnings[0].message
    assert "lines that begin with 'surf' are left out: 2, the first of them line 10." in mesh.warnings[1].message


def test_colors_weights_and_comments_behind_a_line_are_passed_over(path: Path) -> None:
    mesh = read(path, "v 0 0 0 1\n\t v\t0 0 1 1 0.5 0.5 # red\nv 1 0 1 # here\nv 1 0 0\x0c\nf 1 2 3 4 # ground\n\n")
    assert len(mesh.vertices) == 4 and mesh.triangles.tolist() == QUAD and mesh.warnings == ()


ODD = [
    "usemtl ab c", "usemtl x", "g b1 c", "o c", "o", "s 1", "# c", "", "vt 0 0", "f 1 \\\n2 3", "what 1",
    "vn 1\\\n 1 1",    "\\\nf 1 2 3", "f\\\n1 2 3", "v\\\n1 2 3", "usemtl\\\nab", "vt\\\n0", "# c\\", " \t",
]  # fmt: skip
WRONG = [
    "v 1 2", "f 1 2", "f 1 2 0", "v nan 1 1", "f 1 2 777", "\x01\x02", "v 1 2 x", "f a b c", "f 1 2 -99", "f", "v",
    "v 1 2 3e", "v . 0 0", "v 1 2 3.4.5", "v + 1 1", "f 1 2 3/\\x /", "f 1 2 +3",
]  # fmt: skip


def random_number(chance: random.Random) -> str:
    value = chance.choice([chance.randint(-9, 9), chance.uniform(-50, 50), 10 ** chance.uniform(-30, 30)])
    return chance.choice(["%r", "%.3f", "%g", "%.20e"]) % value


def random_line(chance: random.Random, count: int, wrong: bool) -> str:
    """Mostly a vertex or a face; now and then one of an odd kind, or a wrong one."""
    kind = chance.random()
    if kind < 0.5 or count < 4:
        return "v " + " ".join(random_number(chance) for _ in range(chance.choice([3, 3, 3, 4, 6])))
    if kind < 0.85:
        corners = [chance.choice([1, -1]) * chance.randint(1, count) for _ in range(chance.randint(3, 9))]
        return "f " + " ".join(f"{corner}{chance.choice(['', '/1', '//2', '/3/4'])}" for corner in corners)
    return chance.choice(WRONG if wrong and kind > 0.97 else ODD)


def random_file(chance: random.Random) -> str:
    lines: list[str] = []
    wrong = chance.random() < 0.3
    for _ in range(chance.randint(1, 80)):
        lines.append(random_line(chance, sum(line.startswith("v ") for line in lines), wrong))
    return "\n".join(lines).replace("\n", chance.choice(["\n", "\r\n", "\r"]))


@pytest.mark.parametrize("seed", range(6))
def test_both_ways_to_read_give_the_same_bytes_or_the_same_refusal(
    path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    for _ in range(60):
        monkeypatch.setattr(obj_reader, "BLOCK", chance.choice([1, 7, 40, 1 << 20]))
        path.write_bytes(random_file(chance).encode())
        assert outcome(path, False) == outcome(path, True)


def test_a_file_is_read_in_blocks_and_says_how_far_it_is(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text(SQUARE * 300 + "f 1 2 3 4\n" * 500)
    monkeypatch.setattr(obj_reader, "BLOCK", 512)
    heard: list[tuple[str, float]] = []
    read_obj(path, progress=Progress(lambda *told: heard.append(told)))
    assert {stage for stage, _ in heard} == {"reading"}
    fractions = [fraction for _, fraction in heard]
    assert fractions == sorted(fractions) and fractions[0] == 0 and fractions[-1] == 1 and len(fractions) > 10


def test_reading_stops_when_it_is_cancelled(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text(SQUARE * 1000)
    monkeypatch.setattr(obj_reader, "BLOCK", 512)
    for by_kernel in (False, True):
        watch = Stops()
        with pytest.raises(Cancelled):
            read_obj(path, progress=watch, by_kernel=by_kernel)
        assert 0.3 < watch.heard < 0.5


class Stops(Progress):
    """Is cancelled when a third has been read."""

    heard = 0.0

    def report(self, stage: str, fraction: float) -> None:
        self.heard = fraction
        if stage == "reading" and fraction > 0.3:
            self.cancel()


def test_arrays_are_ready_for_the_build(path: Path) -> None:
    mesh = read(path, SQUARE + "f 1 2 3 4\n")
    assert mesh.vertices.dtype == np.float32 and mesh.triangles.dtype == np.int32 and mesh.areas is None
    assert mesh.vertices.flags.c_contiguous and mesh.triangles.flags.c_contiguous and mesh.vertices.flags.owndata
    nothing = read(path, "")
    assert nothing.vertices.shape == nothing.triangles.shape == (0, 3)


def test_more_vertices_than_can_be_numbered_are_too_many(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(obj_reader, "_MAX_VERTICES", 3)
    path.write_text(SQUARE)
    for by_kernel in (False, True):
        with pytest.raises(TooLarge, match=r"m\.obj has more than 3 vertices\. Split the level\."):
            read_obj(path, by_kernel=by_kernel)


def test_a_file_for_which_memory_does_not_suffice_is_too_large(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(obj_reader.GrowingRows, "make_room", fail)
    path.write_text(SQUARE)
    with pytest.raises(TooLarge, match=r"not enough memory for m\.obj") as found:
        read_obj(path)
    assert found.value.code == "OUT_OF_MEMORY"


def test_memory_does_not_grow_with_what_is_not_kept(path: Path) -> None:
    """Comments and numbers of textures: blocks of a megabyte come and go."""
    path.write_text(SQUARE + ("# " + "x" * 997 + "\nvt 0.123456 0.123456\n") * 40_000 + "f 1 2 3 4\n")
    tracemalloc.start()
    try:
        read_obj(path, by_kernel=True)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 20 << 20 < path.stat().st_size
