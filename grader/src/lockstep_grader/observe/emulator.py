# SPDX-License-Identifier: MIT
"""Cleanliness on a GPU, the emulator's part: the same file and the same judge, on the processor.

A kernel can notice compute-sanitizer, by the time that it takes, and behave. It cannot notice what
the emulator's checkers see: there it always runs under them.
"""

import time
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import (
    EMULATOR,
    Backend,
    Finding,
    Judgement,
    Outcome,
    Part,
    TestResult,
)
from lockstep_grader.model.score import causes_first
from lockstep_grader.request.job import EVERY_TEST, Job


class Judge(Protocol):
    """Judges on the cpu backend."""

    def judge(self, job: Job, source: Source | Finding) -> Judgement: ...


def emulated(judge: Judge | None, job: Job, source: Source) -> tuple[TestResult, ...]:
    """One test of cleanliness; none without a judge.

    Raises FaultError where the emulator cannot judge.
    """
    if judge is None:
        return ()
    started = time.monotonic()
    judgement = judge.judge(replace(job, awaited=EVERY_TEST, nvcc=None, shards=1), source)
    if judgement.fault:
        raise FaultError(f"the emulator, which judges cleanliness, too: {judgement.fault}")
    findings = _findings(judgement)
    failed = [test for test in judgement.tests if test.outcome is Outcome.FAILED]
    outcome, message = Outcome.PASSED, ""
    if judgement.findings:
        outcome = Outcome.FAILED
        message = (
            "cleanliness is judged on the emulator, too, and this file does not run there: "
            "./lab check --backend cpu shows how it fares"
        )
    elif failed or findings:
        outcome = Outcome.FAILED
        message = (
            f"{failed[0].name} fails on the emulator" if failed else "the emulator found mistakes"
        )
        message += ": ./lab check --backend cpu shows more"
    seconds = time.monotonic() - started
    return (TestResult(EMULATOR, Part.CLEANLINESS, outcome, message, seconds, findings),)


def _findings(judgement: Judgement) -> tuple[Finding, ...]:
    """Each kind and place once."""
    unique: dict[tuple[str, str, int], Finding] = {}
    for finding in (
        *judgement.findings,
        *(one for test in judgement.tests for one in test.findings),
    ):
        named = replace(finding, message=f"on the emulator: {finding.message}")
        unique.setdefault((finding.kind, finding.file, finding.line), named)
    return tuple(causes_first(unique.values()))


def emulator_file(toolchain_file: Path) -> Path:
    """Where the cpu backend's toolchain is if another one's is `toolchain_file`."""
    return toolchain_file.parent.with_name(str(Backend.CPU)) / toolchain_file.name
