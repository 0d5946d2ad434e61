"""Where compiled kernels are kept: private, keyed by source, never fatal; and that parts become kernels when called."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from navcore.kernels import kernel_sources as sources

PACKAGE = Path(__file__).resolve().parents[3] / "navcore"
needs_posix = pytest.mark.skipif(os.name != "posix", reason="POSIX permissions and HOME are what is tested")
PROBE = """
    from toy.kernels.kept_kernels import keep_kernels_in, kernel_counts
    from pathlib import Path
    import sys
    keep_kernels_in(Path(sys.argv[1]) if sys.argv[1] else None)
    from toy.outer import outer
    print(outer(20), kernel_counts().loaded)
"""
INNER = "from .jit import kernel\n\n@kernel\ndef inner(x):\n    return x + 1\n"
OUTER = "from .jit import kernel\nfrom .inner import inner\n\n@kernel\ndef outer(x):\n    return inner(x) * 10\n"


def make_toy(home: Path) -> Path:
    """A package with our jit.py and a kernel that calls a kernel of another file."""
    folder = home / "toy"
    folder.mkdir()
    for name in ("jit.py", "version.py"):
        shutil.copy(PACKAGE / name, folder)
    for name in ("kernels", "files"):
        shutil.copytree(PACKAGE / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "__init__.py").write_text("")
    (folder / "inner.py").write_text(INNER)
    (folder / "outer.py").write_text(OUTER)
    return home


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """The toy, with nothing compiled."""
    return make_toy(tmp_path)


@pytest.fixture(scope="module")
def once_compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy that others are copies of: compiling is what takes time."""
    home = make_toy(tmp_path_factory.mktemp("compiled"))
    assert run(home, home / "cache") == (210, 0)
    return home


@pytest.fixture
def compiled(tmp_path: Path, once_compiled: Path) -> Path:
    """The toy after its kernels were compiled into the folder `cache` beside it."""
    return Path(shutil.copytree(once_compiled, tmp_path / "compiled"))


def python(toy: Path, text: str, *arguments: object, **environment: str) -> str:
    """What a script prints, in a new process that finds the toy."""
    command = [sys.executable, "-c", textwrap.dedent(text), *map(str, arguments)]
    env = {**os.environ, "NAVMESH_SHIPPED_KERNELS": "1", **environment}
    return subprocess.run(command, cwd=toy, env=env, capture_output=True, text=True, check=True).stdout


def run(toy: Path, cache: object) -> tuple[int, int]:
    """The kernel's result and how often it came from the cache, in a new process."""
    value, hits = python(toy, PROBE, cache or "").split()
    return int(value), int(hits)


def stored(toy: Path) -> list[Path]:
    return sorted((toy / "cache").rglob("*.kernel"))


def test_the_second_process_loads_what_the_first_compiled(toy: Path) -> None:
    assert run(toy, toy / "cache") == (210, 0)
    assert run(toy, toy / "cache") == (210, 1)


def test_it_is_loaded_from_another_place_and_under_another_name(toy: Path, tmp_path: Path) -> None:
    assert run(toy, toy / "cache") == (210, 0)
    elsewhere = tmp_path / "elsewhere/bl_ext"
    elsewhere.mkdir(parents=True)
    (elsewhere / "__init__.py").write_text("")
    (toy / "toy").rename(elsewhere / "renamed")
    for file in (elsewhere / "renamed").rglob("*.py"):
        os.utime(file, (0, 0))
    renamed = PROBE.replace("toy.", "bl_ext.renamed.")
    assert python(elsewhere.parent, renamed, toy / "cache").split() == ["210", "1"]


def test_bundles_and_arrays_come_back_as_what_they_are_called_here(toy: Path) -> None:
    """Numba would look for a bundle's class in the module that it was in when the kernel was compiled."""
    (toy / "toy" / "bundles.py").write_text(
        "from typing import NamedTuple\nimport numpy as np\nfrom .jit import kernel\n\n"
        "class Inner(NamedTuple):\n    a: np.ndarray\n    b: np.ndarray\n\n"
        "class Outer(NamedTuple):\n    inner: Inner\n    count: int\n\n"
        "@kernel\ndef part(n):\n    return Inner(np.arange(n), np.ones(n, np.int64))\n\n"
        "@kernel\ndef whole(n):\n    return Outer(part(n), n), np.zeros((n, 2), np.float32)\n"
    )
    text = """
        import sys
        from pathlib import Path
        from toy.kernels.kept_kernels import keep_kernels_in, kernel_counts
        from toy.bundles import Inner, Outer, part, whole
        keep_kernels_in(Path(sys.argv[1]))
        outer, zeros = whole(3)
        assert type(outer) is Outer and type(outer.inner) is Inner and outer.inner.a.tolist() == [0, 1, 2]
        assert zeros.dtype == "float32" and zeros.shape == (3, 2)
        assert type(part(2)) is Inner
        print(*kernel_counts()[:2])
    """
    assert python(toy, text, toy / "cache") == "2 0\n"
    assert python(toy, text, toy / "cache") == "0 2\n"
    (toy / "toy").rename(toy / "renamed")
    assert python(toy, text.replace("toy.", "renamed."), toy / "cache") == "0 2\n"


def test_an_edit_in_the_file_of_a_callee_is_seen(compiled: Path) -> None:
    (compiled / "toy" / "inner.py").write_text(INNER.replace("x + 1", "x + 100"))
    assert run(compiled, compiled / "cache") == (1200, 0)


def test_an_entry_under_a_wrong_name_never_runs(compiled: Path) -> None:
    """As when somebody copies files about: what an entry was made for stands in it."""
    old = {file.name: file.read_bytes() for file in stored(compiled)}
    (compiled / "toy" / "inner.py").write_text(INNER.replace("x + 1", "x + 100"))
    run(compiled, compiled / "cache")
    for file in stored(compiled):
        for data in old.values():
            file.write_bytes(data)
            assert run(compiled, compiled / "cache")[0] == 1200


@pytest.mark.parametrize("damage", ["truncated", "empty", "flipped", "foreign", "a folder"])
def test_damaged_entries_are_replaced(compiled: Path, damage: str) -> None:
    for file in stored(compiled):
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        changed = {"truncated": data[: len(data) // 2], "empty": b"", "flipped": data, "foreign": b"PK\3\4" * 99}
        if damage == "a folder":
            file.unlink()
            file.mkdir()
        else:
            file.write_bytes(changed[damage])
    assert run(compiled, compiled / "cache") == (210, 0)
    if damage != "a folder":  # nothing takes its place, and nothing fails for it
        assert run(compiled, compiled / "cache") == (210, 1)


def test_eight_cold_processes_at_once(toy: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert {value for value, _ in pool.map(lambda _: run(toy, toy / "cache"), range(8))} == {210}
    assert run(toy, toy / "cache") == (210, 1)
    assert len(stored(toy)) == len(list((toy / "cache").rglob("*.*"))), "something was left behind"


@pytest.mark.parametrize(
    "setting", [{"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}, {"NUMBA_BOUNDSCHECK": "1"}, {"NUMBA_OPT": "1"}]
)
def test_another_processor_or_other_flags_compile_anew(compiled: Path, setting: dict[str, str]) -> None:
    assert python(compiled, PROBE, compiled / "cache", **setting).split() == ["210", "0"]
    assert python(compiled, PROBE, compiled / "cache", **setting).split() == ["210", "1"]


@pytest.mark.parametrize("version", ["0.61.0", "0.99.0"])
def test_an_unknown_numba_compiles_in_its_own_way(compiled: Path, version: str) -> None:
    pretend = f"import numba; numba.__version__ = '{version}'\n" + textwrap.dedent(PROBE)
    reason = "from toy.kernels.kernel_store import STORE; print(STORE.why_not_shipped)"
    value, hits, *why = python(compiled, pretend + reason, compiled / "cache").split()
    assert (value, hits) == ("210", "0")
    assert version in why


@pytest.mark.parametrize(
    "broken",
    [
        "funcdesc; funcdesc.FunctionDescriptor.__slots__ += ('new',)",
        "compiler; compiler.CompileResult._find_referenced_environments = None",
        "compiler; f = compiler.compile_extra; compiler.compile_extra = lambda *a, flags, args, return_type, locals, "
        "pipeline_class: f(*a, flags=flags, args=args, return_type=return_type, locals=locals)",  # knows no library
        "codegen; codegen.JITCodeLibrary._set_compiled_object = None",
        "registry; del registry.CPUDispatcher",
    ],
)
def test_changed_insides_of_numba_compile_all_the_same(compiled: Path, broken: str) -> None:
    """Loading and storing rest on private parts of Numba."""
    text = f"from numba.core import {broken}\n" + textwrap.dedent(PROBE)
    for cache in (compiled / "cache", compiled / "new", compiled / "new"):  # loading; storing; loading what was stored
        assert python(compiled, text, cache).split()[0] == "210"


@needs_posix
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722])
def test_a_folder_that_others_can_write_to_is_not_used(toy: Path, mode: int) -> None:
    cache = toy / "cache"
    cache.mkdir()
    cache.chmod(mode)
    assert run(toy, cache) == (210, 0)
    assert list(cache.iterdir()) == []


@needs_posix
def test_nor_is_one_that_others_could_replace(toy: Path) -> None:
    (toy / "open").mkdir()
    (toy / "open").chmod(0o777)
    assert run(toy, toy / "open/cache") == (210, 0)
    assert list((toy / "open/cache").iterdir()) == []
    (toy / "open").chmod(0o1777)  # sticky, as /tmp is
    assert run(toy, toy / "open/cache") == (210, 0)
    assert run(toy, toy / "open/cache") == (210, 1)


@needs_posix
def test_nor_is_a_link_to_elsewhere(toy: Path) -> None:
    (toy / "elsewhere").mkdir(mode=0o700)
    (toy / "cache").symlink_to(toy / "elsewhere")
    assert run(toy, toy / "cache") == (210, 0)
    assert list((toy / "elsewhere").iterdir()) == []


def test_a_file_in_the_way_or_no_folder_means_no_cache(toy: Path) -> None:
    (toy / "cache").write_text("in the way")
    assert run(toy, toy / "cache") == (210, 0)
    assert run(toy, None) == (210, 0)


@needs_posix
def test_a_new_folder_is_private(toy: Path) -> None:
    run(toy, toy / "deep" / "cache")
    assert (toy / "deep" / "cache").stat().st_mode & 0o777 == 0o700
    assert len(list((toy / "deep" / "cache").iterdir())) == 3  # one per source file, and locks
    files = [file for file in (toy / "deep").rglob("*") if file.is_file()]
    assert files and all(file.stat().st_mode & 0o077 == 0 for file in files)


@needs_posix
def test_kernels_nobody_used_for_a_month_are_thrown_away(toy: Path) -> None:
    old = toy / "cache" / "0123456789abcdef"
    old.mkdir(parents=True)
    (toy / "cache").chmod(0o700)
    os.utime(old, (0, 0))
    run(toy, toy / "cache")
    assert not old.exists()


def test_a_part_becomes_a_kernel_when_python_calls_it(toy: Path) -> None:
    """Parts have no way in for Python: calling one must compile that, not crash, in whatever order."""
    text = """
        from toy.kernels.kept_kernels import keep_kernels_in, kernel_counts
        from pathlib import Path
        import sys
        keep_kernels_in(Path(sys.argv[1]))
        from toy.outer import outer, inner
        before = [] if sys.argv[2] == "after" else [inner(1)]
        print(*before, outer(20), inner(1), inner(2), outer(1.0), inner(0.5), kernel_counts().compiled)
    """
    for _ in range(2):
        counts = {}
        for order in ("after", "before"):
            *values, counts[order] = python(toy, text, toy / "cache", order).split()
            assert values == ["2"] * (order == "before") + ["210", "2", "3", "20.0", "1.5"]
    assert counts == {"after": "0", "before": "0"}


def test_a_kernel_compiled_here_calls_kernels_that_were_loaded(compiled: Path) -> None:
    """Its code has to be linked with theirs, of which at first only the machine code was looked at."""
    (compiled / "toy" / "third.py").write_text(
        "from .jit import kernel\nfrom .outer import outer\n\n@kernel\ndef third(x):\n    return outer(x) + 5\n"
    )
    text = textwrap.dedent(PROBE) + "from toy.third import third; print(third(20))"
    assert python(compiled, text, compiled / "cache").split() == ["210", "1", "215"]


def test_what_was_compiled_for_python_need_not_be_compiled_for_kernels(compiled: Path) -> None:
    """Also where Python has not called it in this process."""
    (compiled / "toy" / "third.py").write_text(
        "from .jit import kernel\nfrom .outer import outer\n\n@kernel\ndef third(x):\n    return outer(x) + 5\n"
    )
    text = """
        import sys
        from pathlib import Path
        from toy.kernels.kept_kernels import keep_kernels_in
        from toy.kernels.kernel_store import STORE
        keep_kernels_in(Path(sys.argv[1]))
        saved, save = [], STORE.save
        STORE.save = lambda kernel, entry: (saved.append(kernel.name.split(" (")[0]), save(kernel, entry))
        from toy.third import third
        value = third(20)
        from toy.outer import outer
        print(value, outer(20), *saved, sep=",")
    """
    assert python(compiled, text, compiled / "cache").strip() == "215,210,kernel third.py:4 third"


def test_how_kernels_are_kept_decides_nothing_of_what_they_are(compiled: Path) -> None:
    store = compiled / "toy/kernels/kernel_store.py"
    store.write_text(store.read_text() + "# edited\n")
    assert run(compiled, compiled / "cache") == (210, 1)
    dispatcher = compiled / "toy/kernels/dispatcher.py"
    dispatcher.write_text(dispatcher.read_text() + "# edited\n")
    assert run(compiled, compiled / "cache") == (210, 0)


def test_the_search_for_imports_finds_what_python_imports() -> None:
    """It reads text, not syntax: compared with the syntax of every file there is."""

    def imported(file: Path) -> set[Path]:
        bases = set()
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
                bases |= {base, *(base / name.name for name in node.names)}
        found = {base.with_suffix(".py") for base in bases} | {base / "__init__.py" for base in bases}
        return {file for file in found if file.is_file()}

    files = sorted(PACKAGE.rglob("*.py"))
    assert len(files) > 50
    for file in files:
        missed = imported(file) - {PACKAGE / name for name in sources._imported_names(sources.name_of(file))}
        assert not missed, file
