"""The worker pool: order of results, bands, cancelling."""

from __future__ import annotations

import _thread
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from navcore import threads
from navcore.errors import BadInput, Cancelled
from navcore.progress import Progress
from navcore.threads import Share, Workers
from navcore.turns import in_turns


@pytest.mark.parametrize("count", [1, 2, 3, 8])
@pytest.mark.parametrize("jobs", [0, 1, 2, 7, 50])
def test_results_come_in_the_order_of_the_jobs(count: int, jobs: int) -> None:
    def slow_for_early_jobs(i: int) -> int:
        time.sleep(0.0005 * (jobs - i) / max(jobs, 1))
        return i * i

    with Workers(count) as workers:
        assert workers.run(slow_for_early_jobs, [(i,) for i in range(jobs)]) == [i * i for i in range(jobs)]


def test_jobs_run_on_several_threads_at_once() -> None:
    meeting = threading.Barrier(3, timeout=60)
    with Workers(3) as workers:
        workers.run(lambda _: meeting.wait(), [(i,) for i in range(3)])


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize(
    ("length", "least", "most"), [(0, 1, None), (1, 1, None), (10, 4, None), (1000, 1, 7), (1000, 600, None), (3, 1, 1)]
)
def test_bands_cover_the_range_once(count: int, length: int, least: int, most: int | None) -> None:
    with Workers(count) as workers:
        bands = workers.bands(length, least, most)
    assert [i for begin, end in bands for i in range(begin, end)] == list(range(length))
    if most is not None:
        assert all(end - begin <= most for begin, end in bands)
    elif length >= least:
        assert all(end - begin >= least for begin, end in bands)


def test_an_exception_of_a_job_reaches_the_caller() -> None:
    def fail(i: int) -> int:
        if i == 3:
            raise ValueError("job 3")
        return i

    with Workers(2) as workers, pytest.raises(ValueError, match="job 3"):
        workers.run(fail, [(i,) for i in range(5)])


@pytest.mark.parametrize("count", [1, 2])
def test_cancelling_stops_between_jobs(count: int) -> None:
    progress = Progress()
    done = []

    def work(i: int) -> None:
        done.append(i)
        if len(done) == 3:
            progress.cancel()

    with Workers(count, progress) as workers, pytest.raises(Cancelled):
        workers.run(work, [(i,) for i in range(100)])
    assert len(done) <= 3 + count


def test_helpers_stay_for_the_next_call_and_end_when_nobody_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "IDLE_SECONDS", 0.05)
    seen: list[set[int]] = []
    for _ in range(2):
        meeting, idents = threading.Barrier(3, timeout=60), set[int]()

        def meet(_: int, meeting: threading.Barrier = meeting, idents: set[int] = idents) -> None:
            meeting.wait()
            idents.add(threading.get_ident())

        with Workers(3) as workers:
            workers.run(meet, [(i,) for i in range(3)])
        seen.append(idents)
    assert seen[0] == seen[1]
    assert len(seen[0]) == 3
    until = time.monotonic() + 60
    while threads._idle and time.monotonic() < until:
        time.sleep(0.01)
    assert not threads._idle


def test_nothing_of_a_build_is_kept_by_helpers_that_wait() -> None:
    class Big:
        pass

    big, meeting = Big(), threading.Barrier(2, timeout=60)
    kept = weakref.ref(big)
    with Workers(2) as workers:
        workers.run(lambda _, __: meeting.wait(), [(i, big) for i in range(2)])
    del big
    until = time.monotonic() + 60
    while kept() is not None and time.monotonic() < until:  # a helper lets go right after its end is told
        time.sleep(0.001)
    assert kept() is None


def test_a_helper_that_never_comes_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Share] = []

    def hand_over(share: Share) -> bool:
        given.append(share)
        return True

    monkeypatch.setattr(threads, "handed_over", hand_over)
    with Workers(4) as workers:
        assert workers.run(lambda i: -i, [(i,) for i in range(9)]) == [-i for i in range(9)]
    assert len(given) == 3
    given[0].begin()  # far too late: it has been taken back
    assert given[0].failure is None


def test_where_no_thread_can_be_had_the_caller_does_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threads, "_idle", [])
    monkeypatch.setattr(_thread, "start_new_thread", refuse)
    with Workers(3) as workers:
        assert workers.run(lambda i: i, [(i,) for i in range(9)]) == list(range(9))
    assert list(in_turns(lambda i: i, range(40), 3)) == list(range(40))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_has_helpers_of_its_own() -> None:
    program = """
import os, threading
from navcore.threads import Workers
def run():
    meeting = threading.Barrier(2, timeout=60)
    with Workers(2) as workers:
        workers.run(lambda _: meeting.wait(), [(0,), (1,)])
run()
child = os.fork()
if child == 0:
    run()
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "7"


def test_calls_from_many_threads_at_once_do_not_get_in_each_others_way() -> None:
    def squares(first: int) -> list[int]:
        with Workers(3) as workers:
            return [x for _ in range(50) for x in workers.run(lambda i: i * i, [(first + i,) for i in range(7)])]

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(squares, range(12)))
    assert found == [[(first + i) ** 2 for i in range(7)] * 50 for first in range(12)]


@pytest.mark.parametrize("threads_", [1, 2, 5])
@pytest.mark.parametrize("jobs", [0, 1, 2, 60])
def test_turns_come_in_the_order_of_the_jobs(threads_: int, jobs: int) -> None:
    def slow_for_some(i: int) -> int:
        time.sleep(0.002 if i % 7 == 0 else 0)
        return 3 * i

    assert list(in_turns(slow_for_some, iter(range(jobs)), threads_)) == [3 * i for i in range(jobs)]


def test_turns_are_made_a_few_ahead_and_on_the_calling_thread() -> None:
    made, here = [], threading.get_ident()

    def jobs() -> Iterator[int]:
        for i in range(500):
            assert threading.get_ident() == here
            made.append(i)
            yield i

    results = in_turns(lambda i: i, jobs(), 3)
    for i in range(100):
        assert next(results) == i
        assert len(made) <= i + 1 + 12
    results.close()


def test_turns_are_taken_on_several_threads_and_all_end_where_one_fails() -> None:
    at_work, most, lock = 0, 0, threading.Lock()

    def work(i: int) -> int:
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
        time.sleep(0.002)
        with lock:
            at_work -= 1
        if i == 20:
            raise ValueError("job 20")
        return i

    got: list[int] = []
    with pytest.raises(ValueError, match="job 20"):
        got.extend(in_turns(work, range(200), 3))
    assert got == list(range(20))
    assert at_work == 0
    assert most > 1


@pytest.mark.parametrize("count", [0, -1])
def test_fewer_than_one_thread_is_refused(count: int) -> None:
    with pytest.raises(BadInput, match="at least 1 thread"):
        Workers(count)
