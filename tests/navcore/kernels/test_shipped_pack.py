"""Shipped kernels: loaded under any name and path, for other processors, and refused wherever they don't fit."""

from __future__ import annotations

import platform
import shutil
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from navcore.kernels.entry_bytes import unpacked
from navcore.kernels.pack_file import read_pack
from navcore.kernels.shipped_pack import BASELINES, pack_key

from .test_jit import INNER, PROBE, make_toy, python, toy  # noqa: F401 - a fixture

BAKE = """
    import sys
    from pathlib import Path
    from toy.kernels.pack_file import pack_bytes
    from toy.kernels.shipped_pack import BASELINES, SHIPPED, pack_for_here, pack_name
    from toy.kernels.pack_recording import recorded
    from toy.outer import outer
    import platform
    entries = recorded(lambda: outer(20), SHIPPED)
    SHIPPED.mkdir(exist_ok=True)
    baseline = BASELINES[platform.machine().lower()]
    baseline = baseline._replace(needs=tuple(sys.argv[1:]) or baseline.needs)
    (SHIPPED / pack_name()).write_bytes(pack_bytes(pack_for_here(entries, baseline)))
"""
BASELINE = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "PYTHONHASHSEED": "0"}
PROBE_AND_REASON = PROBE + "    from toy.kernels.kernel_store import STORE; print(STORE.why_not_shipped)"


@pytest.fixture(scope="module")
def once_baked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy with a pack in it that others are copies of: baking is what takes time."""
    home = make_toy(tmp_path_factory.mktemp("baked"))
    python(home, BAKE, **BASELINE)
    return home


@pytest.fixture
def shipped(tmp_path: Path, once_baked: Path) -> Path:
    """The toy with a pack in it."""
    return Path(shutil.copytree(once_baked, tmp_path / "shipped"))


def run(toy: Path, text: str = PROBE_AND_REASON, **environment: str) -> tuple[int, int, str]:  # noqa: F811
    """The kernel's result, how many were loaded, and why the shipped ones were not. The user has none."""
    value, loaded, *why = python(toy, text, "", **environment).split(maxsplit=2)
    return int(value), int(loaded), why[0].strip() if why else ""


def pack_of(toy: Path) -> Path:  # noqa: F811
    return next((toy / "toy/compiled").iterdir())


def test_shipped_kernels_are_loaded(shipped: Path) -> None:
    assert run(shipped) == (210, 1, "")


def test_none_are_loaded_where_they_are_not_wanted(shipped: Path) -> None:
    assert run(shipped, NAVMESH_SHIPPED_KERNELS="0") == (210, 0, "shipped kernels are not wanted")


def test_also_from_another_place_under_another_name_and_with_other_times(shipped: Path) -> None:
    elsewhere = shipped / "else where/bl_ext"
    elsewhere.mkdir(parents=True)
    (elsewhere / "__init__.py").write_text("")
    shutil.copytree(shipped / "toy", elsewhere / "renamed", copy_function=shutil.copyfile)
    for file in (elsewhere / "renamed").rglob("*.py"):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))  # as a checkout on Windows has it
    assert run(elsewhere.parent, PROBE_AND_REASON.replace("toy.", "bl_ext.renamed.")) == (210, 1, "")


def test_an_edited_source_means_compiling(shipped: Path) -> None:
    (shipped / "toy/inner.py").write_text(INNER.replace("x + 1", "x + 100"))
    value, loaded, why = run(shipped)
    assert (value, loaded) == (1200, 0)
    assert why == "some shipped kernels were made from other sources"


ASIDE = "from .jit import kernel\n\n@kernel\ndef aside(x):\n    return x - 1\n"
BAKE_BOTH = BAKE.replace("lambda: outer(20)", "lambda: (outer(20), aside(3))").replace(
    "from toy.outer import outer", "from toy.outer import outer; from toy.aside import aside"
)
ASK_BOTH = """
    from toy.kernels.kept_kernels import keep_kernels_in, kernel_counts
    keep_kernels_in(None)
    from toy.aside import aside
    from toy.outer import outer
    print(outer(20), aside(3), *kernel_counts()[:2])
"""


def test_an_edit_leaves_the_kernels_of_other_files_shipped(toy: Path) -> None:  # noqa: F811
    (toy / "toy/aside.py").write_text(ASIDE)
    python(toy, BAKE_BOTH, **BASELINE)
    assert python(toy, ASK_BOTH).split() == ["210", "2", "0", "2"]
    before = pack_of(toy).read_bytes()
    (toy / "toy/inner.py").write_text(INNER.replace("x + 1", "x + 100"))
    assert python(toy, ASK_BOTH).split() == ["1200", "2", "1", "1"]

    counted = BAKE_BOTH + "    from toy.kernels.kept_kernels import kernel_counts; print(*kernel_counts()[:2])"
    assert python(toy, counted, **BASELINE).split() == ["1", "1"]
    assert pack_of(toy).read_bytes() != before
    assert python(toy, ASK_BOTH).split() == ["1200", "2", "0", "2"], "both are in the pack again"


BAKE_LATER = """
    import sys
    from pathlib import Path
    from toy.kernels.kernel_store import STORE
    from toy.kernels.pack_file import pack_bytes
    from toy.kernels.pack_recording import Recorder
    from toy.kernels.shipped_pack import BASELINES, pack_for_here, pack_name
    import platform
    before, after, parts = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "parts"
    if before.name == "none":
        from toy.outer import outer as work
    else:
        from toy.other import other as work
    compiled = []
    save = STORE.save
    STORE.save = lambda kernel, entry: (compiled.append(kernel.part), save(kernel, entry))
    entries = Recorder(1, parts=parts).entries(lambda: work(20), before)
    after.mkdir()
    (after / pack_name()).write_bytes(pack_bytes(pack_for_here(entries, BASELINES[platform.machine().lower()])))
    print(sum(name.startswith("part ") for name in entries), sum(compiled), len(compiled))
"""
OTHER = "from .inner import inner\nfrom .jit import kernel\n\n@kernel\ndef other(x):\n    return inner(x) * 2\n"


def test_parts_that_an_earlier_process_compiled_are_taken_from_it(toy: Path) -> None:  # noqa: F811
    """And they are not in the pack that is shipped at the end."""
    (toy / "toy/other.py").write_text(OTHER)
    first = python(toy, BAKE_LATER, str(toy / "none"), str(toy / "first"), "parts", **BASELINE)
    assert first.split() == ["1", "1", "2"], "inner, a part of outer"
    later = python(toy, BAKE_LATER, str(toy / "first"), str(toy / "later"), "parts", **BASELINE)
    assert later.split() == ["1", "0", "1"], "inner is taken, other compiled"
    without = python(toy, BAKE_LATER, str(toy / "first"), str(toy / "whole"), "no parts", **BASELINE)
    assert without.split() == ["0", "0", "1"]


def test_a_shipped_kernel_is_compiled_again_for_one_that_calls_it(shipped: Path) -> None:
    """It brings its machine code alone. Python goes on calling that."""
    (shipped / "toy/third.py").write_text(OTHER.replace("inner", "outer").replace("other", "third"))
    text = """
        import gc
        from toy.kernels.kept_kernels import keep_kernels_in, kernel_counts
        from toy.outer import outer
        from toy.kernels.kernel_store import STORE
        keep_kernels_in(None)
        saved, save = [], STORE.save
        STORE.save = lambda kernel, entry: (saved.append(kernel.name.split(" (")[0]), save(kernel, entry))
        from toy.third import third
        print(outer(20), third(20), third(20.0))
        gc.collect()
        print(outer(21), *kernel_counts()[:2], *sorted(saved), sep=",")
    """
    pack = read_pack(pack_of(shipped))
    (entry,) = pack.entries.values()
    assert unpacked(entry.data, pack_key(*pack.entries, entry.made_from)).bitcode == b""
    values, counts = python(shipped, text.replace("keep_kernels_in(None)", "STORE.keep_in(None)")).splitlines()
    assert values.split() == ["210", "420", "420.0"]
    value, compiled, loaded, *saved = counts.split(",")
    assert (value, compiled, loaded) == ("220", "2", "1")
    twice = ["kernel third.py:4 third", "part inner.py:3 inner", "part outer.py:4 outer"]
    assert saved == sorted(twice * 2)


def test_a_processor_that_cannot_do_enough_compiles(toy: Path) -> None:  # noqa: F811
    python(toy, BAKE, "flying", **BASELINE)
    value, loaded, why = run(toy)
    assert (value, loaded) == (210, 0)
    assert "flying" in why


@pytest.mark.parametrize(
    "pretend",
    [
        "import numba; numba.__version__ = '0.62.99'",
        "import llvmlite; llvmlite.__version__ = '0.99.0'",
        "import numba, numpy; numpy.__version__ = '3.0.0'",
        "import llvmlite.binding as b; triple = b.get_process_triple().replace('-', '-other', 1); "
        "b.get_process_triple = lambda: triple",
        "import numba.core.config as config; config.BOUNDSCHECK = 1",
    ],
)
def test_another_numba_numpy_or_system_compiles(shipped: Path, pretend: str) -> None:
    value, loaded, why = run(shipped, f"{pretend}\n" + textwrap.dedent(PROBE_AND_REASON))
    assert (value, loaded) == (210, 0)
    assert "shipped kernels are for" in why or "no kernels are shipped for" in why


@pytest.mark.parametrize("version", ["1.99.0", "2.99.0"])
def test_a_pack_is_for_both_numpys(shipped: Path, version: str) -> None:
    pretend = f"import numba, numpy; numpy.__version__ = '{version}'"
    assert run(shipped, f"{pretend}\n" + textwrap.dedent(PROBE_AND_REASON)) == (210, 1, "")


def test_another_python_finds_no_pack(shipped: Path) -> None:
    pack = pack_of(shipped)
    pack.rename(pack.with_name("cpython-38-plan9-vax.kernels"))
    value, loaded, why = run(shipped)
    assert (value, loaded) == (210, 0)
    assert why.startswith("no kernels are shipped for cpython-")


def flipped(place: float) -> Callable[[bytes], bytes]:
    def damage(data: bytes) -> bytes:
        at = int(place * (len(data) - 1))
        return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]

    return damage


@pytest.mark.parametrize(
    "damage",
    [lambda data: data[:0], lambda data: data[:20], lambda data: data[: len(data) // 2], lambda data: bytes(len(data))]
    + [flipped(place) for place in (0, 0.01, 0.1, 0.3, 0.6, 0.9, 1)],
)
def test_a_damaged_pack_compiles(shipped: Path, damage: Callable[[bytes], bytes]) -> None:
    pack = pack_of(shipped)
    pack.write_bytes(damage(pack.read_bytes()))
    value, loaded, why = run(shipped)
    assert (value, loaded) == (210, 0) and "damaged" in why


def test_the_same_sources_give_the_same_pack(shipped: Path) -> None:
    once = pack_of(shipped).read_bytes()
    pack_of(shipped).unlink()
    python(shipped, BAKE, **BASELINE)
    assert pack_of(shipped).read_bytes() == once
    assert str(shipped).encode() not in once


def test_so_do_those_of_kernels_that_may_raise(toy: Path) -> None:  # noqa: F811
    """Numba names exceptions by where they lie in memory, which is elsewhere in every process."""
    (toy / "toy/aside.py").write_text("import numpy as np\n" + ASIDE.replace("x - 1", "np.empty(x).shape[0] - 1"))
    packs = set()
    for _ in range(2):
        python(toy, BAKE_BOTH, **BASELINE)
        packs.add(pack_of(toy).read_bytes())
        pack_of(toy).unlink()
    assert len(packs) == 1


@pytest.mark.skipif(platform.machine().lower() not in ("x86_64", "amd64"), reason="AVX is of x86")
def test_no_code_for_newer_processors_is_in_it(toy: Path) -> None:  # noqa: F811
    """The name of a processor alone is not enough: Numba would still use what the machine can do that compiles."""
    text = """
        import numpy as np
        from toy.kernels.kept_kernels import keep_kernels_in
        from toy.jit import kernel
        keep_kernels_in(None)
        @kernel
        def added(a, b):
            for i in range(len(a)):
                a[i] += b[i]
        added(np.zeros(99, np.int32), np.zeros(99, np.int32))
        sums = [line for line in "".join(added.inspect_asm().values()).splitlines() if "paddd" in line]
        print(sum("ymm" in line for line in sums), len(sums))
    """
    ours = BASELINES["x86_64"]
    assert {feature.removeprefix("+") for feature in ours.beyond.split(",")} <= {*ours.needs}
    here = dict(BASELINE, NUMBA_CPU_NAME=ours.name, NUMBA_CPU_FEATURES=ours.beyond)
    newer, all_ = map(int, python(toy, text, **here).split())
    assert newer == 0 and all_ > 0, "eight whole numbers at once are AVX2, of 2013"
    assert int(python(toy, text, NUMBA_CPU_NAME="x86-64-v3", NUMBA_CPU_FEATURES="+avx,+avx2").split()[0]) > 0
