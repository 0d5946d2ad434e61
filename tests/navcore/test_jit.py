"""Where compiled kernels are kept: private, keyed by source, never fatal."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "navcore"
needs_posix = pytest.mark.skipif(os.name != "posix", reason="POSIX permissions and HOME are what is tested")
PROBE = """
    from toy.jit import keep_kernels_in
    from pathlib import Path
    import sys
    keep_kernels_in(Path(sys.argv[1]) if sys.argv[1] else None)
    from toy.outer import outer
    print(outer(20), sum(outer.stats.cache_hits.values()))
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """A package with our jit.py and a kernel that calls a kernel of another file."""
    folder = tmp_path / "toy"
    folder.mkdir()
    for name in ("jit.py", "llvm_clash.py"):
        shutil.copy(PACKAGE / name, folder)
    (folder / "__init__.py").write_text("")
    (folder / "inner.py").write_text("from .jit import kernel\n\n@kernel\ndef inner(x):\n    return x + 1\n")
    (folder / "outer.py").write_text(
        "from .jit import kernel\nfrom .inner import inner\n\n@kernel\ndef outer(x):\n    return inner(x) * 10\n"
    )
    return tmp_path


def run(toy: Path, cache: object) -> tuple[int, int]:
    """The kernel's result and how often it came from the cache, in a new process."""
    probe = [sys.executable, "-c", textwrap.dedent(PROBE), str(cache or "")]
    done = subprocess.run(probe, cwd=toy, capture_output=True, text=True, check=True)
    value, hits = done.stdout.split()
    return int(value), int(hits)


def test_the_second_process_loads_what_the_first_compiled(toy: Path) -> None:
    assert run(toy, toy / "cache") == (210, 0)
    assert run(toy, toy / "cache") == (210, 1)


def test_an_edit_in_the_file_of_a_callee_is_seen(toy: Path) -> None:
    run(toy, toy / "cache")
    (toy / "toy" / "inner.py").write_text("from .jit import kernel\n\n@kernel\ndef inner(x):\n    return x + 100\n")
    assert run(toy, toy / "cache") == (1200, 0)


def test_damaged_entries_are_replaced(toy: Path) -> None:
    run(toy, toy / "cache")
    for file in (toy / "cache").rglob("*.nb?"):
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert run(toy, toy / "cache") == (210, 0)
    assert run(toy, toy / "cache") == (210, 1)


@needs_posix
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722])
def test_a_folder_that_others_can_write_to_is_not_used(toy: Path, mode: int) -> None:
    cache = toy / "cache"
    cache.mkdir()
    cache.chmod(mode)
    assert run(toy, cache) == (210, 0)
    assert list(cache.iterdir()) == []


def test_a_file_in_the_way_or_no_folder_means_no_cache(toy: Path) -> None:
    (toy / "cache").write_text("in the way")
    assert run(toy, toy / "cache") == (210, 0)
    assert run(toy, None) == (210, 0)


@needs_posix
def test_a_new_folder_is_private(toy: Path) -> None:
    run(toy, toy / "deep" / "cache")
    assert (toy / "deep" / "cache").stat().st_mode & 0o777 == 0o700
    assert len(list((toy / "deep" / "cache").iterdir())) == 2  # one per source file


@needs_posix
def test_kernels_nobody_used_for_a_month_are_thrown_away(toy: Path) -> None:
    old = toy / "cache" / "0123456789abcdef"
    old.mkdir(parents=True)
    (toy / "cache").chmod(0o700)
    os.utime(old, (0, 0))
    run(toy, toy / "cache")
    assert not old.exists()
