# SPDX-License-Identifier: MIT
"""Where the jobs of `grade` run: on this machine's cores, or on a cluster."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from lockstep_grader.grading.pool import judge_class
from lockstep_grader.judging.session import Session, Wanted
from lockstep_grader.machine.progress import Stage
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.compat import StrEnum
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Judgement
from lockstep_grader.request.job import Job
from lockstep_grader.results.store import Store


class ExecutorChoice(StrEnum):
    LOCAL = "local"
    SLURM = "slurm"


class Executor(Protocol):
    @property
    def judges_here(self) -> bool:
        """Whether students' code runs on this machine."""

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

    judges_here = True

    def run(
        self, jobs: Sequence[Job], session: Session, store: Store, progress: Stage
    ) -> Iterator[tuple[Job, Judgement]]:
        yield from judge_class(
            jobs,
            session.judge,
            session.setup.processes,
            max_workers=session.jobs,
            progress=progress,
            store=store,
        )


def choose_executor(
    choice: ExecutorChoice, workspace: Workspace, pairs: Sequence[str], wanted: Wanted
) -> Executor:
    """The executor of the options; `pairs`: of --slurm. Raises InputError or FaultError.

    A node of a cluster judges as is `wanted`, a rung at a time if that does not say how many.
    """
    if choice is ExecutorChoice.LOCAL:
        if pairs:
            raise InputError("--slurm goes with --executor slurm")
        return LocalPool()
    # Only here: one machine alone needs no submitit.
    from lockstep_grader.grading.slurm.options import parse_slurm_options
    from lockstep_grader.grading.slurm.run import SlurmExecutor, require_slurm

    options = parse_slurm_options(pairs)
    require_slurm()
    node = replace(wanted, jobs=wanted.jobs or 1, await_nvcc=False)
    return SlurmExecutor(workspace, options, node)
