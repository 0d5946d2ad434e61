"""The worker pool: order of results, bands, cancelling."""

from __future__ import annotations

import threading
import time

import pytest

from navcore.errors import BadInput, Cancelled
from navcore.progress import Progress
from navcore.threads import Workers


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


def test_no_thread_is_left_behind() -> None:
    before = threading.active_count()
    with Workers(4) as workers:
        workers.run(lambda i: i, [(i,) for i in range(20)])
    assert threading.active_count() == before


@pytest.mark.parametrize("count", [0, -1])
def test_fewer_than_one_thread_is_refused(count: int) -> None:
    with pytest.raises(BadInput, match="at least 1 thread"):
        Workers(count)
