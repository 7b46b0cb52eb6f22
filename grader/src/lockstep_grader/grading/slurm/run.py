# SPDX-License-Identifier: MIT
"""Judges the jobs of `grade` on a cluster: in one array of tasks, and what was lost in another.

submitit hands in the arrays, squeue tells their states, scancel ends them. Results come back only
through files.
"""

import contextlib
import io
import logging
import re
import shlex
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lockstep_grader.grading.pool import result_id
from lockstep_grader.grading.slurm.options import SlurmOptions
from lockstep_grader.grading.slurm.spool import Spool, TaskJob, job_name
from lockstep_grader.grading.slurm.task import Task, run_task
from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.session import Session, Wanted
from lockstep_grader.machine.files import write_whole
from lockstep_grader.machine.progress import Stage, say
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, InterruptedRunError
from lockstep_grader.model.grades import Backend, Judgement
from lockstep_grader.model.text import one_line
from lockstep_grader.request.job import Job
from lockstep_grader.results.store import Store

Judged = tuple[Job, Judgement]
TaskId = tuple[str, int]  # the name of an array, and the index in it

_ELSEWHERE = "run this on a login node of the cluster, or leave out --executor slurm"
_PROGRAMS = ("sbatch", "squeue", "scancel", "srun")  # submitit looks for srun
_PREFIX = re.compile(r"^(?:\w+: )?(?:error: )?")  # sbatch: error: text
_COMMAND_SECONDS = 120  # after which Slurm counts as not answering
_SETTLE_SECONDS = 10.0  # for an outcome that a task wrote to become visible here
_SILENCE_SECONDS = 900.0  # how long Slurm's controller may be away before we give up
# What squeue calls a task that will not run any more; one that it does not list is over, too.
_OVER = frozenset(
    {"", "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY"}
    | {"PREEMPTED", "REVOKED", "TIMEOUT"}
)


def require_slurm() -> None:
    """Raises FaultError where no job can be submitted from, before any work is done."""
    for program in _PROGRAMS:
        if shutil.which(program) is None:
            raise FaultError(f"no Slurm here: {program} is not on PATH; {_ELSEWHERE}")
    try:
        _slurm("squeue", "--noheader", "--name=lockstep")
    except FaultError as error:
        raise FaultError(f"no Slurm cluster answers here: {error}; {_ELSEWHERE}") from error


@dataclass(frozen=True, slots=True)
class SlurmExecutor:
    workspace: Workspace
    options: SlurmOptions
    wanted: Wanted  # of each node

    @property
    def judges_here(self) -> bool:
        return False

    def run(
        self, jobs: Sequence[Job], session: Session, store: Store, progress: Stage
    ) -> Iterator[Judged]:
        workspace = replace(self.workspace, toolchain_file=session.toolchain.file.absolute())
        folder = store.folder.absolute() / ".slurm"
        wanted = replace(self.wanted, backend=session.setup.backend, seed=session.setup.seed)
        task = Task(folder, workspace, wanted, ())
        run = _Run(self.options, task, session, store, progress)
        try:
            yield from run.take_stock(jobs)
            yield from run.to_the_end()
        except KeyboardInterrupt as stop:
            run.cancel()
            raise InterruptedRunError(
                f"interrupted after {run.done} of {len(jobs)} rungs"
            ) from stop
        except FaultError as error:
            if not run.tasks:
                raise
            more = "; tasks that Slurm has go on, and the same command takes up what they find"
            raise FaultError(f"{error}{more}") from error


class _Run:
    def __init__(
        self, options: SlurmOptions, task: Task, session: Session, store: Store, progress: Stage
    ) -> None:
        self._options, self._task, self._session = options, task, session
        self._store, self._progress, self._spool = store, progress, Spool(task.folder)
        self._waiting: dict[str, tuple[TaskJob, Job]] = {}  # those without a judgement, by name
        self._equal: dict[str, list[Job]] = {}  # by key: the jobs that get another's judgement
        self._fresh: list[Judged] = []  # not handed out yet
        self._tries: dict[str, int] = {}
        self._failed: set[str] = set()  # came without a result in the present round
        self._alone: set[str] = set()  # ... or in any: each in a task of its own
        self.tasks: dict[TaskId, list[str]] = {}  # that are not over, and their jobs
        self.done = self._total = 0
        self._label = ""

    def take_stock(self, jobs: Sequence[Job]) -> Iterator[Judged]:
        """Takes known results, and puts the sources of the other jobs into the spool."""
        self._total, keys = len(jobs), set[str]()
        for job in jobs:
            judge, result = self._session.judge, result_id(job)
            try:
                source = job.read()
            except FaultError as error:
                self._hand_out(job, Judgement(fault=str(error)))
                continue
            key = judge.keys.of(job, source)
            if judgement := self._store.find(result, key):
                self._hand_out(job, judgement)
            elif not isinstance(source, Source):  # missing or unreadable: there is nothing to run
                judgement = judge.judge(job, source)
                self._hand_out(job, self._store.settle(result, key, source, judgement))
            elif key in keys:
                self._equal.setdefault(key, []).append(job)
            else:
                keys.add(key)
                self._put(job, key, source)
            yield from self._handed_out()

    def to_the_end(self) -> Iterator[Judged]:
        """Waits for what a killed run left in the queue; then arrays follow until nothing waits."""
        self._adopt()
        while True:
            yield from self._follow()
            if not self._waiting:
                return
            self._send()

    def cancel(self) -> None:
        arrays = {array: None for array, _ in self.tasks}
        try:
            for array in arrays:
                _slurm("scancel", "-n", array)
        except FaultError as error:
            say(f"the Slurm jobs {', '.join(arrays)} are not cancelled: {error}")

    def _put(self, job: Job, key: str, source: Source) -> None:
        result = result_id(job)
        name = job_name(result, key, self._store.attempt(result))
        if not self._spool.source(name).is_file():
            write_whole(self._spool.source(name), source.data)
        self._waiting[name] = TaskJob(name, result, key), job

    def _adopt(self) -> None:
        recorded = self._spool.recorded()
        states = _states(recorded)
        self._collect()
        for array, tasks in recorded.items():
            queued = [at for at in range(len(tasks)) if states.get((array, at), "") not in _OVER]
            self.tasks |= {
                (array, at): tasks[at]
                for at in queued
                if not self._waiting.keys().isdisjoint(tasks[at])
            }
            if not queued:
                self._spool.drop_array(array)
        if held := {name for names in self.tasks.values() for name in names} & {*self._waiting}:
            these = "1 rung is" if len(held) == 1 else f"{len(held)} rungs are"
            say(f"{these} still in Slurm's queue from an earlier run; waiting for the results")

    def _send(self) -> None:
        """Everything that waits, as one array. Raises FaultError when Slurm refuses."""
        self._failed.clear()
        names = list(self._waiting)
        if self._session.toolchain.backend is Backend.CUDA:
            # Each task compiles the solutions of its rungs, to compare with them.
            results = {name: job.result for name, (job, _) in self._waiting.items()}
            names.sort(key=lambda name: (results[name].lab, results[name].rung))
        others = [name for name in names if name not in self._alone]
        size = self._options.batch_for(len(others))
        tasks = [others[at : at + size] for at in range(0, len(others), size)]
        tasks += [[name] for name in names if name in self._alone]
        tasks = tasks[: self._options.array_size]
        array = f"lockstep-{uuid.uuid4().hex[:12]}"
        self._spool.put_array(array, tasks)
        self.tasks = {(array, at): task for at, task in enumerate(tasks)}
        try:
            self._submit(array, [tuple(self._waiting[name][0] for name in task) for task in tasks])
        except FaultError:
            self._spool.drop_array(array)
            self.tasks = {}
            raise

    def _submit(self, array: str, tasks: list[tuple[TaskJob, ...]]) -> None:
        try:
            import submitit
            import submitit.core.utils
        except ImportError as error:
            again = f"{sys.executable} -m pip install -r grader/requirements.txt"
            raise FaultError(f"submitit is missing; run: {again}") from error
        logging.getLogger("submitit").setLevel(logging.CRITICAL)  # what fails, we say ourselves
        given = self._options.sbatch.items()
        further: dict[str, Any] = {"cpus-per-task": self._task.wanted.jobs}
        further |= {key: True if value == "true" else value for key, value in given}
        if self._session.toolchain.backend is Backend.CUDA and not self._options.asks_for_gpus():
            # One task, one GPU: measurements do not disturb each other.
            further["gpus-per-node"] = 1
        # A task whose node fails comes back through us, so that a rung that ends nodes is not sent
        # on and on.
        further["no-requeue"] = True
        source = shlex.quote(str(Path(__file__).parents[3]))
        # In that folder no file of the folder that sbatch was called in shadows a module.
        setup = [f"export PYTHONPATH={source}${{PYTHONPATH:+:$PYTHONPATH}}", f"cd {source}"]
        quiet = io.StringIO()
        try:
            with contextlib.redirect_stderr(quiet), contextlib.redirect_stdout(quiet):
                executor: Any = submitit.SlurmExecutor(
                    self._spool.arrays / array, python=shlex.quote(sys.executable)
                )
                executor.update_parameters(
                    job_name=array,
                    array_parallelism=min(self._options.limit, len(tasks)),
                    time=self._options.minutes,
                    setup=setup,
                    use_srun=False,
                    additional_parameters=further,
                )
                executor.map_array(run_task, [replace(self._task, jobs=jobs) for jobs in tasks])
        except (submitit.core.utils.FailedJobError, RuntimeError, ValueError) as error:
            raise FaultError(f"sbatch failed: {_complaint(str(error))}") from error

    def _follow(self) -> Iterator[Judged]:
        """Collects outcomes until every task is over; what has none by then was lost."""
        arrays = {array for array, _ in self.tasks}
        held = {name: task for task, names in self.tasks.items() for name in names}
        states: dict[TaskId, str] = {}
        answered, next_poll, over_since = time.monotonic(), 0.0, 0.0
        while self.tasks and self._waiting:
            now = time.monotonic()
            if now >= next_poll:
                next_poll = now + self._options.poll_seconds
                try:
                    states = {**dict.fromkeys(self.tasks, ""), **_states(arrays)}
                    answered = now
                except FaultError:  # the nodes may well be at work
                    if now - answered > _SILENCE_SECONDS:
                        raise
                running = sum(state == "RUNNING" for state in states.values())
                queued = sum(state not in _OVER for state in states.values()) - running
                self._label = f"(tasks: {running} running, {queued} queued)"
                self._progress.advance(self.done, self._total, self._label)
            self._collect()  # after asking: what a task had written when it ended is seen
            yield from self._handed_out()
            missing = held.keys() & self._waiting.keys() - self._failed
            is_over = bool(states) and _OVER.issuperset(states.get(task, "") for task in self.tasks)
            over_since = (over_since or now) if is_over else 0.0
            may_come = any(states.get(held[name], "") in ("", "COMPLETED") for name in missing)
            if is_over and not (may_come and now - over_since < _SETTLE_SECONDS):
                for name in missing:
                    array, at = held[name]
                    state = states.get(held[name]) or "no more known to Slurm"
                    self._again(name, f"task {at} of {array} ended without a result: {state}")
                self.tasks = {}
            elif self._waiting:
                time.sleep(min(1.0, self._options.poll_seconds / 4))
        self.tasks = {}
        yield from self._handed_out()
        if not self._failed:  # else the logs may tell why
            self._clear(arrays)

    def _clear(self, arrays: set[str]) -> None:
        """Clears up after the arrays that are over; the next run does so after the others."""
        with contextlib.suppress(FaultError):
            states = _states(arrays)
            for array in arrays - {
                array for (array, _), state in states.items() if state not in _OVER
            }:
                self._spool.drop_array(array)

    def _collect(self) -> None:
        """Takes the outcomes that have come."""
        for name in self._spool.outcome_names() & self._waiting.keys():
            judgement = self._spool.outcome(name, self._waiting[name][0].key)
            if judgement is None:
                continue  # damaged: lost when its task is over
            if judgement.fault:
                self._again(name, judgement.fault)
            else:
                self._settle(name, judgement)

    def _again(self, name: str, reason: str) -> None:
        """Sends the rung again in its own task, so that rungs cannot fail because of each other."""
        self._spool.drop_outcome(name)
        self._failed.add(name)
        self._alone.add(name)
        tries = self._tries[name] = self._tries.get(name, 0) + 1
        if tries >= self._options.tries:
            self._settle(name, Judgement(fault=f"{reason}; tried {tries} times"))

    def _settle(self, name: str, judgement: Judgement) -> None:
        job, _ = self._waiting[name]
        settled = self._store.settle(job.result, job.key, self._source(name), judgement)
        self._close(name, settled, is_shared=not judgement.fault)

    def _source(self, name: str) -> Source:
        file_name = self._waiting[name][1].rung.file_name
        return Source(file_name, self._spool.source(name).read_bytes())

    def _close(self, name: str, judgement: Judgement, *, is_shared: bool) -> None:
        """Hands out the judgement, to equal jobs too; after a fault each goes for itself."""
        source = self._source(name)
        job, asked = self._waiting.pop(name)
        for equal in self._equal.pop(job.key, ()):
            result = result_id(equal)
            shared = is_shared and self._store.share(job.result, result, job.key, source)
            if shared:
                self._hand_out(equal, shared)
            else:
                self._put(equal, job.key, source)
        self._spool.discard(name)
        self._hand_out(asked, judgement)

    def _hand_out(self, job: Job, judgement: Judgement) -> None:
        self._fresh.append((job, judgement))
        self.done += 1
        label = self._label or f"{job.submission} {job.lab.id}/{job.rung.id}"
        self._progress.advance(self.done, self._total, label)

    def _handed_out(self) -> Iterator[Judged]:
        fresh, self._fresh = self._fresh, []
        yield from fresh


def _states(arrays: Iterable[str]) -> dict[TaskId, str]:
    """The state of each task that Slurm still knows, by array and index. Raises FaultError."""
    if not (named := ",".join(arrays)):
        return {}
    form = "--format=%j|%K|%T"
    listing = _slurm("squeue", "--noheader", "--array", "--states=all", form, f"--name={named}")
    states: dict[TaskId, str] = {}
    for line in listing.splitlines():
        name, index, state = [*line.strip().split("|"), "", ""][:3]
        states[name, int(index) if index.isdigit() else 0] = state  # N/A: not an array
    return states


def _slurm(*argv: str) -> str:
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_COMMAND_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise FaultError(f"{argv[0]} does not answer in {_COMMAND_SECONDS} seconds") from error
    if done.returncode != 0:
        raise FaultError(f"{argv[0]} failed: {_complaint(done.stderr)}")
    return done.stdout


def _complaint(text: str) -> str:
    """What Slurm said was wrong, without its `sbatch: error: `."""
    lines = [line for line in text.splitlines() if line.strip()] or ["no output"]
    errors = [line for line in lines if "error" in line.lower()] or lines[-1:]
    return one_line("; ".join(_PREFIX.sub("", line) for line in errors))
