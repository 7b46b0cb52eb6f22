# SPDX-License-Identifier: MIT
"""What a node does: the rungs of one task, one after the other, each outcome written at once."""

import os
import signal
import socket
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from lockstep_grader.grading.pool import judge_each
from lockstep_grader.grading.slurm.oom import oom_kills
from lockstep_grader.grading.slurm.spool import Settings, Spool, TaskJob, read_task
from lockstep_grader.intake.catalog import find_lab, find_rung, read_labs
from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.session import Session, Wanted, open_session
from lockstep_grader.machine.interrupts import interruption
from lockstep_grader.machine.progress import stage
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import InterruptedRunError, LockstepError, system_error_line
from lockstep_grader.model.grades import Finding, Judgement
from lockstep_grader.request.job import Job
from lockstep_grader.results.store import ResultId


def run_task(file: str) -> None:
    """Judges what the task in `file` asks for. Its outcomes are files; nothing is returned.

    Slurm sends SIGTERM before it takes the node away: children end, finished outcomes stay.
    """
    interruption.heed(signal.SIGTERM)
    task = read_task(Path(file))
    spool = Spool(task.spool)
    jobs = [job for job in task.jobs if spool.source(job.name).is_file()]  # still waited for
    try:
        session = _session(task.settings)
        prepared = _prepared(task.settings, spool, jobs)
    except InterruptedRunError:
        raise
    except (LockstepError, OSError) as error:
        reason = system_error_line(error) if isinstance(error, OSError) else str(error)
        for job in jobs:
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

    def __init__(self, spool: Spool, jobs: Sequence[TaskJob]) -> None:
        self._spool = spool
        self._jobs = {job.result: job for job in jobs}
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
        if oom_kills() != self._kills_before[result]:
            judgement = Judgement(
                fault="Slurm's memory limit for the task was reached; give it more, as in "
                f"--slurm mem=8G (on {_node()})"
            )
        elif judgement.fault:
            judgement = Judgement(fault=f"{judgement.fault} (on {_node()})")
        self._spool.put_outcome(self._jobs[result], judgement)
        return judgement


def _session(settings: Settings) -> Session:
    wanted = Wanted(
        jobs=settings.workers,
        seed=settings.seed,
        sanitizer=settings.sanitizer,
        sandbox=settings.sandbox,
        confined=settings.confined,
    )
    return open_session(_workspace(settings), wanted)


def _prepared(settings: Settings, spool: Spool, jobs: Sequence[TaskJob]) -> list[Job]:
    labs = read_labs(_workspace(settings))

    def prepared(job: TaskJob) -> Job:
        lab = find_lab(labs, job.lab)
        rung = find_rung(lab, job.rung)
        return Job(job.submission, lab, rung, partial(_source, spool, job.name, rung.file_name))

    return list(map(prepared, jobs))


def _source(spool: Spool, name: str, file_name: str) -> Source:
    return Source(file_name, spool.source(name).read_bytes())


def _workspace(settings: Settings) -> Workspace:
    return Workspace(Path(settings.root), Path(settings.build_root), Path(settings.toolchain))


def _node() -> str:
    return os.environ.get("SLURMD_NODENAME") or socket.gethostname()
