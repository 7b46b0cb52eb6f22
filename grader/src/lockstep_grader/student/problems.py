# SPDX-License-Identifier: MIT
"""A rung's findings as lines that every editor can read: FILE:LINE: SEVERITY: KIND: MESSAGE."""

from collections.abc import Iterator
from pathlib import Path

from lockstep_grader.model.grades import (
    COST_KINDS,
    Finding,
    FindingKind,
    Lab,
    Outcome,
    Rung,
    RungResult,
)
from lockstep_grader.model.text import one_line

# compilers' words, as editors know them
_ERROR, _WARNING, _NOTE = "error", "warning", "note"


def problem_lines(root: Path, folder: Path, lab: Lab, rung: Rung, result: RungResult) -> list[str]:
    """One line for each finding, of the rung in `folder`, of the checkout `root`.

    A lost point always has a line: where no finding says why, the first failed test does.
    """
    rung_file = folder / lab.id / rung.file_name
    lines = []
    for finding in result.findings:
        file = _where(finding, rung_file, [root / "labs" / lab.id, root / "common/cuda/lab"])
        line = finding.line if file else 0
        place = f"{file or rung_file}:{line or 1}"
        lines.append(f"{place}: {_severity(finding)}: {one_line(finding.said)}")
    return lines or [f"{rung_file}:1: {_ERROR}: {said}" for said in _without_finding(result)]


def _where(finding: Finding, rung_file: Path, others: list[Path]) -> Path | None:
    """The file that the finding names: the rung, or a header that it includes."""
    candidates = [folder / finding.file for folder in (rung_file.parent, *others)]
    return next((file for file in candidates if finding.file and file.is_file()), None)


def _severity(finding: Finding) -> str:
    if finding.kind is FindingKind.TODO:
        return _NOTE
    return _WARNING if finding.kind in COST_KINDS else _ERROR


def _without_finding(result: RungResult) -> Iterator[str]:
    if result.outcome is Outcome.ERROR:
        yield one_line(f"not_graded: {result.judgement.fault}")
    elif result.outcome is Outcome.FAILED:
        failed = (test for test in result.judgement.tests if test.outcome is Outcome.FAILED)
        for test in list(failed)[:1]:
            yield one_line(f"failed: {test.name}: {test.message}")
