# SPDX-License-Identifier: MIT
"""Judgements and results as JSON values. `schema` makes judgements of them again."""

import contextlib
import json
import shutil
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from lockstep_grader import __version__
from lockstep_grader.machine.files import scratch_for
from lockstep_grader.model.compat import UTC
from lockstep_grader.model.grades import (
    CompilerWarning,
    Finding,
    Judgement,
    LabResult,
    Resources,
    RungResult,
    SubmissionResult,
    TestResult,
)
from lockstep_grader.model.quiz import QuizResult, Sheet
from lockstep_grader.toolchain.description import Toolchain
from lockstep_grader.words.account import account_of

JSON_VERSION = 1


def toolchain_json(toolchain: Toolchain) -> dict[str, Any]:
    return {
        "grader": __version__,
        "compiler": dict(toolchain.compiler),
        "nvcc": dict(toolchain.nvcc),
        "digest": toolchain.digest,
    }


def report_head(toolchain: Toolchain, seed: int | None, graded_at: datetime) -> dict[str, Any]:
    """What `grade --json` writes before its submissions; schemas/grade.schema.json describes it."""
    return {
        "version": JSON_VERSION,
        "backend": toolchain.backend.value,
        "toolchain": toolchain_json(toolchain),
        "seed": seed,
        "graded_at": graded_at.astimezone(UTC).isoformat(timespec="seconds"),
    }


def submission_json(submission: SubmissionResult) -> dict[str, Any]:
    """One of the report's submissions."""
    return {
        "id": submission.id,
        "student": as_json(submission.student),
        "problem": submission.problem,
        "notes": list(submission.notes),
        "handed_in": submission.handed_in,
        "late": submission.is_late,
        "missing": submission.is_missing,
        "dispute": submission.dispute,
        "confirmations": as_json(submission.confirmations),
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
    for more in (*Sheet, "effort"):
        del report[more]  # `check` judges rungs alone
    report["rungs"] = [{**rung, "hint": hints.get(rung["id"])} for rung in report["rungs"]]
    return {**report_head(toolchain, seed, graded_at), "lab": report}


_NOT_WRITTEN = frozenset({"items", "is_telling", "notes", "png"})


def as_json(value: Any) -> Any:
    """A value of the grade model as JSON: a dataclass becomes an object of its fields."""
    match value:
        case Finding() | CompilerWarning():
            return _placed(value)
        case Resources():
            return resources_json(value)
        case Judgement():
            return {**_fields(value), "seconds": round(value.seconds, 3)}
        case tuple():
            return [as_json(each) for each in value]
        case Mapping():
            return {key: as_json(each) for key, each in value.items()}
    return _fields(value) if is_dataclass(value) else value


def resources_json(item: Resources) -> dict[str, Any]:
    """What nvcc says of one kernel on one architecture."""
    return {**_fields(item), "largest_block": item.largest_block}


def _fields(value: Any) -> dict[str, Any]:
    names = (each.name for each in fields(value) if each.name not in _NOT_WRITTEN)
    return {name: as_json(getattr(value, name)) for name in names}


def _placed(said: Finding | CompilerWarning) -> dict[str, Any]:
    """A finding with its kind, or a warning without one; null where no line is known."""
    kind = {"kind": said.kind} if isinstance(said, Finding) else {}
    return {
        **kind,
        "file": said.file,
        "line": said.line or None,
        "column": said.column or None,
        "message": said.message,
    }


def _lab(lab: LabResult) -> dict[str, Any]:
    return {
        "id": lab.id,
        "score": lab.score,
        "max_score": lab.max_score,
        "rungs": [_rung(rung) for rung in lab.rungs],
        **{sheet.value: None for sheet in Sheet},
        **{sheet.value: quiz_json(quiz) for sheet, quiz in lab.sheets.items()},
        "effort": as_json(lab.effort),
    }


def quiz_json(quiz: QuizResult) -> dict[str, Any]:
    """A student's answers and what they are worth."""
    return {
        "score": quiz.score,
        "max_score": quiz.max_score,
        "seed": quiz.seed,
        "problem": quiz.problem,
        "answers": as_json(quiz.answers),
    }


def _rung(rung: RungResult) -> dict[str, Any]:
    return {
        "id": rung.id,
        "score": rung.score,
        "max_score": rung.max_score,
        "outcome": rung.outcome,
        "parts": as_json(rung.parts),
        **as_json(rung.judgement),
        "account": as_json(account_of(rung.findings, rung.judgement.tests)),
        "findings": as_json(rung.findings),
        "counters": _counters(rung.judgement.tests),
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


@contextlib.contextmanager
def report_file(
    file: Path, head: Mapping[str, Any]
) -> Iterator[Callable[[SubmissionResult], None]]:
    """Writes the document of `grade --json` one submission at a time, however large the class.

    Yields what adds a submission's result; `file` is there, whole, when all went well.
    """
    with scratch_for(file) as scratch, scratch.open("w", encoding="ascii") as stream:
        stream.write(json.dumps(head, indent=2).removesuffix("\n}") + ',\n  "submissions": [')
        between = "\n"

        def add(result: SubmissionResult) -> None:
            nonlocal between
            stream.write(
                between + textwrap.indent(json.dumps(submission_json(result), indent=2), "    ")
            )
            between = ",\n"

        yield add
        stream.write("]\n}\n" if between == "\n" else "\n  ]\n}\n")


def copy_report(file: Path, target: Path) -> None:
    """A copy of the report where the caller wants it, which may be a pipe or a device."""
    with scratch_for(target) as scratch, file.open("rb") as source, scratch.open("wb") as stream:
        shutil.copyfileobj(source, stream)
