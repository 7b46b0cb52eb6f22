# SPDX-License-Identifier: MIT
"""One (submission, rung) job, from source to judgement."""

import tempfile
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from lockstep_grader.confine.sandbox import UNCONFINED, Confinement
from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.compile import compile_rung
from lockstep_grader.judging.job import Job
from lockstep_grader.judging.judge import Workers, run_judge
from lockstep_grader.judging.key import Keys
from lockstep_grader.judging.lab_confinement import LabConfinement
from lockstep_grader.judging.reference import References
from lockstep_grader.judging.sanitizer import Patient, Sanitizer, sanitize
from lockstep_grader.machine.gpus import GpuPool
from lockstep_grader.machine.process import Processes
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, LockstepError, system_error_line
from lockstep_grader.model.grades import Backend, Finding, FindingKind, Judgement, TestResult
from lockstep_grader.toolchain.description import LabTools, Toolchain

_HOPELESS = frozenset({FindingKind.TODO, FindingKind.TIMEOUT, FindingKind.DEADLOCK})


class RungJudge:
    """Judges jobs with one toolchain; safe to call from several threads."""

    def __init__(
        self,
        workspace: Workspace,
        toolchain: Toolchain,
        processes: Processes,
        seed: int | None,
        gpus: GpuPool,
        sanitizer: Sanitizer | None = None,
        confinement: Confinement = UNCONFINED,
    ) -> None:
        """`sanitizer` judges cleanliness on a GPU; None leaves that out."""
        self._confinement = confinement
        self._lab_confinement = LabConfinement(workspace, confinement)
        self._toolchain, self._processes = toolchain, processes
        self._seed, self._sanitizer = seed, sanitizer
        self._references = References(workspace, toolchain, processes, confinement)
        self._gpus = gpus
        self.keys = Keys(workspace, toolchain, seed, sanitizer, self._lab_confinement)

    @property
    def backend(self) -> Backend:
        return self._toolchain.backend

    @property
    def seed(self) -> int | None:
        return self._seed

    def judge(self, job: Job, source: Source | Finding) -> Judgement:
        """Never raises for what the submission or the judge did: a fault is in the judgement."""
        if isinstance(source, Finding):
            return Judgement(findings=(source,))
        started = time.monotonic()
        try:
            with tempfile.TemporaryDirectory(prefix="lockstep-") as work:
                judgement = self._judge(job, source, Path(work))
        except FaultError as error:
            judgement = Judgement(fault=str(error))
        except OSError as error:
            judgement = Judgement(fault=system_error_line(error))
        except LockstepError:
            raise
        except Exception as error:  # whatever it is, the rest of the class is graded
            fault = f"a bug in the grader, please report it: {error!r}"
            judgement = Judgement(fault=fault)
        if changed := self.keys.changed():
            judgement = Judgement(fault=f"{changed} changed meanwhile; run the command again")
        return replace(judgement, seconds=time.monotonic() - started)

    def _judge(self, job: Job, source: Source, work: Path) -> Judgement:
        tools = self._toolchain.lab(job.lab.id)
        confinement = self._lab_confinement.of(job.lab)
        worker = compile_rung(self._toolchain, tools, source, work, self._processes, confinement)
        if isinstance(worker, Finding):
            return Judgement(findings=(worker,))
        if self.backend is Backend.CPU:
            workers = Workers(worker, sandbox=tuple(confinement.running(worker)))
            return self._run(job, tools, workers, work)
        beside = self._references.beside(worker, job.lab, job.rung)
        with self._gpus.measuring() as gpu:  # compiles overlap, measurements on one GPU do not
            sandbox = tuple(confinement.running(worker, gpu=gpu))
            judgement = self._run(job, tools, replace(beside, sandbox=sandbox, gpu=gpu), work)
        return self._with_sanitizer(job, tools, judgement, worker, work)

    def _run(self, job: Job, tools: LabTools, workers: Workers, work: Path) -> Judgement:
        tests, seed = run_judge(
            tools.judge,
            job.rung.id,
            workers,
            self._seed,
            work,
            self._processes,
            job.sought,
            job.shards if self.backend is Backend.CPU else 1,
        )
        return Judgement(tests=tests, seed=seed)

    def _with_sanitizer(
        self, job: Job, tools: LabTools, judgement: Judgement, worker: Path, work: Path
    ) -> Judgement:
        """`judgement` and what the checkers saw; they also tell why a wrong rung is wrong."""
        if self._sanitizer is None or _is_hopeless(judgement.tests):
            return judgement
        file_name = job.rung.file_name
        seed = int(judgement.seed) if judgement.seed.isdigit() else None
        patient = Patient(
            tools.judge, job.rung.id, file_name, worker, seed, work, self._gpus, self._confinement
        )
        checked = sanitize(self._sanitizer, patient, self._processes)
        return replace(judgement, tests=(*judgement.tests, *checked))


def _is_hopeless(tests: Iterable[TestResult]) -> bool:
    """Whether a checker would only wait for what does not end, or is not written yet."""
    return any(finding.kind in _HOPELESS for test in tests for finding in test.findings)
