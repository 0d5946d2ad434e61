"""Kernels as plain Python: the same result as compiled, in Python's own numbers, and only where nothing is compiled."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from navcore.jit import kernel, stands_in_for
from navcore.kernels import dispatcher
from navcore.kernels.kept_kernels import kernel_counts
from navcore.kernels.kernel_store import STORE
from navcore.kernels.plain_python import NotByPython, is_standing_in, stand_in, standing_in
from navcore.threads import Workers
from tests.navcore.kernels import every_stage

ROOT = Path(__file__).resolve().parents[3]


def by_another_process(kernels: Path) -> Any:
    """What every stage makes there, and how many kernels it compiled and loaded, and how often Python stood in."""
    command = [sys.executable, "-m", "tests.navcore.kernels.every_stage", str(kernels)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""  # no warning about numbers either
    return json.loads(done.stdout)


def test_every_stage_makes_the_same_without_the_compiler(tmp_path: Path) -> None:
    found, (compiled, loaded, by_python) = by_another_process(tmp_path)
    assert (compiled, loaded) == (0, 0) and by_python > 50
    expected = json.loads(json.dumps(every_stage.answers()))
    for name, stages in expected.items():
        for stage, answer in stages.items():
            assert found[name][stage] == answer, f"{name}: {stage}"


def test_what_is_compiled_is_used() -> None:
    every_stage.answers()  # so that it is there
    assert STORE.root is not None
    _, (compiled, loaded, by_python) = by_another_process(STORE.root)
    assert (compiled, by_python) == (0, 0) and loaded > 0


class Pair(NamedTuple):
    count: int
    length: float


@kernel
def _inner(values):
    return np.int32(values[0]) + 1


@kernel
def _pair(values):
    return Pair(_inner(values), np.float32(0.5)), values[1], True


@kernel
def _square(value):
    return np.int32(value) * np.int32(value)


@kernel
def _in_circles(number):
    return 0 if number == 0 else _around(number - 1) + 1


@kernel
def _around(number):
    return _in_circles(number)


def test_numbers_come_back_as_from_a_compiled_kernel() -> None:
    values = np.array([7, 65535], np.uint16)
    by_python, compiled = stand_in(_pair)(values), _pair(values)
    assert by_python == compiled == (Pair(8, 0.5), 65535, True)
    assert isinstance(by_python[0], Pair)
    types = [[type(part) for part in (*answer[0], *answer[1:])] for answer in (by_python, compiled)]
    assert types[0] == types[1] == [int, float, int, bool]


def test_kernels_may_call_one_another() -> None:
    assert stand_in(_in_circles)(3) == 3


def test_a_number_that_only_the_compiler_widens_is_refused() -> None:
    assert _square(70_000) == 4_900_000_000
    with pytest.raises(NotByPython, match="_square: overflow"):
        stand_in(_square)(70_000)
    assert stand_in(_square)(46_340) == 46_340**2


def test_it_ends_with_who_asked_for_it() -> None:
    before = kernel_counts().interpreted
    with standing_in(), standing_in():
        assert is_standing_in()
    assert not is_standing_in() and kernel_counts().interpreted == before
    with pytest.raises(RuntimeError, match="while"), standing_in():
        raise RuntimeError("while it runs")
    assert not is_standing_in()


def test_only_the_threads_that_help_do_the_same() -> None:
    """What goes on elsewhere may be large."""
    with standing_in(), ThreadPoolExecutor(1) as elsewhere, Workers(2) as workers:
        assert not elsewhere.submit(is_standing_in).result()
        both = threading.Barrier(2, timeout=30)
        assert workers.run(lambda: (both.wait(), is_standing_in())[1], [(), ()]) == [True, True]
    with Workers(2) as workers:
        both = threading.Barrier(2, timeout=30)
        assert workers.run(lambda: (both.wait(), is_standing_in())[1], [(), ()]) == [False, False]


def test_a_compiled_kernel_stays_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _inner(np.zeros(1, np.uint16)) == 1
    monkeypatch.setattr(dispatcher, "stand_in", lambda _: pytest.fail("it was compiled"))
    with standing_in():
        assert _inner(np.ones(1, np.uint16)) == 2


@kernel
def summed(numbers: Any) -> int:
    total = 0
    for number in numbers:
        total += number
    return total


@kernel
def doubled_sum(numbers: Any) -> int:
    return 2 * summed(numbers)


def test_what_is_beside_a_kernel_is_run_in_its_place_also_where_others_call_it() -> None:
    asked = []
    assert stand_in(doubled_sum)(np.arange(3)) == 6  # looked up before there was anything beside it

    @stands_in_for(summed)
    def by_arrays(numbers: Any) -> int:
        asked.append(len(numbers))
        return int(numbers.sum())

    assert by_arrays(np.arange(2)) == 1
    numbers = np.arange(5)
    assert stand_in(doubled_sum)(numbers) == 20 and stand_in(summed)(numbers) == 10 and asked == [2, 5, 5]
