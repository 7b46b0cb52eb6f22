# SPDX-License-Identifier: MIT
"""Explains a rung's points: each loss with its reason and its place. No I/O."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lockstep_grader.model.grades import (
    COST_KINDS,
    Backend,
    Finding,
    LabResult,
    Outcome,
    Part,
    Rung,
    RungResult,
    TestResult,
    tidy,
)
from lockstep_grader.model.measures import blamed_place, bound, figure_of, kept
from lockstep_grader.model.score import forbidden_in
from lockstep_grader.words.account import account_of, is_due_to

_NOT_RUN = "because the rung did not run"
# What the judge says around the reason of a failed test: such tests may fail for the same one.
_AROUND = re.compile(
    r"^with [^\n]*? \(the smallest failing size found\): "
    r"|^not run, because an earlier test ended the run: |\n.*",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Loss:
    """Points that a part of a rung lacks, and why. Nothing lost: it says what was kept."""

    part: Part
    points: float
    reason: str
    place: str = ""  # FILE:LINE, where one is known
    is_cause: bool = False  # of the losses that follow; it costs nothing by itself


def losses(
    rung: Rung, result: RungResult, lab: LabResult | None, backend: Backend
) -> tuple[Loss, ...]:
    """Every reason for which `result` has not the full mark, part by part.

    `lab` holds the results of the rungs that `rung` requires. A part whose points are lost for
    several reasons names the first with the points and the others with none.
    """
    if result.outcome is Outcome.ERROR:
        return ()
    if result.outcome is Outcome.SKIPPED:
        return tuple(_held_back(rung, result, lab))
    if forbidden := forbidden_in(result.judgement, backend):
        return tuple(_forbidden(result, forbidden))
    wrong = tuple(_correctness(result))
    return (*wrong, *_cleanliness(result, wrong), *_efficiency(rung, result, backend))


def _forbidden(result: RungResult, finding: Finding) -> Iterator[Loss]:
    reason, place = finding.said, place_of(finding)
    for part in Part:
        if lost := _lost(result, part):
            yield Loss(part, lost, reason, place)
        reason, place = "nothing counts of a rung that does what is forbidden", ""


def place_of(finding: Finding) -> str:
    return f"{finding.file}:{finding.line}" if finding.line else ""


def _lost(result: RungResult, part: Part) -> float:
    score = result.parts[part]
    return tidy(score.max_score - (score.score or 0.0))


def _held_back(rung: Rung, result: RungResult, lab: LabResult | None) -> Iterator[Loss]:
    wrong = [
        other.id
        for other in (lab.rungs if lab else ())
        if other.id in rung.requires and not _is_right(other)
    ]
    why = f"{', '.join(wrong or rung.requires)} must give right results first"
    for part in Part:
        if lost := _lost(result, part):
            yield Loss(part, lost, why)


def _correctness(result: RungResult) -> Iterator[Loss]:
    lost = _lost(result, Part.CORRECTNESS)
    if not lost:
        return
    tests = [test for test in result.judgement.tests if test.part is Part.CORRECTNESS]
    if not tests:  # it was not run: the file, the compiler
        yield from _one_loss(Part.CORRECTNESS, lost, result.findings)
        return
    wrong = [test for test in tests if test.outcome is not Outcome.PASSED]
    cause = _untold_cause(result)
    if cause:
        yield Loss(Part.CORRECTNESS, 0.0, cause.said, place_of(cause), is_cause=True)
    share = result.parts[Part.CORRECTNESS].max_score / len(tests)
    alike: dict[str, list[TestResult]] = {}
    for test in wrong:
        alike.setdefault(_AROUND.sub("", test.message) or test.name, []).append(test)
    for same in alike.values():
        said, place = _why_failed(same[0])
        if len(same) > 1:
            said = f"{len(same)} tests fail for one reason; the first is {said}"
        yield Loss(Part.CORRECTNESS, round(share * len(same), 3), said, place)


def _untold_cause(result: RungResult) -> Finding | None:
    """The finding from which wrong results follow, where no failed test's message has it."""
    failed = [test for test in result.judgement.tests if test.outcome is Outcome.FAILED]
    cause = account_of(result.findings, failed).cause
    if cause is None or not any(is_due_to(cause, test) for test in failed):
        return None
    return None if any(cause.message in test.message for test in failed) else cause


def _why_failed(test: TestResult) -> tuple[str, str]:
    if test.outcome is Outcome.SKIPPED:
        return f"{test.name} did not run: {test.message}", ""
    said = test.message or next((found.message for found in test.findings), "it failed")
    place = next((place_of(found) for found in test.findings if found.line), "")
    return f"{test.name}: {said}", place


def _cleanliness(result: RungResult, named: Sequence[Loss]) -> Iterator[Loss]:
    """Without the findings that the losses of correctness name."""
    lost = _lost(result, Part.CLEANLINESS)
    if not lost:
        return
    if not result.judgement.tests:
        yield Loss(Part.CLEANLINESS, lost, f"not checked, {_NOT_RUN}")
        return
    if _lost(result, Part.CORRECTNESS):
        yield Loss(
            Part.CLEANLINESS, lost, "only a rung whose results are all right counts as clean"
        )
        lost = 0.0
    unclean = [
        found
        for found in result.findings
        if found.kind not in COST_KINDS and not any(found.message in each.reason for each in named)
    ]
    yield from _one_loss(Part.CLEANLINESS, lost, unclean)
    for test in result.judgement.tests if not unclean else ():
        if test.part is Part.CLEANLINESS and test.outcome is Outcome.FAILED:
            yield Loss(Part.CLEANLINESS, 0.0, *_why_failed(test))


def _efficiency(rung: Rung, result: RungResult, backend: Backend) -> Iterator[Loss]:
    lost = _lost(result, Part.EFFICIENCY)
    if not lost:
        return
    if not result.judgement.tests:
        yield Loss(Part.EFFICIENCY, lost, f"not measured, {_NOT_RUN}")
        return
    if _lost(result, Part.CORRECTNESS):
        yield Loss(Part.EFFICIENCY, lost, "not measured, because a result was wrong")
        return
    short = []
    for test in result.judgement.tests:
        if test.part is not Part.EFFICIENCY:
            continue
        if test.outcome is Outcome.FAILED:
            short.append((0.0, *_why_failed(test)))
        for gate in rung.gates(backend):
            value = test.measures.get(gate.name)
            if value is None or kept(gate, value):
                continue
            place = blamed_place(gate, value, test.places)
            said = (
                f"{gate.name} is {figure_of(gate.name, value)}; the full mark needs {bound(gate)}, "
                f"points begin at {figure_of(gate.name, gate.zero)}"
            )
            where = f"{place.file}:{place.line}" if place else ""
            short.append((gate.fraction(value), said, where))
    for number, (fraction, said, where) in enumerate(sorted(short, key=lambda each: each[0])):
        counts = "" if len(short) == 1 else f" (earns {100 * fraction:.0f} %; the least counts)"
        yield Loss(Part.EFFICIENCY, lost if number == 0 else 0.0, said + counts, where)


def _one_loss(part: Part, lost: float, findings: Iterable[Finding]) -> Iterator[Loss]:
    """All findings together cost the part: the first is named with its points."""
    for finding in findings:
        yield Loss(part, lost, finding.said, place_of(finding))
        lost = 0.0


def _is_right(result: RungResult) -> bool:
    return result.outcome is not Outcome.SKIPPED and not _lost(result, Part.CORRECTNESS)
