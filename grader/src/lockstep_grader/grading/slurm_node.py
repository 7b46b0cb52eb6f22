# SPDX-License-Identifier: MIT
"""What a node of a cluster does, and RESULTS/.slurm, through which it gets and returns the rungs.

sources/NAME.cu goes out, outcomes/NAME.json and its pictures come back, arrays/ARRAY is submitit's
folder. NAME is a hash of the result's ids, its key and the number of its last attempt. So a run
that asks for the same judgement after another was killed finds the outcomes of that run.
"""

import hashlib
import json
import os
import shutil
import signal
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lockstep_grader.grading.pool import judge_each, judged, result_id
from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.rung import RungJudge
from lockstep_grader.judging.session import Wanted, open_session
from lockstep_grader.machine.files import read_json, write_json
from lockstep_grader.machine.process import interruption
from lockstep_grader.machine.progress import stage
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import InterruptedRunError, LockstepError, system_error_line
from lockstep_grader.model.grades import Finding, Judgement
from lockstep_grader.request.job import Job
from lockstep_grader.results.serial import judgement_json
from lockstep_grader.results.store import ResultId, keep_images, with_pictures


class Sent(NamedTuple):
    """One rung to judge."""

    name: str
    key: str  # what the judgement depends on; the node must arrive at the same
    job: Job  # reads the source in the spool


def job_name(result: ResultId, key: str, last_attempt: int) -> str:
    words = json.dumps([result.submission, result.lab, result.rung, key, last_attempt])
    return hashlib.sha256(words.encode()).hexdigest()[:32]


class Spool:
    def __init__(self, folder: Path) -> None:
        self.arrays, self._outcomes = folder / "arrays", folder / "outcomes"
        self._sources = folder / "sources"

    def source(self, name: str) -> Path:
        return self._sources / f"{name}.cu"

    def put_outcome(self, sent: Sent, judgement: Judgement) -> None:
        keep_images(self._outcomes / sent.name, judgement)  # first: the JSON file names them
        value = {"key": sent.key, "judgement": judgement_json(judgement)}
        write_json(self._outcomes / f"{sent.name}.json", value)

    def outcome_names(self) -> set[str]:
        """The jobs with an outcome; one listing, which a network file system keeps fresh."""
        return {file.stem for file in self._outcomes.glob("*.json")}

    def outcome(self, name: str, key: str) -> Judgement | None:
        """The judgement with its pictures; None when it is absent, damaged or of another key."""
        from lockstep_grader.results.schema import judgement_from_json  # takes pydantic

        try:
            data = read_json(self._outcomes / f"{name}.json")
            if data["key"] != key:
                return None
            return with_pictures(judgement_from_json(data["judgement"]), self._outcomes / name)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def drop_outcome(self, name: str) -> None:
        (self._outcomes / f"{name}.json").unlink(missing_ok=True)
        shutil.rmtree(self._outcomes / name, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Task:
    """What submitit hands to a node, which judges as the submitting machine would."""

    folder: Path  # of the spool
    workspace: Workspace  # with a ready lockstep.json
    wanted: Wanted
    sent: tuple[Sent, ...]


def run_task(task: Task) -> None:
    """Judges what `task` asks for. Its outcomes are files; nothing is returned.

    Slurm sends SIGTERM before it takes the node away: children end, finished outcomes stay.
    """
    interruption.listen(signal.SIGTERM)
    spool = Spool(task.folder)
    awaited = [each for each in task.sent if spool.source(each.name).is_file()]
    try:
        session = open_session(task.workspace, task.wanted)
    except InterruptedRunError:
        raise
    except (LockstepError, OSError) as error:
        reason = system_error_line(error) if isinstance(error, OSError) else str(error)
        for each in awaited:
            spool.put_outcome(each, Judgement(fault=f"{reason} (on {_node()})"))
        return
    judge = _NodeJudge(session.judge, spool, {result_id(each.job): each for each in awaited})
    jobs = [each.job for each in awaited]
    with stage("judging", sys.stdout) as progress:
        for _ in judge_each(
            jobs, judge, session.setup.processes, max_workers=session.jobs, progress=progress
        ):
            pass  # each outcome is a file by now


class _NodeJudge:
    """Writes down each outcome, faults included."""

    def __init__(self, judge: RungJudge, spool: Spool, sent: Mapping[ResultId, Sent]) -> None:
        self._judge, self._spool, self._sent = judge, spool, sent
        self.backend, self.keys = judge.backend, judge.keys

    def judge(self, job: Job, source: Source | Finding) -> Judgement:
        sent = self._sent[result_id(job)]
        judgement = self._judged(sent, source)
        self._spool.put_outcome(sent, judgement)
        return judgement

    def _judged(self, sent: Sent, source: Source | Finding) -> Judgement:
        if self.keys.of(sent.job, source) != sent.key:
            return Judgement(
                fault=f"{_node()} has another lab, judge, toolchain, nvcc or compute-sanitizer "
                "than the machine that submitted; is the checkout one shared folder?"
            )
        kills_before = oom_kills()
        judgement = judged(sent.job, source, self._judge)
        fault = judgement.fault
        if oom_kills() != kills_before:
            fault = (
                "Slurm's memory limit for the task was reached; give it more, as in --slurm mem=8G"
            )
        return Judgement(fault=f"{fault} (on {_node()})") if fault else judgement


def oom_kills(proc: Path = Path("/proc"), cgroups: Path = Path("/sys/fs/cgroup")) -> int:
    """How many processes of our control group the kernel has killed so far; 0 where unknown.

    The limit is the task's, not the submission's: such an end says nothing about the worker.
    """
    total = 0
    try:
        lines = (proc / "self/cgroup").read_text("utf-8").splitlines()
    except OSError:
        return 0
    for line in lines:
        number, controllers, path = [*line.split(":", 2), "", ""][:3]
        if number == "0" and not controllers:
            file = cgroups / path.lstrip("/") / "memory.events"
        elif "memory" in controllers.split(","):
            file = cgroups / "memory" / path.lstrip("/") / "memory.oom_control"
        else:
            continue
        try:
            fields = dict(row.split(maxsplit=1) for row in file.read_text("utf-8").splitlines())
            total += int(fields.get("oom_kill", 0))
        except (OSError, ValueError):
            continue
    return total


def _node() -> str:
    return os.environ.get("SLURMD_NODENAME") or socket.gethostname()
