# SPDX-License-Identifier: MIT
"""Judges the jobs of `grade` on a Slurm cluster, as one array of tasks; what was lost, as another.

submitit submits the arrays, squeue lists their states, scancel ends them. Results come back by
files alone, in RESULTS/.slurm/outcomes: NAME.json and its pictures, where NAME is a hash of the
result's ids, its key and the number of its last attempt. All arrays of a results folder have one
name. So a run finds the tasks and the outcomes of an earlier one that was killed.
"""

import contextlib
import hashlib
import io
import json
import logging
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import submitit
import submitit.core.utils

from lockstep_grader.grading.pool import Ended, EqualFiles, ToJudge, judge_each, judged, result_id
from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.rung import RungJudge
from lockstep_grader.judging.session import Session, Wanted, open_session
from lockstep_grader.machine.files import read_json, write_json
from lockstep_grader.machine.process import interruption, kills_for_memory
from lockstep_grader.machine.progress import Stage, say, stage
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import (
    FaultError,
    InputError,
    InterruptedRunError,
    LockstepError,
    system_error_line,
)
from lockstep_grader.model.grades import Backend, Finding, Judgement
from lockstep_grader.model.text import one_line
from lockstep_grader.request.job import Job
from lockstep_grader.results.serial import as_json
from lockstep_grader.results.store import ResultId, Store, keep_images, with_pictures

Judged = tuple[Job, Judgement]
TaskId = tuple[str, str]  # Slurm's number of an array, and the index in it

_ELSEWHERE = "run this on a login node of the cluster, or leave out --executor slurm"
_PROGRAMS = ("sbatch", "squeue", "scancel", "srun")  # submitit looks for srun
_PREFIX = re.compile(r"^(?:\w+: )?(?:error: )?")  # sbatch: error: text
_COMMAND_SECONDS = 120  # after which Slurm counts as not answering
_SETTLE_SECONDS = 10.0  # until an outcome that a task wrote is visible here
_SILENCE_SECONDS = 900.0  # how long Slurm's controller may be away before we give up
# What squeue calls a task that will not run any more; one that it does not list is over, too.
_OVER = frozenset(
    {"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY"}
    | {"PREEMPTED", "REVOKED", "TIMEOUT"}
)
_KEY = re.compile(r"[a-z][a-z0-9-]*")
# What the submission itself is made of.
_RESERVED: Final = frozenset(
    {"array", "chdir", "error", "help", "input", "job-name", "nodes", "ntasks", "ntasks-per-node"}
    | {"open-mode", "output", "parsable", "requeue", "no-requeue", "test-only", "usage", "wait"}
    | {"wrap"}
)
_GPU_KEYS: Final = frozenset({"gpus", "gpus-per-node", "gpus-per-task", "gres"})
_COUNTS: Final = frozenset({"limit", "batch", "tries", "poll", "array-size"})


@dataclass(frozen=True, slots=True)
class SlurmOptions:
    limit: int = 64  # tasks in flight at once
    batch: int = 0  # rungs per task; 0: computed from their number
    tries: int = 3  # how often a rung is sent before it counts as not graded
    poll: int = 10  # seconds between two looks at the queue and at the outcomes
    array_size: int = 1000  # tasks in an array, at most; Slurm's own MaxArraySize is 1001
    sbatch: Mapping[str, str] = field(default_factory=dict)  # further options, by long name

    def batch_for(self, num_jobs: int) -> int:
        """How many of `num_jobs` rungs go into one task, so that they fit in one array.

        Four rounds of tasks keep every slot busy to the end. A task of more than 16 rungs is so
        long that Slurm's time to start it does not matter.
        """
        size = self.batch or max(1, min(16, -(-num_jobs // (4 * self.limit))))
        return max(size, -(-num_jobs // self.array_size))


def parse_slurm_options(pairs: Sequence[str]) -> SlurmOptions:
    """The options in `pairs`, each KEY=VALUE. Raises InputError naming the one that is wrong."""
    given: dict[str, str] = {}
    for pair in pairs:
        name, _, value = (word.strip() for word in pair.partition("="))
        key = name.removeprefix("--").replace("_", "-")
        if not value or not _KEY.fullmatch(key):
            raise InputError(f"--slurm {pair}: say KEY=VALUE, such as partition=gpu or limit=32")
        if key in _RESERVED:
            raise InputError(f"--slurm {pair}: {key} is set by the grader itself")
        if key in given:
            raise InputError(f"--slurm {pair}: {key} is given twice")
        if "\n" in value or "\r" in value:
            raise InputError(f"--slurm {key}: the value has more than one line")
        if key in _COUNTS and not re.fullmatch("0*[1-9][0-9]*", value):
            raise InputError(f"--slurm {pair}: a whole number from 1 on is needed")
        given[key] = value
    counts = {key.replace("-", "_"): int(given.pop(key)) for key in _COUNTS & given.keys()}
    return SlurmOptions(**counts, sbatch=given)


# ---- what goes to the nodes, and what comes back


class Sent(NamedTuple):
    """One rung to judge."""

    name: str
    key: str  # what the judgement depends on; the node must arrive at the same
    job: Job


def job_name(result: ResultId, key: str, last_attempt: int) -> str:
    words = json.dumps([result.submission, result.lab, result.rung, key, last_attempt])
    return hashlib.sha256(words.encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Outcomes:
    folder: Path

    def put(self, name: str, judgement: Judgement) -> None:
        keep_images(self.folder / name, judgement)  # first: the JSON file names them
        write_json(self.folder / f"{name}.json", as_json(judgement))

    def names(self) -> set[str]:
        """The jobs with an outcome; one listing, which a network file system keeps fresh."""
        return {file.stem for file in self.folder.glob("*.json")}

    def of(self, name: str) -> Judgement | None:
        """The judgement with its pictures; None where it is absent or damaged."""
        from lockstep_grader.results.schema import judgement_from_json  # takes pydantic

        try:
            judgement = judgement_from_json(read_json(self.folder / f"{name}.json"))
            return with_pictures(judgement, self.folder / name)
        except (OSError, ValueError):
            return None

    def drop(self, name: str) -> None:
        (self.folder / f"{name}.json").unlink(missing_ok=True)
        shutil.rmtree(self.folder / name, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Task:
    """What submitit hands to a node, which judges as the submitting machine would."""

    outcomes: Outcomes
    workspace: Workspace  # with a ready lockstep.json
    wanted: Wanted
    sent: tuple[Sent, ...] = ()


# ---- a node


def run_task(task: Task) -> None:
    """Judges what `task` asks for. Its outcomes are files; nothing is returned.

    Slurm sends SIGTERM before it takes the node away: children end, finished outcomes stay.
    """
    interruption.listen(signal.SIGTERM)
    try:
        session = open_session(task.workspace, task.wanted)
    except InterruptedRunError:
        raise
    except (LockstepError, OSError) as error:
        reason = system_error_line(error) if isinstance(error, OSError) else str(error)
        for each in task.sent:
            task.outcomes.put(each.name, Judgement(fault=f"{reason} (on {_node()})"))
        return
    sent = {result_id(each.job): each for each in task.sent}
    judge, jobs = _NodeJudge(session.judge, sent), [each.job for each in task.sent]
    with stage("judging", sys.stdout) as progress:
        for job, judgement in judge_each(jobs, session, progress, judge):
            task.outcomes.put(sent[result_id(job)].name, judgement)


class _NodeJudge:
    """Judges rungs of this very checkout, as long as no process of the node lacks memory."""

    def __init__(self, judge: RungJudge, sent: Mapping[ResultId, Sent]) -> None:
        self._judge, self._sent = judge, sent
        self.backend, self.keys = judge.backend, judge.keys

    def judge(self, job: Job, source: Source | Finding) -> Judgement:
        if self.keys.of(job, source) != self._sent[result_id(job)].key:
            return Judgement(
                fault=f"{_node()} has another lab, judge, toolchain, nvcc or compute-sanitizer "
                "than the machine that submitted; is the checkout one shared folder?"
            )
        kills_before = kills_for_memory()
        judgement = judged(job, source, self._judge)
        fault = judgement.fault
        if kills_for_memory() != kills_before and not judgement.is_right:
            fault = (
                "Slurm's memory limit for the task was reached; give it more, as in --slurm mem=8G"
            )
        return Judgement(fault=f"{fault} (on {_node()})") if fault else judgement


def _node() -> str:
    return os.environ.get("SLURMD_NODENAME") or socket.gethostname()


# ---- the submitting machine


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
        folder = store.folder.absolute() / ".slurm"
        task = Task(Outcomes(folder / "outcomes"), workspace, wanted)
        run = _Run(_Arrays(folder, self.options, task), session, store, progress)
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


class _Arrays:
    """All arrays of one results folder, in Slurm's words."""

    def __init__(self, folder: Path, options: SlurmOptions, task: Task) -> None:
        self.options, self.task = options, task
        owner = f"{os.getuid()} {folder}"
        self.name = f"lockstep-{hashlib.sha256(owner.encode()).hexdigest()[:12]}"
        self.logs = folder / "arrays" / self.name

    def submit(self, tasks: Sequence[Sequence[Sent]]) -> str:
        """Slurm's number of the array. Raises FaultError when Slurm refuses."""
        logging.getLogger("submitit").setLevel(logging.CRITICAL)  # what fails, we say ourselves
        given = self.options.sbatch
        further: dict[str, Any] = {"cpus-per-task": self.task.wanted.jobs}
        further |= {key: True if value == "true" else value for key, value in given.items()}
        if self.task.wanted.backend is Backend.CUDA and _GPU_KEYS.isdisjoint(given):
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
                    self.logs, python=shlex.quote(sys.executable)
                )
                executor.update_parameters(
                    job_name=self.name,
                    array_parallelism=min(self.options.limit, len(tasks)),
                    time=60,  # minutes, unless --slurm time=... says otherwise
                    setup=setup,
                    use_srun=False,
                    additional_parameters=further,
                )
                jobs = executor.map_array(
                    run_task, [replace(self.task, sent=tuple(sent)) for sent in tasks]
                )
        except (submitit.core.utils.FailedJobError, RuntimeError, ValueError) as error:
            raise FaultError(f"sbatch failed: {_complaint(str(error))}") from error
        return str(jobs[0].job_id).partition("_")[0]

    def states(self) -> dict[TaskId, str]:
        """The state of each task that Slurm still knows and that is not over. Raises FaultError."""
        form = "--format=%F|%K|%T"
        argv = ("squeue", "--noheader", "--array", "--states=all", form, f"--name={self.name}")
        lines = (line.strip().split("|") for line in _slurm(*argv).splitlines())
        return {(array, index): state for array, index, state in lines}


class _Run:
    """A class on the cluster: what has no judgement goes out in arrays until all have one."""

    def __init__(self, arrays: _Arrays, session: Session, store: Store, progress: Stage) -> None:
        self._arrays, self._session, self._store = arrays, session, store
        self._progress, self._outcomes = progress, arrays.task.outcomes
        self._class = EqualFiles(session.judge.keys, store)
        self._waiting: dict[str, Sent] = {}  # those without a judgement, by name
        self._out: dict[str, TaskId] = {}  # of these, with which task they went
        self._tries = Counter[str]()  # of those that came without a result
        self.tasks: set[TaskId] = set()  # that are not over
        self.done = self._total = 0
        self._label = ""

    def judged(self, jobs: Sequence[Job]) -> Iterator[Judged]:
        """Waits for what a killed run left in the queue; then arrays follow until nothing waits."""
        self._total = len(jobs)
        yield from self._take(jobs)
        self.tasks = {task for task, state in self._arrays.states().items() if state not in _OVER}
        yield from self._collect()
        if self.tasks and self._waiting:
            say("tasks are still in Slurm's queue from an earlier run; waiting for the results")
        while self._waiting:
            if not self.tasks:
                self._send()
            yield from self._follow()
        if not self._tries:  # else the logs may tell why
            shutil.rmtree(self._arrays.logs, ignore_errors=True)

    def cancel(self) -> None:
        try:
            if self.tasks:
                _slurm("scancel", "-n", self._arrays.name)
        except FaultError as error:
            say(f"the Slurm jobs {self._arrays.name} are not cancelled: {error}")

    def _take(self, jobs: Sequence[Job]) -> Iterator[Judged]:
        """Takes known results; the other jobs wait."""
        for job in jobs:
            begun = self._class.begin(job)
            if isinstance(begun, Ended):
                yield from self._handed_out(begun)
            elif isinstance(begun.source, Source):
                result = result_id(job)
                name = job_name(result, begun.key, self._store.attempt(result))
                read = partial(Source, begun.source.file_name, begun.source.data)
                self._waiting[name] = Sent(name, begun.key, replace(begun.job, read=read))
            else:  # missing or unreadable: there is nothing to run
                judgement = self._session.judge.judge(job, begun.source)
                yield from self._handed_out(self._class.end(begun, judgement))

    def _send(self) -> None:
        """Everything that waits, as one array; what came without a result goes in its own task."""
        # Each task compiles the solutions of its rungs, to compare with them on a GPU.
        waiting = sorted(
            self._waiting.values(), key=lambda sent: (sent.job.lab.id, sent.job.rung.id)
        )
        fresh = [sent for sent in waiting if sent.name not in self._tries]
        size = self._arrays.options.batch_for(len(fresh))
        tasks = [fresh[at : at + size] for at in range(0, len(fresh), size)]
        tasks += [[sent] for sent in waiting if sent.name in self._tries]
        tasks = tasks[: self._arrays.options.array_size]
        self.tasks = {("", "")}  # Ctrl-C must find some
        try:
            array = self._arrays.submit(tasks)
        except FaultError:
            self.tasks = set()
            raise
        self._out = {sent.name: (array, str(at)) for at, task in enumerate(tasks) for sent in task}
        self.tasks = set(self._out.values())

    def _follow(self) -> Iterator[Judged]:
        """Collects outcomes until every task is over; what has none by then was lost."""
        answered, over_since = time.monotonic(), 0.0
        known: Mapping[TaskId, str] = dict.fromkeys(self.tasks, "PENDING")
        while self.tasks and self._waiting:
            now = time.monotonic()
            try:
                known, answered = self._arrays.states(), now
            except FaultError:  # the nodes may well be at work
                if now - answered > _SILENCE_SECONDS:
                    raise
            states = [known[task] for task in self.tasks & known.keys()]
            running = states.count("RUNNING")
            queued = sum(state not in _OVER for state in states) - running
            self._label = f"(tasks: {running} running, {queued} queued)"
            self._progress.advance(self.done, self._total, self._label)
            yield from self._collect()  # after asking: what a task had written at its end is seen
            is_over = _OVER.issuperset(states)
            over_since = (over_since or now) if is_over else 0.0
            if is_over and now - over_since >= _SETTLE_SECONDS:
                for name, task in list(self._out.items()):
                    end = known.get(task, "no more known to Slurm")
                    reason = f"task {'_'.join(task)} of {self._arrays.name} ended without a result"
                    yield from self._ended(name, Judgement(fault=f"{reason}: {end}"))
                break
            if self._waiting:
                time.sleep(self._arrays.options.poll)
        self.tasks = set()

    def _collect(self) -> Iterator[Judged]:
        """Takes the outcomes that have come; a damaged one is lost when its task is over."""
        for name in self._outcomes.names() & self._waiting.keys():
            if judgement := self._outcomes.of(name):
                yield from self._ended(name, judgement)

    def _ended(self, name: str, judgement: Judgement) -> Iterator[Judged]:
        """After a fault the rung waits for the next array, as often as the options say."""
        self._out.pop(name, None)
        self._outcomes.drop(name)
        if judgement.fault:
            self._tries[name] += 1
            if (tries := self._tries[name]) < self._arrays.options.tries:
                return
            judgement = Judgement(fault=f"{judgement.fault}; tried {tries} times")
        _, key, job = self._waiting.pop(name)
        yield from self._handed_out(self._class.end(ToJudge(job, job.read(), key), judgement))

    def _handed_out(self, ended: Ended) -> Iterator[Judged]:
        """What has a judgement now. The other jobs go for themselves."""
        for job, judgement in ended.judged:
            self.done += 1
            label = self._label or f"{job.submission} {job.lab.id}/{job.rung.id}"
            self._progress.advance(self.done, self._total, label)
            yield job, judgement
        yield from self._take(ended.left)


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
