# SPDX-License-Identifier: MIT
"""One run of the grader on a cluster: what is judged, what waits, what is on its way."""

import time
from collections.abc import Iterator, Sequence

from lockstep_grader.grading.pool import result_id
from lockstep_grader.grading.slurm.batches import Submitter
from lockstep_grader.grading.slurm.cluster import Cluster
from lockstep_grader.grading.slurm.options import SlurmOptions
from lockstep_grader.grading.slurm.spool import Settings, Spool, TaskJob, job_name
from lockstep_grader.grading.slurm.tracker import Ended, Tracker, is_over
from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.session import Session
from lockstep_grader.machine.progress import Stage, say
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Backend, Judgement
from lockstep_grader.request.job import Job
from lockstep_grader.results.store import Store

Judged = tuple[Job, Judgement]

_SETTLE_SECONDS = 10.0  # for an outcome that a task wrote to become visible here
_SILENCE_SECONDS = 900.0  # how long Slurm's controller may be away before we give up


class Run:
    """Its steps in order: take_stock, adopt, to_the_end; or cancel. Two of them hand out jobs."""

    def __init__(
        self,
        options: SlurmOptions,
        cluster: Cluster,
        spool: Spool,
        settings: Settings,
        session: Session,
        store: Store,
        progress: Stage,
    ) -> None:
        self._options, self._cluster, self._spool = options, cluster, spool
        self._session, self._store, self._progress = session, store, progress
        self._tracker = Tracker()
        self._submitter = Submitter(options, cluster, spool, settings, self._tracker)
        self._jobs: dict[str, Job] = {}  # those without a judgement, by name
        self._waiting: dict[str, TaskJob] = {}  # the same, as nodes know them
        self._first: dict[str, str] = {}  # by key, the name of the job that is judged for all
        self._equal: dict[str, list[Job]] = {}  # by that name, the jobs that get its judgement
        self._fresh: list[Judged] = []  # not handed out yet
        self._tries: dict[str, int] = {}
        self._done = self._total = 0
        self._label = ""
        self._kept: set[str] = set()  # arrays that lost something: their logs may tell why
        self._last_answer = 0.0

    @property
    def progress(self) -> str:
        return f"{self._done} of {self._total} rungs"

    def take_stock(self, jobs: Sequence[Job]) -> Iterator[Judged]:
        """Takes known results, and puts the sources of the other jobs into the spool."""
        self._total = len(jobs)
        for job in jobs:
            self._take(job)
            yield from self._handed_out()

    def _take(self, job: Job) -> None:
        try:
            source = job.read()
        except FaultError as error:
            self._hand_out(job, Judgement(fault=str(error)))
            return
        judge, result = self._session.judge, result_id(job)
        key = judge.keys.of(job, source)
        if judgement := self._store.find(result, key):
            self._hand_out(job, judgement)
        elif isinstance(source, Source):
            if first := self._first.get(key):
                self._equal.setdefault(first, []).append(job)
            else:
                self._first[key] = self._put(job, key, source)
        else:  # missing or unreadable: there is nothing to run
            judgement = judge.judge(job, source)
            self._hand_out(job, self._store.settle(result, key, source, judgement))

    def _put(self, job: Job, key: str, source: Source) -> str:
        """Puts `job` into the spool; returns its name."""
        result = result_id(job)
        name = job_name(result, key, self._store.attempt(result))
        self._spool.put_source(name, source.data)
        self._jobs[name] = job
        self._waiting[name] = TaskJob(name, result.submission, result.lab, result.rung, key)
        return name

    def adopt(self) -> None:
        """Takes up what a killed run left in the queue; the rest is ready to go out."""
        arrays = {array.name: array for array in self._spool.arrays()}
        states = self._cluster.states(tuple(arrays))
        self._last_answer = time.monotonic()
        self._collect()
        for array in arrays.values():
            queued = [
                i for i in range(len(array.tasks)) if not is_over(states.get((array.name, i), ""))
            ]
            useful = [i for i in queued if not self._waiting.keys().isdisjoint(array.tasks[i])]
            if useful:
                self._tracker.add(array, useful)
            elif not queued and array.job_id:
                self._spool.drop_array(array.name)
        adopted = [name for name in self._waiting if self._tracker.holds(name)]
        if adopted:
            these = "1 rung is" if len(adopted) == 1 else f"{len(adopted)} rungs are"
            say(f"{these} still in Slurm's queue from an earlier run; waiting for the results")
        ready = [job for job in self._waiting.values() if not self._tracker.holds(job.name)]
        if self._session.toolchain.backend is Backend.CUDA:
            # Each task compiles the solutions of its rungs, to compare with them.
            ready.sort(key=lambda job: (job.lab, job.rung))
        self._submitter.ready += [job.name for job in ready]

    def to_the_end(self) -> Iterator[Judged]:
        next_poll = 0.0
        while self._waiting:
            yield from self._handed_out()
            self._submitter.send(self._waiting)
            time.sleep(min(1.0, self._options.poll_seconds / 4))
            if time.monotonic() >= next_poll:
                self._look_after_tasks()
                next_poll = time.monotonic() + self._options.poll_seconds
            else:
                self._collect()
        yield from self._handed_out()
        if self.has_tasks:
            self._look_after_tasks()  # clears up after those that are over

    @property
    def has_tasks(self) -> bool:
        return bool(self._tracker.arrays)

    def cancel(self) -> None:
        try:
            self._cluster.cancel(self._tracker.arrays)
        except FaultError as error:
            say(f"the Slurm jobs {', '.join(self._tracker.arrays)} are not cancelled: {error}")

    def _look_after_tasks(self) -> None:
        arrays = self._tracker.arrays
        try:
            states = self._cluster.states(arrays)
        except FaultError:
            if time.monotonic() - self._last_answer > _SILENCE_SECONDS:
                raise
            self._collect()  # the nodes may well be at work
            return
        now = self._last_answer = time.monotonic()
        self._collect()  # after asking: what a task had written when it ended is seen
        running = sum(state == "RUNNING" for state in states.values())
        queued = sum(not is_over(state) for state in states.values()) - running
        self._label = f"(tasks: {running} running, {queued} queued)"
        self._show()
        for ended in self._tracker.update(states, now, _SETTLE_SECONDS):
            self._kept.add(ended.array)
            self._lost(ended)
        for name in set(arrays) - set(self._tracker.arrays) - self._kept:
            self._spool.drop_array(name)

    def _collect(self) -> None:
        """Takes the outcomes that have come."""
        for name in self._spool.outcome_names() & self._waiting.keys():
            job = self._waiting[name]
            judgement = self._spool.outcome(name, job.key)
            if judgement is None:
                continue  # damaged: found lost when its task is over
            self._tracker.release(name)
            if judgement.fault:
                self._spool.drop_outcome(name)
                self._failed(job, judgement.fault)
            else:
                self._settle(job, judgement)

    def _lost(self, ended: Ended) -> None:
        for name in ended.names:
            if (job := self._waiting.get(name)) is None:
                continue
            # Another grader on this results folder may have taken the outcome.
            if judgement := self._store.find(job.result, job.key):
                self._share(job, self._source(job))
                self._close(job, judgement)
                continue
            self._spool.drop_outcome(name)
            state = ended.state or "no more known to Slurm"
            self._failed(job, f"the Slurm job {ended.job_id} ended without a result: {state}")

    def _failed(self, job: TaskJob, reason: str) -> None:
        """Sends the rung again in its own task, so that rungs cannot fail because of each other."""
        tries = self._tries[job.name] = self._tries.get(job.name, 0) + 1
        if tries < self._options.tries:
            self._submitter.again(job.name)
        else:
            self._settle(job, Judgement(fault=f"{reason}; tried {tries} times"))

    def _settle(self, job: TaskJob, judgement: Judgement) -> None:
        source = self._source(job)
        settled = self._store.settle(job.result, job.key, source, judgement)
        self._share(job, source, failed=bool(judgement.fault))
        self._close(job, settled)

    def _source(self, job: TaskJob) -> Source:
        file_name = self._jobs[job.name].rung.file_name
        return Source(file_name, self._spool.source(job.name).read_bytes())

    def _share(self, job: TaskJob, source: Source, *, failed: bool = False) -> None:
        """Hands the judgement of `job` to the equal jobs; after a fault, sends each for itself."""
        for equal in self._equal.pop(job.name, ()):
            result = result_id(equal)
            shared = None if failed else self._store.share(job.result, result, job.key, source)
            if shared:
                self._hand_out(equal, shared)
            else:
                self._submitter.ready.append(self._put(equal, job.key, source))

    def _close(self, job: TaskJob, judgement: Judgement) -> None:
        del self._waiting[job.name]
        self._spool.discard(job.name)
        self._hand_out(self._jobs.pop(job.name), judgement)

    def _hand_out(self, job: Job, judgement: Judgement) -> None:
        self._fresh.append((job, judgement))
        self._done += 1
        self._show(f"{job.submission} {job.lab.id}/{job.rung.id}")

    def _handed_out(self) -> Iterator[Judged]:
        fresh, self._fresh = self._fresh, []
        yield from fresh

    def _show(self, label: str = "") -> None:
        self._progress.advance(self._done, self._total, self._label or label)
