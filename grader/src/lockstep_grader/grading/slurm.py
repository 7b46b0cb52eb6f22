# SPDX-License-Identifier: MIT
"""Judges the jobs of `grade` on a cluster: in one array of tasks, and what was lost in another.

submitit hands in the arrays, squeue tells their states, scancel ends them. Results come back only
through files. All arrays of a results folder have one name, by which a run finds those of an
earlier one that was killed.
"""

import contextlib
import hashlib
import io
import logging
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import submitit
import submitit.core.utils

from lockstep_grader.grading.pool import Ended, EqualFiles, ToJudge, result_id
from lockstep_grader.grading.slurm_node import Sent, Spool, Task, job_name, run_task
from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.session import Session, Wanted
from lockstep_grader.machine.files import write_whole
from lockstep_grader.machine.progress import Stage, say
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, InputError, InterruptedRunError
from lockstep_grader.model.grades import Backend, Judgement
from lockstep_grader.model.text import one_line
from lockstep_grader.request.job import Job
from lockstep_grader.results.store import Store

Judged = tuple[Job, Judgement]
TaskId = tuple[str, int]  # Slurm's number of an array, and the index in it

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
_KEY = re.compile(r"[a-z][a-z0-9-]*")
_CLOCK = re.compile(r"(?:(\d+)-)?(\d+):(\d\d):(\d\d)")
# What the submission itself is made of.
_RESERVED: Final = frozenset(
    {"array", "chdir", "error", "help", "input", "job-name", "nodes", "ntasks", "ntasks-per-node"}
    | {"open-mode", "output", "parsable", "requeue", "no-requeue", "test-only", "usage", "wait"}
    | {"wrap"}
)
_GPU_KEYS: Final = frozenset({"gpus", "gpus-per-node", "gpus-per-task", "gres"})
_OWN_KEYS: Final = {"poll": "poll_seconds", "array-size": "array_size", "time": "minutes"} | {
    key: key for key in ("limit", "batch", "tries")
}


@dataclass(frozen=True, slots=True)
class SlurmOptions:
    limit: int = 64  # tasks in flight at once
    batch: int = 0  # rungs per task; 0: computed from their number
    tries: int = 3  # how often a rung is sent before it counts as not graded
    poll_seconds: int = 10  # between two questions to Slurm's controller
    array_size: int = 1000  # tasks in an array, at most; Slurm's own MaxArraySize is 1001
    minutes: int = 60  # the time limit of a task
    sbatch: Mapping[str, str] = field(default_factory=dict)  # further options, by long name

    def batch_for(self, num_jobs: int) -> int:
        """How many of `num_jobs` rungs go into one task, so that they fit in one array.

        Four rounds of tasks keep every slot busy to the end. A task of more than 16 rungs is so
        long that Slurm's time to start it does not matter.
        """
        size = self.batch or max(1, min(16, -(-num_jobs // (4 * self.limit))))
        return max(size, -(-num_jobs // self.array_size))

    def asks_for_gpus(self) -> bool:
        return not _GPU_KEYS.isdisjoint(self.sbatch)


def parse_slurm_options(pairs: Sequence[str]) -> SlurmOptions:
    """The options in `pairs`, each KEY=VALUE. Raises InputError naming the one that is wrong."""
    own: dict[str, Any] = {}
    sbatch: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        key = name.strip().removeprefix("--").replace("_", "-")
        if not equals or not value.strip() or not _KEY.fullmatch(key):
            raise InputError(f"--slurm {pair}: say KEY=VALUE, such as partition=gpu or limit=32")
        if key in _RESERVED:
            raise InputError(f"--slurm {pair}: {key} is set by the grader itself")
        if _OWN_KEYS.get(key) in own or key in sbatch:
            raise InputError(f"--slurm {pair}: {key} is given twice")
        if "\n" in value or "\r" in value:
            raise InputError(f"--slurm {key}: the value has more than one line")
        if key in _OWN_KEYS:
            own[_OWN_KEYS[key]] = (_minutes if key == "time" else _count)(pair, value.strip())
        else:
            sbatch[key] = value.strip()
    return SlurmOptions(**own, sbatch=sbatch)


def _count(pair: str, text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise InputError(f"--slurm {pair}: a whole number from 1 on is needed")
    return int(text)


def _minutes(pair: str, text: str) -> int:
    """Minutes, or Slurm's [DAYS-]HOURS:MINUTES:SECONDS, rounded up."""
    if clock := _CLOCK.fullmatch(text):
        days, hours, minutes, seconds = (int(part or 0) for part in clock.groups())
        total = (days * 24 + hours) * 60 + minutes + (seconds > 0)
    elif text.isascii() and text.isdigit():
        total = int(text)
    else:
        raise InputError(f"--slurm {pair}: time is in minutes, or HH:MM:SS, or D-HH:MM:SS")
    if total == 0:
        raise InputError(f"--slurm {pair}: a task needs at least a minute")
    return total


def cluster(pairs: Sequence[str], workspace: Workspace, wanted: Wanted) -> "Cluster":
    """The cluster, with the options `pairs`; a node judges one rung at a time by default.

    Raises FaultError where no job can be submitted from, before any work is done.
    """
    options = parse_slurm_options(pairs)
    for program in _PROGRAMS:
        if shutil.which(program) is None:
            raise FaultError(f"no Slurm here: {program} is not on PATH; {_ELSEWHERE}")
    try:
        _slurm("squeue", "--noheader", "--name=lockstep")
    except FaultError as error:
        raise FaultError(f"no Slurm cluster answers here: {error}; {_ELSEWHERE}") from error
    return Cluster(workspace, options, replace(wanted, jobs=wanted.jobs or 1, await_nvcc=False))


@dataclass(frozen=True, slots=True)
class Cluster:
    workspace: Workspace
    options: SlurmOptions
    wanted: Wanted  # of each node

    def judge_class(
        self, jobs: Sequence[Job], session: Session, store: Store, progress: Stage
    ) -> Iterator[Judged]:
        """As `pool.judge_class`. Raises FaultError when nothing can be run at all."""
        workspace = replace(self.workspace, toolchain_file=session.toolchain.file.absolute())
        wanted = replace(self.wanted, backend=session.setup.backend, seed=session.setup.seed)
        task = Task(store.folder.absolute() / ".slurm", workspace, wanted, ())
        run = _Run(self.options, task, session, store, progress)
        try:
            yield from run.judged(jobs)
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
        owner = f"{os.getuid()} {task.folder}"
        self._name = f"lockstep-{hashlib.sha256(owner.encode()).hexdigest()[:12]}"
        self._class = EqualFiles(session.judge.keys, store)
        self._waiting: dict[str, Sent] = {}  # those without a judgement, by name
        self._sent_before: set[str] = set()  # of these, by an earlier run
        self._tries = Counter[str]()  # of those that came without a result
        self._failed: set[str] = set()  # ... in the present round
        self.tasks: dict[TaskId, list[str]] = {}  # that are not over, and their jobs
        self.done = self._total = 0
        self._label = ""

    def judged(self, jobs: Sequence[Job]) -> Iterator[Judged]:
        """Waits for what a killed run left in the queue; then arrays follow until nothing waits."""
        self._total = len(jobs)
        yield from self._take(jobs)
        yield from self._adopt()
        while self._waiting:
            if not self.tasks:
                self._send()
            yield from self._follow()
        if not self._tries:  # else the logs may tell why
            shutil.rmtree(self._spool.arrays / self._name, ignore_errors=True)

    def cancel(self) -> None:
        try:
            if self.tasks:
                _slurm("scancel", "-n", self._name)
        except FaultError as error:
            say(f"the Slurm jobs {self._name} are not cancelled: {error}")

    def _take(self, jobs: Sequence[Job]) -> Iterator[Judged]:
        """Takes known results, and puts the sources of the other jobs into the spool."""
        for job in jobs:
            begun = self._class.begin(job)
            if isinstance(begun, Ended):
                yield from self._handed_out(begun)
            elif isinstance(begun.source, Source):
                self._put(begun, begun.source)
            else:  # missing or unreadable: there is nothing to run
                judgement = self._session.judge.judge(job, begun.source)
                yield from self._handed_out(self._class.end(begun, judgement))

    def _put(self, begun: ToJudge, source: Source) -> None:
        result = result_id(begun.job)
        name = job_name(result, begun.key, self._store.attempt(result))
        file = self._spool.source(name)
        if file.is_file():
            self._sent_before.add(name)
        else:
            write_whole(file, source.data)
        job = replace(begun.job, read=partial(_source, file, source.file_name))
        self._waiting[name] = Sent(name, begun.key, job)

    def _adopt(self) -> Iterator[Judged]:
        queued = [task for task, state in self._states().items() if state not in _OVER]
        yield from self._collect()
        held = self._sent_before & self._waiting.keys()
        if queued and held:
            self.tasks = {task: [] for task in queued}  # some jobs each; which, is not known
            these = "1 rung is" if len(held) == 1 else f"{len(held)} rungs are"
            say(f"{these} still in Slurm's queue from an earlier run; waiting for the results")

    def _send(self) -> None:
        """Everything that waits, as one array. Raises FaultError when Slurm refuses."""
        self._failed.clear()
        names = list(self._waiting)
        if self._session.toolchain.backend is Backend.CUDA:
            # Each task compiles the solutions of its rungs, to compare with them.
            jobs = {name: sent.job for name, sent in self._waiting.items()}
            names.sort(key=lambda name: (jobs[name].lab.id, jobs[name].rung.id))
        others = [name for name in names if name not in self._tries]
        size = self._options.batch_for(len(others))
        tasks = [others[at : at + size] for at in range(0, len(others), size)]
        tasks += [[name] for name in names if name in self._tries]
        tasks = tasks[: self._options.array_size]
        self.tasks = {("", at): task for at, task in enumerate(tasks)}  # Ctrl-C must find some
        try:
            array = self._submit([tuple(self._waiting[name] for name in task) for task in tasks])
        except FaultError:
            self.tasks = {}
            raise
        self.tasks = {(array, at): task for at, task in enumerate(tasks)}

    def _submit(self, tasks: list[tuple[Sent, ...]]) -> str:
        """Slurm's number of the array."""
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
        source = shlex.quote(str(Path(__file__).parents[2]))
        # In that folder no file of the folder that sbatch was called in shadows a module.
        setup = [f"export PYTHONPATH={source}${{PYTHONPATH:+:$PYTHONPATH}}", f"cd {source}"]
        quiet = io.StringIO()
        try:
            with contextlib.redirect_stderr(quiet), contextlib.redirect_stdout(quiet):
                executor: Any = submitit.SlurmExecutor(
                    self._spool.arrays / self._name, python=shlex.quote(sys.executable)
                )
                executor.update_parameters(
                    job_name=self._name,
                    array_parallelism=min(self._options.limit, len(tasks)),
                    time=self._options.minutes,
                    setup=setup,
                    use_srun=False,
                    additional_parameters=further,
                )
                jobs = executor.map_array(
                    run_task, [replace(self._task, sent=sent) for sent in tasks]
                )
        except (submitit.core.utils.FailedJobError, RuntimeError, ValueError) as error:
            raise FaultError(f"sbatch failed: {_complaint(str(error))}") from error
        return str(jobs[0].job_id).partition("_")[0]

    def _follow(self) -> Iterator[Judged]:
        """Collects outcomes until every task is over; what has none by then was lost."""
        held = {name: task for task, names in self.tasks.items() for name in names}
        states: Mapping[TaskId, str] = {}
        answered = over_since = next_poll = 0.0
        begun = time.monotonic()
        while self.tasks and self._waiting:
            now = time.monotonic()
            if now >= next_poll:
                next_poll = now + self._options.poll_seconds
                try:
                    known, answered = self._states(), now
                    states = {task: known.get(task, "") for task in self.tasks}
                except FaultError:  # the nodes may well be at work
                    if now - max(answered, begun) > _SILENCE_SECONDS:
                        raise
                running = sum(state == "RUNNING" for state in states.values())
                queued = sum(state not in _OVER for state in states.values()) - running
                self._label = f"(tasks: {running} running, {queued} queued)"
                self._progress.advance(self.done, self._total, self._label)
            yield from self._collect()  # after asking: what a task had written at its end is seen
            is_over = bool(states) and _OVER.issuperset(states.values())
            over_since = (over_since or now) if is_over else 0.0
            if is_over and now - over_since >= _SETTLE_SECONDS:
                for name in held.keys() & self._waiting.keys() - self._failed:
                    array, at = held[name]
                    end = states[held[name]] or "no more known to Slurm"
                    reason = f"task {at} of {self._name} ({array}_{at}) ended without a result"
                    yield from self._again(name, f"{reason}: {end}")
                self.tasks = {}
            elif self._waiting:
                time.sleep(min(1.0, self._options.poll_seconds / 4))
        self.tasks = {}

    def _collect(self) -> Iterator[Judged]:
        """Takes the outcomes that have come."""
        for name in self._spool.outcome_names() & self._waiting.keys():
            judgement = self._spool.outcome(name, self._waiting[name].key)
            if judgement is None:
                continue  # damaged: lost when its task is over
            if judgement.fault:
                yield from self._again(name, judgement.fault)
            else:
                yield from self._settled(name, judgement)

    def _again(self, name: str, reason: str) -> Iterator[Judged]:
        """Sends the rung again in its own task, so that rungs cannot fail because of each other."""
        self._spool.drop_outcome(name)
        self._failed.add(name)
        self._tries[name] += 1
        if (tries := self._tries[name]) >= self._options.tries:
            yield from self._settled(name, Judgement(fault=f"{reason}; tried {tries} times"))

    def _settled(self, name: str, judgement: Judgement) -> Iterator[Judged]:
        _, key, job = self._waiting[name]
        ended = self._class.end(ToJudge(job, job.read(), key), judgement)
        del self._waiting[name]
        self._spool.source(name).unlink(missing_ok=True)
        self._spool.drop_outcome(name)
        yield from self._handed_out(ended)

    def _handed_out(self, ended: Ended) -> Iterator[Judged]:
        """What has a judgement now. The other jobs go for themselves."""
        for job, judgement in ended.judged:
            self.done += 1
            label = self._label or f"{job.submission} {job.lab.id}/{job.rung.id}"
            self._progress.advance(self.done, self._total, label)
            yield job, judgement
        yield from self._take(ended.left)

    def _states(self) -> Mapping[TaskId, str]:
        """The state of each task of ours that Slurm still knows. Raises FaultError."""
        form = "--format=%F|%K|%T"
        argv = ("squeue", "--noheader", "--array", "--states=all", form, f"--name={self._name}")
        states: dict[TaskId, str] = {}
        for line in _slurm(*argv).splitlines():
            array, index, state = [*line.strip().split("|"), "", ""][:3]
            states[array, int(index) if index.isdigit() else 0] = state  # N/A: not an array
        return states


def _source(file: Path, file_name: str) -> Source:
    return Source(file_name, file.read_bytes())


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
