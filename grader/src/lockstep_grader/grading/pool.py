# SPDX-License-Identifier: MIT
"""Runs jobs on this machine's cores. Of a class's equal files one is judged, and all get the same.

A class has many: untouched starters, and files that students share. To judge each of them
costs time, and under a secret seed equal files could get different verdicts.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from queue import SimpleQueue
from typing import NamedTuple, Protocol

from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.session import Session
from lockstep_grader.machine.process import interruption
from lockstep_grader.machine.progress import Stage
from lockstep_grader.model.errors import FaultError, InterruptedRunError
from lockstep_grader.model.grades import Backend, Finding, Judgement
from lockstep_grader.model.score import fault_of
from lockstep_grader.request.job import Job
from lockstep_grader.request.key import Keys
from lockstep_grader.results.store import ResultId, Store


class Shelf(Protocol):
    """Where judgements are kept, such as the results folder."""

    def find(self, result: ResultId, key: str) -> Judgement | None: ...

    def settle(
        self, result: ResultId, key: str, source: Source | Finding, judgement: Judgement
    ) -> Judgement: ...


class Judge(Protocol):
    """What makes a judgement of a job, such as a RungJudge."""

    @property
    def backend(self) -> Backend: ...

    @property
    def keys(self) -> Keys: ...

    def judge(self, job: Job, source: Source | Finding) -> Judgement: ...


class Ended(NamedTuple):
    """What came of one turn: the jobs that have a judgement now, and those to judge after all."""

    judged: Sequence[tuple[Job, Judgement]] = ()
    left: Sequence[Job] = ()


class ToJudge(NamedTuple):
    """A job that has no judgement yet, and its source."""

    job: Job
    source: Source | Finding
    key: str


class EqualFiles:
    """The jobs of a class, of which equal ones are judged once; safe to use from several threads.

    Equal are those with one key (key.Keys).
    """

    def __init__(self, keys: Keys, store: Store) -> None:
        self._keys, self._store = keys, store
        self._waiting: dict[str, list[Job]] = {}  # by key, while the first job is judged
        self._first: dict[str, ResultId | None] = {}  # the first job's result; None: not to share
        self._lock = threading.Lock()

    def begin(self, job: Job) -> ToJudge | Ended:
        """`job` if it has to be judged. Else nothing: `end` of another returns it."""
        begun = _begun(job, self._keys, self._store)
        if isinstance(begun, Ended) or isinstance(begun.source, Finding):
            return begun  # nothing of a finding is run, and it may name the student's own files
        with self._lock:
            if begun.key in self._waiting:
                self._waiting[begun.key].append(job)
                return Ended()
            if begun.key not in self._first:
                self._waiting[begun.key] = []
        if shared := self._shared(job, begun):
            return Ended([(job, shared)])
        return begun

    def end(self, begun: ToJudge, judgement: Judgement) -> Ended:
        """The jobs that have `judgement`; after a fault each is judged by itself.

        For the machine may work again.
        """
        job, source, key = begun
        settled = self._store.settle(result_id(job), key, source, judgement)
        if isinstance(source, Finding):
            return Ended([(job, settled)])
        with self._lock:
            waited = self._waiting.pop(key, [])
            self._first.setdefault(key, None if judgement.fault else result_id(job))
        shared = [(other, self._shared(other, begun)) for other in waited]
        return Ended(
            [(job, settled), *((other, one) for other, one in shared if one)],
            [replace(other, read=lambda: source) for other, one in shared if one is None],
        )

    def _shared(self, job: Job, equal: ToJudge) -> Judgement | None:
        """The judgement of an equal file, if there is one."""
        first = self._first.get(equal.key)
        if first is None or isinstance(equal.source, Finding):
            return None
        return self._store.share(first, result_id(job), equal.key, equal.source)


def result_id(job: Job) -> ResultId:
    return ResultId(job.submission, job.lab.id, job.rung.id)


def judge_all(
    jobs: Sequence[Job],
    session: Session,
    progress: Stage,
    *,
    store: Shelf | None = None,
    judge: Judge | None = None,
) -> Mapping[ResultId, Judgement]:
    """A judgement for every job, by the session's judge unless another is given.

    Those that `store` holds are not made again.
    """
    one = partial(_alone, judge=judge or session.judge, store=store)
    judged = _in_threads(jobs, one, session, progress)
    return {result_id(job): judgement for job, judgement in judged}


def judge_each(
    jobs: Sequence[Job], session: Session, progress: Stage, judge: Judge | None = None
) -> Iterator[tuple[Job, Judgement]]:
    """Each job with its judgement, as they come."""
    one = partial(_alone, judge=judge or session.judge, store=None)
    return _in_threads(jobs, one, session, progress)


def judge_class(
    jobs: Sequence[Job], session: Session, store: Store, progress: Stage
) -> Iterator[tuple[Job, Judgement]]:
    """As `judge_each`; but equal files of several submissions are judged once."""
    equal = EqualFiles(session.judge.keys, store)

    def one(job: Job) -> Ended:
        begun = equal.begin(job)
        if isinstance(begun, Ended):
            return begun
        return equal.end(begun, judged(job, begun.source, session.judge))

    return _in_threads(jobs, one, session, progress)


def _in_threads(
    jobs: Sequence[Job],
    one: Callable[[Job], Ended],
    session: Session,
    progress: Stage,
) -> Iterator[tuple[Job, Judgement]]:
    """Threads suffice: each spends its time waiting for a compiler or a judge.

    When one of them fails, every child is ended first; results that were finished are stored.
    Raises InterruptedRunError on Ctrl-C, with the number of jobs done.
    """
    ended: SimpleQueue[Future[Ended] | None] = SimpleQueue()  # None: interrupted
    done, processes = 0, session.setup.processes
    progress.advance(0, len(jobs))
    # A KeyboardInterrupt in the pool's own code would leave a lock of it held, and a worker
    # waiting for that lock for ever.
    with interruption.calling(partial(ended.put, None)):
        pool = ThreadPoolExecutor(session.jobs, thread_name_prefix="judge")
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


def _begun(job: Job, keys: Keys, store: Shelf) -> ToJudge | Ended:
    """`job`, which reads its source now, unless `store` holds the judgement."""
    try:
        source = job.read()
    except FaultError as error:
        return Ended([(job, Judgement(fault=str(error)))])
    key = keys.of(job, source)
    if found := store.find(result_id(job), key):
        return Ended([(job, found)])
    return ToJudge(job, source, key)


def _alone(job: Job, judge: Judge, store: Shelf | None) -> Ended:
    """The judgement of one job: the one that `store` holds, or a new one, which it is given."""
    if store is None:
        try:
            return Ended([(job, judge.judge(job, job.read()))])
        except FaultError as error:
            return Ended([(job, Judgement(fault=str(error)))])
    begun = _begun(job, judge.keys, store)
    if isinstance(begun, Ended):
        return begun
    judgement = judged(job, begun.source, judge)
    return Ended([(job, store.settle(result_id(job), begun.key, begun.source, judgement))])


def judged(job: Job, source: Source | Finding, judge: Judge) -> Judgement:
    """A new judgement, which is a fault where it cannot be turned into points."""
    judgement = judge.judge(job, source)
    if fault := fault_of(job.rung, judgement, judge.backend):
        return replace(judgement, fault=fault)
    return judgement
