# SPDX-License-Identifier: MIT
"""Runs jobs on this machine's cores."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from queue import SimpleQueue
from typing import Protocol

from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.job import Job
from lockstep_grader.judging.rung_judge import RungJudge
from lockstep_grader.machine.interrupts import interruption
from lockstep_grader.machine.process import Processes
from lockstep_grader.machine.progress import Stage
from lockstep_grader.model.errors import FaultError, InterruptedRunError
from lockstep_grader.model.grades import Finding, Judgement
from lockstep_grader.model.score import fault_of
from lockstep_grader.results.store import ResultId


class Shelf(Protocol):
    """Where judgements are kept: the results folder, or what a node of a cluster hands back."""

    def find(self, result: ResultId, key: str) -> Judgement | None: ...

    def settle(
        self, result: ResultId, key: str, source: Source | Finding, judgement: Judgement
    ) -> Judgement: ...


def result_id(job: Job) -> ResultId:
    return ResultId(job.submission, job.lab.id, job.rung.id)


def judge_all(
    jobs: Sequence[Job],
    judge: RungJudge,
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
    judge: RungJudge,
    processes: Processes,
    *,
    max_workers: int,
    progress: Stage,
    store: Shelf | None = None,
) -> Iterator[tuple[Job, Judgement]]:
    """Each job with its judgement, as they come; those that `store` holds are not made again.

    Threads suffice: each spends its time waiting for a compiler or a judge. When one of them
    fails, every child is ended first; results that were finished are stored. Raises
    InterruptedRunError on Ctrl-C, with the number of jobs done.
    """
    ended: SimpleQueue[Future[Judgement] | None] = SimpleQueue()  # None: interrupted
    done = 0
    progress.advance(0, len(jobs))
    # A KeyboardInterrupt in the pool's own code would leave a lock of it held, and a worker
    # waiting for that lock for ever.
    with interruption.told(partial(ended.put, None)):
        pool = ThreadPoolExecutor(max_workers, thread_name_prefix="judge")
        try:
            futures = {pool.submit(judge_one, job, judge, store): job for job in jobs}
            for future in futures:
                future.add_done_callback(ended.put)
            while futures and (ready := ended.get()):
                job = futures.pop(ready)
                done += 1
                progress.advance(done, len(jobs), f"{job.submission} {job.lab.id}/{job.rung.id}")
                yield job, ready.result()
            if futures:
                processes.cancel()
        except BaseException:
            processes.cancel()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
        if futures:
            raise InterruptedRunError(f"interrupted after {done} of {len(jobs)} rungs")


def judge_one(job: Job, judge: RungJudge, store: Shelf | None) -> Judgement:
    """The judgement of one job: the one that `store` holds, or a new one, which it is given."""
    try:
        source = job.read()
    except FaultError as error:
        return Judgement(fault=str(error))
    if store is None:
        return judge.judge(job, source)
    key = judge.keys.of(job, source)
    if found := store.find(result_id(job), key):
        return found
    judgement = judge.judge(job, source)
    if fault := fault_of(job.rung, judgement, judge.backend):
        judgement = replace(judgement, fault=fault)
    return store.settle(result_id(job), key, source, judgement)
