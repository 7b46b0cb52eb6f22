# SPDX-License-Identifier: MIT
"""One (submission, rung) job, from source to judgement."""

import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from lockstep_grader.confine.sandbox import UNCONFINED, Confinement
from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.compile import make_worker
from lockstep_grader.judging.emulated import emulated
from lockstep_grader.judging.full_device import may_be_anothers
from lockstep_grader.judging.job import Job
from lockstep_grader.judging.judge import Stage, Workers, run_judge, workers_on_cpu
from lockstep_grader.judging.key import Keys
from lockstep_grader.judging.lab_confinement import LabConfinement
from lockstep_grader.judging.real_compiler import (
    NOT_COMPILED,
    Compiled,
    RealCompiler,
    compile_for_gpus,
)
from lockstep_grader.judging.reference import References
from lockstep_grader.judging.sanitizer import Patient, Sanitizer, is_right, sanitize
from lockstep_grader.judging.standing_judges import StandingJudges
from lockstep_grader.judging.unlaunched import with_forgotten_launch
from lockstep_grader.machine.gpus import GpuPool
from lockstep_grader.machine.process import Processes
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, LockstepError, system_error_line
from lockstep_grader.model.grades import (
    WRONG,
    Backend,
    CompilerWarning,
    Finding,
    FindingKind,
    Judgement,
    Part,
    TestResult,
)
from lockstep_grader.rules.source import check_source
from lockstep_grader.toolchain.description import LabTools, Toolchain
from lockstep_grader.toolchain.nvcc import Phase

_HOPELESS = frozenset(
    {FindingKind.TODO, FindingKind.TIMEOUT, FindingKind.DEADLOCK, FindingKind.FORBIDDEN}
)


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
        real_compiler: RealCompiler | None = None,
        emulator: "RungJudge | None" = None,
        is_background: bool = False,
    ) -> None:
        """`sanitizer` and `emulator` judge cleanliness on a GPU; None leaves one out, as with nvcc.

        `is_background`: measurements on a GPU go first.
        """
        self._emulator, self._is_background = emulator, is_background
        self._confinement, self._real_compiler = confinement, real_compiler
        self._lab_confinement = LabConfinement(workspace, confinement)
        self._toolchain, self._processes = toolchain, processes
        self._seed, self._sanitizer = seed, sanitizer
        self._references = References(workspace, toolchain, processes, confinement)
        self._gpus = gpus
        self._standing = StandingJudges(processes) if self.backend is Backend.CUDA else None
        self.keys: Keys = Keys(
            workspace,
            toolchain,
            seed,
            sanitizer,
            self._lab_confinement,
            real_compiler,
            emulator.keys if emulator else None,
        )

    @property
    def backend(self) -> Backend:
        return self._toolchain.backend

    @property
    def asks_emulator(self) -> bool:
        return self._emulator is not None

    @property
    def seed(self) -> int | None:
        return self._seed

    def judge(self, job: Job, source: Source | Finding) -> Judgement:
        """Never raises for a failure of the submission or the judge: a judgement has it."""
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
        """By nvcc, at the same time our compiler and the judge; on a GPU the emulator, too.

        If a person waits for the verdict, nvcc comes after it.
        """
        if forbidden := check_source(source, self.backend):
            return Judgement(findings=(forbidden,))
        with ThreadPoolExecutor(2, thread_name_prefix="beside") as beside:
            ask_nvcc = partial(self._compiled, job, source, work / "nvcc", job.phase)
            compiling = None if job.tell else beside.submit(ask_nvcc)
            emulating = beside.submit(self._emulated, job, source)
            judgement = self._run_worker(job, source, work)
            judgement = replace(judgement, tests=with_forgotten_launch(judgement.tests, source))
            if job.tell and self._asks_nvcc(job):
                job.tell(judgement)
            compiled = compiling.result() if compiling else ask_nvcc()
            judgement = _with(judgement, emulating)
        warnings = _each_line_once((*compiled.warnings, *judgement.warnings))
        if judgement.fault or not (compiled.errors or judgement.findings):
            return replace(judgement, warnings=warnings, resources=compiled.resources)
        if compiled.errors and self._is_better_told(compiled, judgement):
            return Judgement(findings=compiled.errors, warnings=warnings)
        if judgement.findings and self._is_unknown_here(job, source, judgement, compiled, work):
            unknown = _unknown_here(judgement.findings[0])
            return replace(judgement, findings=(unknown,))
        return judgement

    def _emulated(self, job: Job, source: Source) -> tuple[TestResult, ...]:
        return (emulated(self._emulator, job, source),) if self._emulator else ()

    def _asks_nvcc(self, job: Job) -> bool:
        return self._real_compiler is not None and job.phase is not None

    def _compiled(self, job: Job, source: Source, work: Path, phase: Phase | None) -> Compiled:
        """What nvcc says of the rung, if it is asked."""
        if self._real_compiler is None or phase is None:
            return NOT_COMPILED
        return compile_for_gpus(
            self._real_compiler,
            source,
            job.rung.architectures,
            self._toolchain.lab(job.lab.id).include,
            work,
            self._processes,
            self._lab_confinement.of(job.lab),
            phase,
        )

    def _is_unknown_here(
        self, job: Job, source: Source, judgement: Judgement, compiled: Compiled, work: Path
    ) -> bool:
        """Whether our compiler refuses what nvcc compiles: CUDA that our headers do not have."""
        finding = judgement.findings[0]
        is_refused = self.backend is Backend.CPU and finding.kind is FindingKind.COMPILE_ERROR
        if not is_refused or not finding.line or self._real_compiler is None or job.phase is None:
            return False
        if compiled.errors:
            return False
        return not self._compiled(job, source, work / "whole", Phase.WHOLE).errors

    def _is_better_told(self, compiled: Compiled, judgement: Judgement) -> bool:
        """Whether nvcc's errors count: a rung that does not compile has no results.

        If clang also refuses the rung, its messages are told: they are the same wherever the rung
        is judged.
        """
        if not judgement.findings:
            return True
        kinds = {finding.kind for finding in judgement.findings}
        if kinds != {FindingKind.COMPILE_ERROR} or not compiled.errors[0].line:
            return False
        return not judgement.findings[0].line

    def _run_worker(self, job: Job, source: Source, work: Path) -> Judgement:
        tools = self._toolchain.lab(job.lab.id)
        confinement = self._lab_confinement.of(job.lab)
        made = make_worker(self._toolchain, tools, source, work, self._processes, confinement)
        if (worker := made.worker) is None:
            return Judgement(findings=made.errors, warnings=made.warnings)
        if self.backend is Backend.CPU:
            workers = workers_on_cpu(self._toolchain, worker, confinement)
            judgement = self._run(job, tools, workers, work, Stage.ALL, self._seed)
            return replace(judgement, warnings=(*made.warnings, *judgement.warnings))
        judgement = self._run_on_gpu(job, tools, worker, confinement, work)
        return self._with_sanitizer(job, tools, judgement, worker, work)

    def _run_on_gpu(
        self, job: Job, tools: LabTools, worker: Path, confinement: Confinement, work: Path
    ) -> Judgement:
        """Tests while others use the GPU, too. A measurement needs it alone."""
        beside = self._references.beside(worker, job.lab, job.rung)

        def run(gpu: str, stage: Stage, seed: int | None = self._seed) -> Judgement:
            sandbox = tuple(confinement.running(worker, gpu=gpu))
            workers = replace(self._references.on(gpu, job.lab, beside), sandbox=sandbox)
            return self._run(job, tools, workers, work, stage, seed)

        tested = None
        with self._gpus.checking() as gpu, suppress(FaultError):
            tested = run(gpu, Stage.ALL_BUT_MEASUREMENTS)
        if tested is None or any(may_be_anothers(test) for test in tested.tests):
            with self._gpus.measuring() as gpu:
                return run(gpu, Stage.ALL)
        to_measure = [test.name for test in tested.tests if test.part is Part.EFFICIENCY]
        if not to_measure or any(test.outcome in WRONG for test in tested.tests):
            return tested
        with self._gpus.measuring() as gpu:
            measured = run(gpu, Stage.MEASUREMENTS, _number(tested.seed))
        others = [test for test in tested.tests if test.name not in to_measure]
        return replace(tested, tests=(*others, *measured.tests))

    def _run(
        self,
        job: Job,
        tools: LabTools,
        workers: Workers,
        work: Path,
        stage: Stage,
        seed: int | None,
    ) -> Judgement:
        tests, used_seed = run_judge(
            tools.judge,
            job.rung.id,
            workers,
            seed,
            work,
            self._processes,
            job.sought,
            job.shards if self.backend is Backend.CPU else 1,
            self._is_background,
            stage,
            self._standing,
        )
        notes = _each_line_once([note for test in tests for note in test.notes])
        return Judgement(tests=tests, seed=used_seed, warnings=notes)

    def _with_sanitizer(
        self, job: Job, tools: LabTools, judgement: Judgement, worker: Path, work: Path
    ) -> Judgement:
        """`judgement` and what the checkers saw; they also tell why a wrong rung is wrong."""
        if not (self._sanitizer and self._standing) or _is_hopeless(judgement.tests):
            return judgement
        file_name = job.rung.file_name
        patient = Patient(
            tools.judge,
            job.rung.id,
            file_name,
            worker,
            _number(judgement.seed),
            work,
            self._gpus,
            self._standing,
            self._confinement,
            self._toolchain.anchors,
        )
        checked = sanitize(self._sanitizer, patient, judgement.tests, self._processes)
        return replace(judgement, tests=(*judgement.tests, *checked))


def _number(seed: str) -> int | None:
    return int(seed) if seed.isdigit() else None


def _with(judgement: Judgement, emulating: Future[tuple[TestResult, ...]]) -> Judgement:
    """`judgement` and what the emulator saw."""
    try:
        checked = emulating.result()
    except FaultError:
        if is_right(judgement.tests):
            raise
        return judgement  # which costs the points for cleanliness already
    return replace(judgement, tests=(*judgement.tests, *checked))


def _each_line_once(warnings: Sequence[CompilerWarning]) -> tuple[CompilerWarning, ...]:
    """Two compilers say the same in different words."""
    first: dict[int, CompilerWarning] = {}
    for warning in warnings:
        first.setdefault(warning.line, warning)
    return tuple(first.values())


def _unknown_here(finding: Finding) -> Finding:
    """It still costs the points, or a rung could choose not to be graded."""
    message = (
        f"nvcc compiles this, but the emulator does not know it ({finding.message}): write it in "
        "another way, or check with a GPU (--backend cuda)"
    )
    return replace(finding, message=message)


def _is_hopeless(tests: Iterable[TestResult]) -> bool:
    """Whether a checker would be useless: the rung does not end, is not written yet, or attacks."""
    return any(finding.kind in _HOPELESS for test in tests for finding in test.findings)
