# SPDX-License-Identifier: MIT
"""Judgements and results as JSON values. `parsed` makes judgements of them again."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from lockstep_grader import __version__
from lockstep_grader.model.compat import UTC
from lockstep_grader.model.grades import (
    CompilerWarning,
    Confirmation,
    Finding,
    Judgement,
    LabResult,
    Resources,
    RungResult,
    SubmissionResult,
    TestResult,
)
from lockstep_grader.model.quiz import QuizResult
from lockstep_grader.toolchain.description import Toolchain
from lockstep_grader.words.account import Account, account_of

JSON_VERSION = 1


def report_head(toolchain: Toolchain, seed: int | None, graded_at: datetime) -> dict[str, Any]:
    """What `grade --json` writes before its submissions; schemas/grade.schema.json describes it."""
    return {
        "version": JSON_VERSION,
        "backend": toolchain.backend.value,
        "toolchain": {
            "grader": __version__,
            "compiler": dict(toolchain.compiler),
            "nvcc": dict(toolchain.nvcc),
            "digest": toolchain.digest,
        },
        "seed": seed,
        "graded_at": graded_at.astimezone(UTC).isoformat(timespec="seconds"),
    }


def submission_json(submission: SubmissionResult) -> dict[str, Any]:
    """One of the report's submissions."""
    return {
        "id": submission.id,
        "student": asdict(submission.student),
        "problem": submission.problem,
        "notes": list(submission.notes),
        "handed_in": submission.handed_in,
        "late": submission.is_late,
        "missing": submission.is_missing,
        "dispute": submission.dispute,
        "confirmations": [confirmation_json(each) for each in submission.confirmations],
        "score": submission.score,
        "max_score": submission.max_score,
        "labs": [_lab(lab) for lab in submission.labs],
    }


def check_json(
    toolchain: Toolchain,
    seed: int | None,
    graded_at: datetime,
    folder: Path,
    *,
    lab: LabResult,
    hints: Mapping[str, str],
) -> dict[str, Any]:
    """What `check --json` writes; schemas/check.schema.json describes it.

    `folder` holds the lab's; `hints` are the commands that show a rung's hints.
    """
    report = {**_lab(lab), "folder": str(folder / lab.id)}
    del report["quiz"]  # `check` judges rungs alone
    report["rungs"] = [{**rung, "hint": hints.get(rung["id"])} for rung in report["rungs"]]
    return {**report_head(toolchain, seed, graded_at), "lab": report}


def confirmation_json(confirmation: Confirmation) -> dict[str, Any]:
    return {**asdict(confirmation), "backend": confirmation.backend.value}


def judgement_json(judgement: Judgement) -> dict[str, Any]:
    return {
        "tests": [_test(test) for test in judgement.tests],
        "findings": [_finding(finding) for finding in judgement.findings],
        "warnings": [_warning(warning) for warning in judgement.warnings],
        "resources": [resources_json(item) for item in judgement.resources],
        "fault": judgement.fault,
        "seed": judgement.seed,
        "seconds": round(judgement.seconds, 3),
    }


def _lab(lab: LabResult) -> dict[str, Any]:
    return {
        "id": lab.id,
        "score": lab.score,
        "max_score": lab.max_score,
        "rungs": [_rung(rung) for rung in lab.rungs],
        "quiz": lab.quiz and quiz_json(lab.quiz),
    }


def quiz_json(quiz: QuizResult) -> dict[str, Any]:
    """A student's answers and what they are worth."""
    return {
        "score": quiz.score,
        "max_score": quiz.max_score,
        "seed": quiz.seed,
        "problem": quiz.problem,
        "answers": [asdict(answer) for answer in quiz.answers],
    }


def _rung(rung: RungResult) -> dict[str, Any]:
    judgement = rung.judgement
    return {
        "id": rung.id,
        "score": rung.score,
        "max_score": rung.max_score,
        "outcome": rung.outcome.value,
        "parts": {
            part.value: {"score": score.score, "max_score": score.max_score}
            for part, score in rung.parts.items()
        },
        "fault": judgement.fault,
        "account": _account(account_of(rung.findings, judgement.tests)),
        "findings": [_finding(finding) for finding in rung.findings],
        "warnings": [_warning(warning) for warning in judgement.warnings],
        "resources": [resources_json(item) for item in judgement.resources],
        "counters": _counters(judgement.tests),
        "tests": [_test(test) for test in judgement.tests],
        "seed": judgement.seed,
        "seconds": round(judgement.seconds, 3),
    }


def _counters(tests: Sequence[TestResult]) -> dict[str, dict[str, float]]:
    """The counters of all tests, summed for each kernel."""
    sums: dict[str, dict[str, float]] = {}
    for test in tests:
        for kernel, counters in test.counters.items():
            kernel_sums = sums.setdefault(kernel, {})
            for name, value in counters.items():
                kernel_sums[name] = kernel_sums.get(name, 0) + value
    return sums


def _test(test: TestResult) -> dict[str, Any]:
    return {
        "name": test.name,
        "part": test.part.value,
        "outcome": test.outcome.value,
        "message": test.message,
        "seconds": test.seconds,
        "findings": [_finding(finding) for finding in test.findings],
        "output": test.output,
        "measures": dict(test.measures),
        "counters": {kernel: dict(counters) for kernel, counters in test.counters.items()},
        "places": {
            name: {"file": place.file, "line": place.line, "value": place.value}
            for name, place in test.places.items()
        },
        "images": [{"label": image.label, "file": image.file} for image in test.images],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind.value,
        "file": finding.file,
        "line": finding.line or None,
        "column": finding.column or None,
        "message": finding.message,
    }


def _account(account: Account) -> dict[str, Any]:
    return {
        "cause": account.cause and _finding(account.cause),
        "said": account.said,
        "effects": list(account.effects),
        "left_out": account.left_out,
    }


def _warning(warning: CompilerWarning) -> dict[str, Any]:
    return {
        "file": warning.file,
        "line": warning.line or None,
        "column": warning.column or None,
        "message": warning.message,
    }


def resources_json(item: Resources) -> dict[str, Any]:
    """What nvcc says of one kernel on one architecture."""
    return {
        "kernel": item.kernel,
        "architecture": item.architecture,
        "registers": item.registers,
        "static_shared_bytes": item.static_shared_bytes,
        "local_bytes": item.local_bytes,
        "spilled_bytes": item.spilled_bytes,
        "constant_bytes": item.constant_bytes,
        "largest_block": item.largest_block,
    }
