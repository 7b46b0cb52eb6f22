# SPDX-License-Identifier: MIT
"""Judges the jobs of `grade` on a cluster; results come back only through files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lockstep_grader.grading.executors import Judging
from lockstep_grader.grading.slurm.cluster import Cluster
from lockstep_grader.grading.slurm.options import SlurmOptions
from lockstep_grader.grading.slurm.run import Run
from lockstep_grader.grading.slurm.spool import Settings, Spool
from lockstep_grader.judging.session import Session
from lockstep_grader.machine.progress import Stage
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, InterruptedRunError
from lockstep_grader.model.grades import Backend, Judgement
from lockstep_grader.request.job import Job
from lockstep_grader.results.store import Store


@dataclass(frozen=True, slots=True)
class SlurmExecutor:
    """Rungs go out in arrays of tasks; outcomes come back as files in RESULTS/.slurm."""

    workspace: Workspace
    options: SlurmOptions
    judging: Judging

    def run(
        self, jobs: Sequence[Job], session: Session, store: Store, progress: Stage
    ) -> Iterator[tuple[Job, Judgement]]:
        cluster = Cluster(
            self.options, self.judging.workers, session.toolchain.backend is Backend.CUDA
        )
        settings = Settings(
            root=str(self.workspace.root),
            build_root=str(self.workspace.build_root),
            toolchain=str(session.toolchain.file.absolute()),
            seed=session.setup.seed,
            sanitizer=self.judging.sanitizer,
            sandbox=self.judging.sandbox,
            confined=self.judging.confined,
            workers=self.judging.workers,
        )
        spool = Spool(store.folder.absolute() / ".slurm")
        run = Run(self.options, cluster, spool, settings, session, store, progress)
        try:
            yield from run.take_stock(jobs)
            run.adopt()
            yield from run.to_the_end()
        except KeyboardInterrupt as stop:
            run.cancel()
            raise InterruptedRunError(f"interrupted after {run.progress}") from stop
        except FaultError as error:
            if not run.has_tasks:
                raise
            more = "; tasks that Slurm has go on, and the same command takes up what they find"
            raise FaultError(f"{error}{more}") from error
