# SPDX-License-Identifier: MIT
"""Runs jobs on this machine's cores."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Protocol

from lockstep_grader.errors import InterruptedRunError
from lockstep_grader.model import Judgement
from lockstep_grader.process import Processes
from lockstep_grader.progress import Stage
from lockstep_grader.rung_judge import Job, RungJudge
from lockstep_grader.store import ResultId


class Shelf(Protocol):
    """Where finished judgements lie: the results folder, or what a node hands back."""

    def find(self, result: ResultId, key: str) -> Judgement | None: ...

    def keep(self, result: ResultId, key: str, judgement: Judgement) -> None: ...


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
    done = 0

    def work(job: Job) -> Judgement:
        source = job.read()
        if store is None:
            return judge.judge(job, source)
        key = judge.key(job, source)
        judgement = store.find(result_id(job), key)
        if judgement is None:
            judgement = judge.judge(job, source)
            store.keep(result_id(job), key, judgement)
        return judgement

    progress.advance(0, len(jobs))
    pool = ThreadPoolExecutor(max_workers, thread_name_prefix="judge")
    try:
        futures = {pool.submit(work, job): job for job in jobs}
        for future in as_completed(futures):
            job = futures.pop(future)
            judgement = future.result()
            done += 1
            progress.advance(done, len(jobs), f"{job.submission} {job.lab.id}/{job.rung.id}")
            yield job, judgement
    except (KeyboardInterrupt, InterruptedRunError) as stop:
        processes.cancel()
        raise InterruptedRunError(f"interrupted after {done} of {len(jobs)} rungs") from stop
    except BaseException:
        processes.cancel()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
