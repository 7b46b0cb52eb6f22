# SPDX-License-Identifier: MIT
"""What a node does: the rungs of one task, each outcome written at once."""

import os
import signal
import socket
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lockstep_grader.grading.pool import judge_each
from lockstep_grader.grading.slurm.spool import Spool, TaskJob
from lockstep_grader.intake.catalog import find_lab, find_rung, read_labs
from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.session import Wanted, open_session
from lockstep_grader.machine.interrupts import interruption
from lockstep_grader.machine.progress import stage
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import InterruptedRunError, LockstepError, system_error_line
from lockstep_grader.model.grades import Finding, Judgement
from lockstep_grader.request.job import Job
from lockstep_grader.results.store import ResultId


@dataclass(frozen=True, slots=True)
class Task:
    """What submitit hands to a node, which judges as the submitting machine would."""

    folder: Path  # of the spool
    workspace: Workspace  # with a ready lockstep.json
    wanted: Wanted
    jobs: tuple[TaskJob, ...]


def run_task(task: Task) -> None:
    """Judges what `task` asks for. Its outcomes are files; nothing is returned.

    Slurm sends SIGTERM before it takes the node away: children end, finished outcomes stay.
    """
    interruption.listen(signal.SIGTERM)
    spool = Spool(task.folder)
    jobs = {job.result: job for job in task.jobs if spool.source(job.name).is_file()}  # waited for
    try:
        session = open_session(task.workspace, task.wanted)
        labs = read_labs(task.workspace)
        prepared = []
        for job in jobs.values():
            lab = find_lab(labs, job.result.lab)
            rung = find_rung(lab, job.result.rung)
            read = partial(_source, spool.source(job.name), rung.file_name)
            prepared.append(Job(job.result.submission, lab, rung, read))
    except InterruptedRunError:
        raise
    except (LockstepError, OSError) as error:
        reason = system_error_line(error) if isinstance(error, OSError) else str(error)
        for job in jobs.values():
            spool.put_outcome(job, Judgement(fault=f"{reason} (on {_node()})"))
        return
    with stage("judging", sys.stdout) as progress:
        for _ in judge_each(
            prepared,
            session.judge,
            session.setup.processes,
            max_workers=session.jobs,
            progress=progress,
            store=_Outcomes(spool, jobs),
        ):
            pass  # each outcome is a file by now


class _Outcomes:
    """The shelf of a task: what it must do, and what came out, faults included."""

    def __init__(self, spool: Spool, jobs: dict[ResultId, TaskJob]) -> None:
        self._spool, self._jobs = spool, jobs
        self._kills_before: dict[ResultId, int] = {}

    def find(self, result: ResultId, key: str) -> Judgement | None:
        """An outcome of this very task before Slurm started it anew, if there is one."""
        job = self._jobs[result]
        if key != job.key:
            judgement = Judgement(
                fault=f"{_node()} has another lab, judge, toolchain, nvcc or compute-sanitizer "
                "than the machine that submitted; is the checkout one shared folder?"
            )
            self._spool.put_outcome(job, judgement)
            return judgement
        self._kills_before[result] = oom_kills()
        earlier = self._spool.outcome(job.name, key)
        return None if earlier is None or earlier.fault else earlier

    def settle(
        self, result: ResultId, key: str, source: Source | Finding, judgement: Judgement
    ) -> Judgement:
        fault = judgement.fault
        if oom_kills() != self._kills_before[result]:
            fault = (
                "Slurm's memory limit for the task was reached; give it more, as in --slurm mem=8G"
            )
        if fault:
            judgement = Judgement(fault=f"{fault} (on {_node()})")
        self._spool.put_outcome(self._jobs[result], judgement)
        return judgement


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


def _source(file: Path, file_name: str) -> Source:
    return Source(file_name, file.read_bytes())


def _node() -> str:
    return os.environ.get("SLURMD_NODENAME") or socket.gethostname()
