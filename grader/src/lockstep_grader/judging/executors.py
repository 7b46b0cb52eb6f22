# SPDX-License-Identifier: MIT
"""Where the jobs of `grade` run: on this machine's cores, or on a cluster."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from lockstep_grader.judging.job import Job
from lockstep_grader.judging.pool import judge_class
from lockstep_grader.judging.session import Session
from lockstep_grader.machine.progress import Stage
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.compat import StrEnum
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Judgement
from lockstep_grader.results.store import Store


class ExecutorChoice(StrEnum):
    LOCAL = "local"
    SLURM = "slurm"


@dataclass(frozen=True, slots=True)
class Judging:
    """How a node of a cluster judges."""

    workers: int = 1  # rungs at once in one task
    sanitizer: bool = True
    sandbox: bool = True  # confine student code where that works
    confined: bool = True  # and refuse to run it where that does not


class Executor(Protocol):
    def run(
        self, jobs: Sequence[Job], session: Session, store: Store, progress: Stage
    ) -> Iterator[tuple[Job, Judgement]]:
        """Each job with its judgement, as they come; what `store` holds is not made again.

        What the machine fails to judge has a fault in its judgement. Raises InterruptedRunError
        on Ctrl-C, with the number of jobs done, and FaultError when nothing can be run at all.
        """
        ...


class LocalPool:
    """This machine, `session.jobs` rungs at once."""

    def run(
        self, jobs: Sequence[Job], session: Session, store: Store, progress: Stage
    ) -> Iterator[tuple[Job, Judgement]]:
        yield from judge_class(
            jobs,
            session.judge,
            session.processes,
            max_workers=session.jobs,
            progress=progress,
            store=store,
        )


def choose_executor(
    choice: ExecutorChoice,
    workspace: Workspace,
    pairs: Sequence[str],
    judging: Judging,
) -> Executor:
    """The executor of the options; `pairs`: of --slurm. Raises InputError or FaultError."""
    if choice is ExecutorChoice.LOCAL:
        if pairs:
            raise InputError("--slurm goes with --executor slurm")
        return LocalPool()
    # Only here: one machine alone needs no submitit.
    from lockstep_grader.judging.slurm.options import parse_slurm_options
    from lockstep_grader.judging.slurm.run import SlurmExecutor, require_slurm

    options = parse_slurm_options(pairs)
    require_slurm()
    return SlurmExecutor(workspace, options, judging)
