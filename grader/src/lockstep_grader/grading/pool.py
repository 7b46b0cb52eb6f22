# SPDX-License-Identifier: MIT
"""Runs jobs on this machine's cores."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from queue import SimpleQueue
from typing import Protocol

from lockstep_grader.grading.equal_sources import EqualSources, Turn
from lockstep_grader.intake.submission import Source
from lockstep_grader.machine.interrupts import interruption
from lockstep_grader.machine.process import Processes
from lockstep_grader.machine.progress import Stage
from lockstep_grader.model.errors import FaultError, InterruptedRunError
from lockstep_grader.model.grades import Backend, Finding, Judgement
from lockstep_grader.model.score import fault_of
from lockstep_grader.request.job import Job
from lockstep_grader.request.key import Keys
from lockstep_grader.results.store import ResultId


class Shelf(Protocol):
    """Where judgements are kept: the results folder, or what a node of a cluster hands back."""

    def find(self, result: ResultId, key: str) -> Judgement | None: ...

    def settle(
        self, result: ResultId, key: str, source: Source | Finding, judgement: Judgement
    ) -> Judgement: ...


class SharingShelf(Shelf, Protocol):
    """One that can give a result the judgement of an equal file."""

    def share(
        self, judged: ResultId, result: ResultId, key: str, source: Source
    ) -> Judgement | None: ...


class Judge(Protocol):
    """What makes a judgement of a job, such as a RungJudge."""

    @property
    def backend(self) -> Backend: ...

    @property
    def keys(self) -> Keys: ...

    def judge(self, job: Job, source: Source | Finding) -> Judgement: ...


@dataclass(frozen=True, slots=True)
class Ended:
    """What came of one turn: the jobs that have a judgement now, and those to judge after all."""

    judged: Sequence[tuple[Job, Judgement]] = ()
    left: Sequence[Job] = ()


def result_id(job: Job) -> ResultId:
    return ResultId(job.submission, job.lab.id, job.rung.id)


def judge_all(
    jobs: Sequence[Job],
    judge: Judge,
    processes: Processes,
    *,
    max_workers: int,
    progress: Stage,
    store: Shelf | None = None,
) -> Mapping[ResultId, Judgement]:
    """A judgement for every job; see `judge_each`."""
    judged = judge_each(
        jobs, judge, processes, max_workers=max_workers, progress=progress, store=store
    )
    return {result_id(job): judgement for job, judgement in judged}


def judge_each(
    jobs: Sequence[Job],
    judge: Judge,
    processes: Processes,
    *,
    max_workers: int,
    progress: Stage,
    store: Shelf | None = None,
) -> Iterator[tuple[Job, Judgement]]:
    """Each job with its judgement, as they come; those that `store` holds are not made again."""
    one = partial(_alone, judge=judge, store=store)
    yield from _in_threads(jobs, one, processes, max_workers, progress)


def judge_class(
    jobs: Sequence[Job],
    judge: Judge,
    processes: Processes,
    *,
    max_workers: int,
    progress: Stage,
    store: SharingShelf,
) -> Iterator[tuple[Job, Judgement]]:
    """As `judge_each`; but equal files of several submissions are judged once."""
    one = partial(_among_equals, judge=judge, store=store, equal=EqualSources())
    yield from _in_threads(jobs, one, processes, max_workers, progress)


def _in_threads(
    jobs: Sequence[Job],
    one: Callable[[Job], Ended],
    processes: Processes,
    max_workers: int,
    progress: Stage,
) -> Iterator[tuple[Job, Judgement]]:
    """Threads suffice: each spends its time waiting for a compiler or a judge.

    When one of them fails, every child is ended first; results that were finished are stored.
    Raises InterruptedRunError on Ctrl-C, with the number of jobs done.
    """
    ended: SimpleQueue[Future[Ended] | None] = SimpleQueue()  # None: interrupted
    done = 0
    progress.advance(0, len(jobs))
    # A KeyboardInterrupt in the pool's own code would leave a lock of it held, and a worker
    # waiting for that lock for ever.
    with interruption.calling(partial(ended.put, None)):
        pool = ThreadPoolExecutor(max_workers, thread_name_prefix="judge")
        try:
            futures = {pool.submit(one, job) for job in jobs}
            for future in futures:
                future.add_done_callback(ended.put)
            while futures and (ready := ended.get()):
                futures.remove(ready)
                for job in ready.result().left:
                    futures.add(again := pool.submit(one, job))
                    again.add_done_callback(ended.put)
                for job, judgement in ready.result().judged:
                    done += 1
                    progress.advance(
                        done, len(jobs), f"{job.submission} {job.lab.id}/{job.rung.id}"
                    )
                    yield job, judgement
            if futures:
                processes.cancel()
        except BaseException:
            processes.cancel()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
        if futures:
            raise InterruptedRunError(f"interrupted after {done} of {len(jobs)} rungs")


def _alone(job: Job, judge: Judge, store: Shelf | None) -> Ended:
    """The judgement of one job: the one that `store` holds, or a new one, which it is given."""
    try:
        source = job.read()
    except FaultError as error:
        return Ended([(job, Judgement(fault=str(error)))])
    if store is None:
        return Ended([(job, judge.judge(job, source))])
    key = judge.keys.of(job, source)
    if found := store.find(result_id(job), key):
        return Ended([(job, found)])
    judgement = _judged(job, source, judge)
    return Ended([(job, store.settle(result_id(job), key, source, judgement))])


def _among_equals(job: Job, judge: Judge, store: SharingShelf, equal: EqualSources) -> Ended:
    """As `_alone`; with the judgement go those of the equal files that waited for it."""
    try:
        source = job.read()
    except FaultError as error:
        return Ended([(job, Judgement(fault=str(error)))])
    key, result = judge.keys.of(job, source), result_id(job)
    if found := store.find(result, key):
        return Ended([(job, found)])
    if isinstance(source, Finding):  # nothing is run, and it may name the student's own files
        return Ended([(job, store.settle(result, key, source, _judged(job, source, judge)))])
    turn = equal.turn(key, result, job)
    if turn is Turn.WAIT:
        return Ended()
    if turn is Turn.TAKE and (shared := store.share(equal.judged(key), result, key, source)):
        return Ended([(job, shared)])
    judgement = _judged(job, source, judge)
    settled = store.settle(result, key, source, judgement)
    waited = equal.end(key, result, failed=bool(judgement.fault))
    if judgement.fault:  # the machine may work again, so each is judged by itself
        return Ended([(job, settled)], [_read_already(other, source) for other in waited])
    shared_by = {other: store.share(result, result_id(other), key, source) for other in waited}
    return Ended(
        [(job, settled), *((other, one) for other, one in shared_by.items() if one)],
        [_read_already(other, source) for other, one in shared_by.items() if one is None],
    )


def _read_already(job: Job, source: Source) -> Job:
    """`job`, whose source was found to be equal to `source`."""
    return replace(job, read=lambda: source)


def _judged(job: Job, source: Source | Finding, judge: Judge) -> Judgement:
    judgement = judge.judge(job, source)
    if fault := fault_of(job.rung, judgement, judge.backend):
        return replace(judgement, fault=fault)
    return judgement
