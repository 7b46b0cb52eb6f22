# SPDX-License-Identifier: MIT
"""The way of one rung from its source to a judgement. Read this file first.

A request goes through six stages, each in a package of its own:

    request   what is judged: a job, and the setup that all jobs share
    rules     examined: what a rung may not contain
    compile   compiled: the worker, by clang or nvcc
    observe   observed: what the worker does in the hands of the lab's judge
    judging   judged: one judgement of all that was seen
    words     told: mistakes in a student's words, at the student's line
"""

import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from lockstep_grader.compile.nvcc import NOT_COMPILED, Compiled, compile_for_gpus
from lockstep_grader.compile.worker import References, make_worker
from lockstep_grader.intake.submission import Source
from lockstep_grader.model.errors import FaultError, LockstepError, system_error_line
from lockstep_grader.model.grades import (
    Backend,
    CompilerWarning,
    Finding,
    FindingKind,
    Judgement,
)
from lockstep_grader.observe.judge import Workers, workers_on_cpu
from lockstep_grader.observe.observer import Observer, emulators_test
from lockstep_grader.request.job import EVERY_TEST, Job, Setup
from lockstep_grader.request.key import Keys
from lockstep_grader.rules.source import check_source
from lockstep_grader.toolchain.nvcc import Phase
from lockstep_grader.words.likely import with_likely_cause


class RungJudge:
    """Judges jobs with one setup; safe to call from several threads."""

    def __init__(self, setup: Setup, emulator: "RungJudge | None" = None) -> None:
        """`emulator` also judges the cleanliness of rungs that run on a GPU."""
        self.setup = setup
        self.emulator = emulator
        self.keys: Keys = Keys(setup, emulator.keys if emulator else None)
        self._observer = Observer(setup)
        self._references = References(setup)

    @property
    def backend(self) -> Backend:
        return self.setup.backend

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
        """nvcc and the emulator work at the same time. If a person waits, nvcc comes last."""
        self.setup.check_gpu(job.rung)
        if forbidden := check_source(source, may_use_libraries=job.rung.uses_libraries):
            return Judgement(findings=(forbidden,))
        ask_nvcc = partial(self._ask_nvcc, job, source, work / "nvcc", job.phase)
        with ThreadPoolExecutor(2, thread_name_prefix="beside") as beside:
            compiling = None if job.tell else beside.submit(ask_nvcc)
            emulating = None
            if self.emulator:
                whole = replace(job, awaited=EVERY_TEST, nvcc=None, shards=1)
                emulating = beside.submit(self.emulator.judge, whole, source)
            judgement = self._observed(job, source, work)
            if job.tell and self.setup.nvcc and job.phase:
                job.tell(judgement)
            compiled = compiling.result() if compiling else ask_nvcc()
            if emulating:
                judgement = _with_emulator(judgement, emulating.result())
        return self._concluded(job, source, judgement, compiled, work)

    def _observed(self, job: Job, source: Source, work: Path) -> Judgement:
        setup = self.setup.of(job.lab, job.rung)
        built = make_worker(setup, source, work)
        if built.worker is None:
            return Judgement(findings=built.errors, warnings=built.warnings)
        if self.backend is Backend.CPU:
            workers = workers_on_cpu(setup, built.worker)
        else:
            workers = Workers(
                built.worker,
                anchors=self.setup.toolchain.anchors,
                first=self._references.worker(job.lab, job.lab.rungs[0]),
                first_times=self._references.folder_of(job.lab),
                reference=self._references.worker(job.lab, job.rung),
            )
        judgement = self._observer.observe(job, setup, workers, work)
        tests = with_likely_cause(judgement.tests, source, built.warnings)
        warnings = (*built.warnings, *judgement.warnings)
        return replace(judgement, tests=tests, warnings=warnings)

    def _ask_nvcc(self, job: Job, source: Source, work: Path, phase: Phase | None) -> Compiled:
        if phase is None:
            return NOT_COMPILED
        return compile_for_gpus(self.setup.of(job.lab, job.rung), job.rung, source, work, phase)

    def _concluded(
        self, job: Job, source: Source, judgement: Judgement, compiled: Compiled, work: Path
    ) -> Judgement:
        """One judgement of what the judge saw and of what nvcc says."""
        warnings = _each_line_once((*compiled.warnings, *judgement.warnings))
        if judgement.fault or not (compiled.errors or judgement.findings):
            return replace(judgement, warnings=warnings, resources=compiled.resources)
        if compiled.errors:
            if _nvccs_errors_count(compiled, judgement):
                return Judgement(findings=compiled.errors, warnings=warnings)
            return judgement
        refused = judgement.findings[0]
        is_clangs = self.backend is Backend.CPU and refused.kind is FindingKind.COMPILE_ERROR
        if is_clangs and refused.line and self.setup.nvcc and job.phase:
            whole = self._ask_nvcc(job, source, work / "whole", Phase.WHOLE)
            warned = {warning.line for warning in whole.warnings}
            if not whole.errors and refused.line not in warned:
                return replace(judgement, findings=(_unknown_here(refused),))
        return judgement


def _nvccs_errors_count(compiled: Compiled, judgement: Judgement) -> bool:
    """Whether nvcc's errors are the verdict: a rung that does not compile has no results.

    If clang also refuses the rung, its messages are told: they are the same wherever the rung is
    judged.
    """
    if not judgement.findings:
        return True
    kinds = {finding.kind for finding in judgement.findings}
    if kinds != {FindingKind.COMPILE_ERROR} or not compiled.errors[0].line:
        return False
    return not judgement.findings[0].line


def _with_emulator(judgement: Judgement, emulated: Judgement) -> Judgement:
    """`judgement` and what the emulator saw."""
    try:
        checked = emulators_test(emulated)
    except FaultError:
        if judgement.is_right:
            raise
        return judgement  # which costs the points for cleanliness already
    return replace(judgement, tests=(*judgement.tests, checked))


def _each_line_once(warnings: Sequence[CompilerWarning]) -> tuple[CompilerWarning, ...]:
    """Two compilers say the same in different words."""
    first: dict[int, CompilerWarning] = {}
    for warning in warnings:
        first.setdefault(warning.line, warning)
    return tuple(first.values())


def _unknown_here(finding: Finding) -> Finding:
    """CUDA that our headers do not have. It still costs points, or a rung could escape grading."""
    message = (
        f"nvcc compiles this, but the emulator does not know it ({finding.message}): write it in "
        "another way, or check with a GPU (--backend cuda)"
    )
    return replace(finding, message=message)
