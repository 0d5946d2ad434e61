"""What keeps compiled kernels, by itself: folders, entries, packs, types in words. Nothing is compiled here."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core import types
from numba.np.numpy_support import from_dtype

from navcore.kernels import shipped_pack as packs
from navcore.kernels.cache_folder import read, users_cache_folder, why_unusable, write
from navcore.kernels.compile_results import NotStorable, bundles_in, of_constants, of_type, to_constants, to_type
from navcore.kernels.entry_bytes import BadEntry, Entry, packed, unpacked
from navcore.kernels.kernel_sources import fingerprint, is_ours, name_of, with_imports
from navcore.kernels.pack_file import BadPack, PackedEntry, pack_bytes, read_pack
from navcore.kernels.shipped_pack import Baseline, open_pack, pack_for_here, pack_name
from navcore.kernels.versions_and_processor import environment, host_features, processor
from navcore.types import DistanceField
from navcore.version import FOLDER, code_fingerprint

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="there rights are no bits of a mode")
U16 = types.Array(types.uint16, 1, "C", aligned=True)
MONTH = 30 * 24 * 3600.0

# ----------------------------------------------------------------------- folder


def test_what_is_written_is_read_under_its_key_alone(tmp_path: Path) -> None:
    root = tmp_path / "deep" / "kernels"
    assert why_unusable(root) == ""
    assert read(root, "group", "key") is None
    write(root, "group", "key", b"one")
    write(root, "group", "key", b"two")
    assert read(root, "group", "key") == b"two"
    assert read(root, "group", "another") is None and read(root, "elsewhere", "key") is None
    assert len(list((root / "group").iterdir())) == 1, "nothing is left aside"


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("no space")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="no space"):
        write(tmp_path, "group", "key", b"one")
    assert list((tmp_path / "group").iterdir()) == []


def test_reading_marks_a_folder_as_used_and_others_go_after_a_month(tmp_path: Path) -> None:
    root = tmp_path / "kernels"
    assert why_unusable(root) == ""
    for group in ("read", "left"):
        write(root, group, "key", b"one")
    long_ago = (root / "left").stat().st_mtime - MONTH - 3600
    for group in ("read", "left"):
        os.utime(root / group, (long_ago, long_ago))
    assert read(root, "read", "key") == b"one"
    assert why_unusable(root) == ""
    assert [folder.name for folder in root.iterdir()] == ["read"]


@needs_posix
def test_a_folder_that_others_may_change_is_none(tmp_path: Path) -> None:
    own = tmp_path / "kernels"
    assert why_unusable(own) == "" and own.stat().st_mode & 0o777 == 0o700
    own.chmod(0o720)
    assert why_unusable(own) == "others can write to it"
    own.chmod(0o700)
    (tmp_path / "link").symlink_to(own)
    assert why_unusable(tmp_path / "link") == "it is a link to another folder"
    (tmp_path / "file").write_text("in the way")
    assert why_unusable(tmp_path / "file") != ""
    tmp_path.chmod(0o777)
    assert why_unusable(own) == "others can write to a folder above it", "and put another one in its place"
    tmp_path.chmod(0o1777)
    assert why_unusable(own) == "", "not in a sticky folder"


def test_where_programs_keep_what_they_can_make_again(monkeypatch: pytest.MonkeyPatch) -> None:
    home = Path.home()
    for name in ("LOCALAPPDATA", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    expected = {"win32": home / "AppData" / "Local", "darwin": home / "Library" / "Caches", "linux": home / ".cache"}
    for system, folder in expected.items():
        monkeypatch.setattr(sys, "platform", system)
        assert users_cache_folder() == folder
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert users_cache_folder() == Path("/elsewhere")


# ------------------------------------------------------------------------ entry


def test_an_entry_comes_back_whole_and_knows_its_key() -> None:
    entry = Entry({"native": "n", "linked": ["a", "b"]}, ["int64", "none"], b"code" * 99, b"bitcode")
    data = packed("key", entry)
    assert unpacked(data, "key") == entry
    assert data == packed("key", entry), "the same bytes every time"
    with pytest.raises(BadEntry, match="another kernel"):
        unpacked(data, "other key")
    for at in range(len(data)):
        with pytest.raises(BadEntry, match="damaged"):
            unpacked(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :], "key")
    for size in (0, 7, 40, len(data) - 1):
        with pytest.raises(BadEntry, match="damaged"):
            unpacked(data[:size], "key")


# ------------------------------------------------------------------------- pack


ANY = Baseline("any", ())


def a_pack(entries: dict[str, bytes], baseline: Baseline = ANY, made_from: str = "source") -> bytes:
    return pack_bytes(pack_for_here({name: PackedEntry(made_from, data) for name, data in entries.items()}, baseline))


def test_a_pack_gives_its_entries_by_name_and_source(tmp_path: Path) -> None:
    file = tmp_path / pack_name()
    entries = {"b": b"second", "a": b"first", "empty": b""}
    file.write_bytes(a_pack(entries))
    found = open_pack(file)
    assert len(found) == 3 and {name: found.read(name, "source") for name in entries} == entries
    assert found.read("missing", "source") is None
    assert found.read("a", "an edited source") is None
    assert found.current and read_pack(file).sources == code_fingerprint()
    assert file.read_bytes() == a_pack(dict(reversed(entries.items())))
    assert pack_bytes(read_pack(file)) == file.read_bytes()


def test_a_pack_takes_little_room(tmp_path: Path) -> None:
    """What an entry says of itself is text, a fifth of all once; code in it is compressed already."""
    code = np.random.default_rng(1).bytes(20_000)
    entries = {
        f"kernel {n}": packed(f"kernel {n}", Entry({"constants": ["<f4"] * 999}, "none", code, code)) for n in (1, 2)
    }
    data = a_pack(entries)
    assert len(data) < sum(map(len, entries.values())) - 10_000
    (tmp_path / "pack").write_bytes(data)
    assert {name: entry.data for name, entry in read_pack(tmp_path / "pack").entries.items()} == entries


def test_an_entry_with_a_wrong_byte_is_none_and_the_others_are_read(tmp_path: Path) -> None:
    whole = a_pack({"a": b"first" * 9, "b": b"second" * 9})
    for at in range(len(whole) - 12, len(whole)):  # of the last entry, and its checksum
        (tmp_path / "pack").write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        found = open_pack(tmp_path / "pack")
        assert found.read("a", "source") == b"first" * 9 and found.read("b", "source") != b"second" * 9


def test_a_pack_that_was_baked_before_is_still_read(tmp_path: Path) -> None:
    """Who bakes after an update takes from it what did not change."""
    here = pack_for_here({}, ANY)
    listed = [["a", "source", 5], ["b", "source", 6]]
    text = json.dumps({**here._asdict(), "entries": listed}).encode()
    head = b"navpack2" + hashlib.sha256(text).digest() + len(text).to_bytes(4, "little")
    (tmp_path / "pack").write_bytes(head + text + b"firstsecond")
    found = open_pack(tmp_path / "pack")
    assert (found.read("a", "source"), found.read("b", "source")) == (b"first", b"second")


def test_a_pack_of_another_environment_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(packs, "environment", lambda: "then")
        (tmp_path / "pack").write_bytes(a_pack({}))
    with pytest.raises(BadPack, match="are for then, and this is"):
        open_pack(tmp_path / "pack")


def test_a_pack_of_other_sources_still_gives_what_they_have_in_common(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(packs, "code_fingerprint", lambda: "then")
        (tmp_path / "pack").write_bytes(a_pack({"a": b"first"}))
    found = open_pack(tmp_path / "pack")
    assert not found.current and found.read("a", "source") == b"first"


def test_a_pack_for_a_newer_processor_or_with_a_wrong_byte_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadPack, match="no kernels are shipped for"):
        open_pack(tmp_path / "missing")
    data = a_pack({"a": b"first"}, Baseline("of-2099", ("telepathy", "zeal")))
    (tmp_path / "pack").write_bytes(data)
    with pytest.raises(BadPack, match="for of-2099, and this processor has no telepathy"):
        open_pack(tmp_path / "pack")
    for at in (0, 8, 60):
        (tmp_path / "pack").write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(BadPack, match="damaged"):
            open_pack(tmp_path / "pack")
    (tmp_path / "folder").mkdir()
    with pytest.raises(BadPack, match="folder cannot be read"):
        open_pack(tmp_path / "folder")


def test_packs_are_named_for_what_they_fit() -> None:
    assert pack_name().startswith(f"{sys.implementation.cache_tag}-numba{numba.__version__}-{sys.platform}-")
    assert sys.implementation.cache_tag in environment() and "NumPy 1 and 2" in environment()
    assert all(feature in processor() for feature in host_features())


# ------------------------------------------------------------------ description

BUNDLE = types.NamedTuple([U16, types.int64], DistanceField)
FIELDS = np.dtype((np.record, [("x", np.float64), ("low", np.float32, 3), ("flags", np.int32)]))
RECORDS = types.Array(from_dtype(FIELDS), 1, "C")
KINDS = [
    RECORDS, types.Tuple([types.int64, RECORDS]), types.int64, types.boolean, types.none, U16,
    types.Array(types.float32, 2, "A", readonly=True), types.UniTuple(types.int32, 3), types.Tuple([types.int64, U16]),
    BUNDLE, types.Tuple([BUNDLE, types.float32]),
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_type_in_words_is_that_type_again(kind: types.Type) -> None:
    assert to_type(of_type(kind)) == kind
    assert bundles_in(kind) == ({DistanceField} if "DistanceField" in str(kind) else set())


def test_what_is_not_plain_is_not_storable() -> None:
    class Foreign(DistanceField):
        pass

    for kind in (types.unicode_type, types.List(types.int64), types.NamedTuple([U16, types.int64], Foreign)):
        with pytest.raises(NotStorable, match="returns"):
            of_type(kind)
    with pytest.raises(NotStorable, match="keeps 3"):
        of_constants([3])
    with pytest.raises(NotStorable, match="gaps"):
        of_constants([np.dtype([("flag", np.uint8), ("x", np.float64)], align=True)])


def test_constants_come_back() -> None:
    kept = [np.dtype(np.uint16), DistanceField]
    assert of_constants(kept) == ["<u2", [".types", "DistanceField"]]
    assert to_constants(of_constants(kept)) == kept


# ---------------------------------------------------------------------- sources


def test_a_source_counts_with_all_that_it_imports() -> None:
    columns = FOLDER / "geometry/columns.py"
    assert name_of(columns) == "geometry/columns.py" and is_ours(columns) and not is_ours(Path(__file__))
    assert with_imports(name_of(columns)) >= {
        "geometry/columns.py",
        "jit.py",
        "types.py",
        "threads.py",
    }
    assert fingerprint(columns) == fingerprint(columns) != fingerprint(FOLDER / "geometry/edge_distance.py")
