# SPDX-License-Identifier: MIT
"""Points from findings: the whole grading policy, in one place and without I/O."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from lockstep_grader.model.grades import (
    COST_KINDS,
    EMULATOR,
    Backend,
    Confirmation,
    Finding,
    FindingKind,
    Gate,
    Judgement,
    Lab,
    LabResult,
    Outcome,
    Part,
    PartScore,
    Rung,
    RungResult,
    TestResult,
    tidy,
)
from lockstep_grader.model.measures import (
    COMPILER_MEASURES,
    blamed_place,
    budget_sentence,
    compiler_measures,
    follows_from_whole,
    spoken,
)
from lockstep_grader.model.text import one_line

# A kind later in this list is often the consequence of an earlier one.
# A missing bounds check lets two threads meet at one address, which is a race; a missing barrier is
# a race, then a read of what no thread has written yet, and then a wrong result.
_CAUSES_FIRST = (
    (FindingKind.COMPILE_ERROR, FindingKind.FORBIDDEN, FindingKind.TODO),
    (FindingKind.LAUNCH_ERROR, FindingKind.OUT_OF_MEMORY),
    (FindingKind.HOST_POINTER,),
    (FindingKind.OUT_OF_BOUNDS, FindingKind.MISALIGNED),
    (FindingKind.BARRIER_DIVERGENCE,),
    (FindingKind.RACE,),
    (FindingKind.DEADLOCK, FindingKind.TIMEOUT, FindingKind.CRASH),
    (FindingKind.UNINITIALIZED_READ,),
    (FindingKind.INPUT_MODIFIED,),
    (FindingKind.WRONG_RESULT, FindingKind.OUTPUT_UNWRITTEN),
    (FindingKind.LEAK, FindingKind.HOST_WAIT),
    (FindingKind.BUDGET, FindingKind.SLOW),
)
_RANKS = {kind: rank for rank, kinds in enumerate(_CAUSES_FIRST) for kind in kinds}

# These stand before an uninitialized read in the list. But an index, pointer or state that no
# thread has written leads to them, too: then the read was found first.
_AFTER_GARBAGE = frozenset(
    {
        FindingKind.HOST_POINTER,
        FindingKind.OUT_OF_BOUNDS,
        FindingKind.MISALIGNED,
        FindingKind.DEADLOCK,
        FindingKind.TIMEOUT,
        FindingKind.CRASH,
    }
)
# A kernel that has crashed also leaves its work undone, which looks as if the host did it.
_FOLLOWERS = {
    FindingKind.UNINITIALIZED_READ: _AFTER_GARBAGE,
    # A lane that does not come sends garbage.
    FindingKind.BARRIER_DIVERGENCE: frozenset({FindingKind.OUT_OF_BOUNDS, FindingKind.MISALIGNED}),
    FindingKind.CRASH: frozenset({FindingKind.FORBIDDEN}),
}


def may_follow(cause: FindingKind, kind: FindingKind) -> bool:
    """Whether a finding of this kind tends to be a consequence of one of the kind `cause`."""
    return kind in _FOLLOWERS.get(cause, ()) or _RANKS[kind] > _RANKS[cause]


def causes_first(findings: Iterable[Finding]) -> list[Finding]:
    """Causes before consequences, for findings in the order in which they were made."""
    ordered: list[tuple[int, Finding]] = []
    before: set[FindingKind] = set()
    for finding in findings:
        before.add(finding.kind)
        follows = [kind for kind, after in _FOLLOWERS.items() if finding.kind in after]
        cause = next((kind for kind in follows if kind in before), finding.kind)
        if finding.kind is FindingKind.CRASH and not finding.line:
            cause = FindingKind.LEAK  # too much was printed, for example: it explains no result
        ordered.append((_RANKS[cause], finding))
    return [finding for _, finding in sorted(ordered, key=lambda each: each[0])]


# Causes that a student should see even when a required rung is not right yet.
_OWN_CAUSES = frozenset({FindingKind.TODO, FindingKind.COMPILE_ERROR, FindingKind.FORBIDDEN})


def score_lab(lab: Lab, judgements: Mapping[str, Judgement], backend: Backend) -> LabResult:
    """The lab's result from one judgement a rung, with `requires` applied."""
    results: dict[str, RungResult] = {}
    for rung in lab.rungs:
        if rung.id in judgements:
            result = score_rung(rung, judgements[rung.id], backend)
            results[rung.id] = _held_back(result, [results.get(need) for need in rung.requires])
    return LabResult(lab.id, tuple(results.values()))


def score_rung(rung: Rung, judgement: Judgement, backend: Backend) -> RungResult:
    """The points of one rung by itself, without regard to the rungs that it requires."""
    if fault := fault_of(rung, judgement, backend):
        return _ungraded(rung, replace(judgement, fault=fault))
    findings = list(_each_once(judgement.findings, judgement.tests))
    correctness = 0.0 if forbidden_in(judgement, backend) else _correct_fraction(judgement)
    sound = correctness == 1 and _is_clean(judgement, findings)
    efficiency = 0.0
    if correctness == 1:
        efficiency, slow = _efficiency(rung, judgement, backend)
        findings += slow
    parts = {
        Part.CORRECTNESS: _part(rung, Part.CORRECTNESS, correctness),
        Part.CLEANLINESS: _part(rung, Part.CLEANLINESS, 1.0 if sound else 0.0),
        Part.EFFICIENCY: _part(rung, Part.EFFICIENCY, efficiency),
    }
    full = correctness == 1 and sound and efficiency == 1 and not findings
    outcome = Outcome.PASSED if full else Outcome.FAILED
    if full and _is_noisy(rung, judgement.tests, backend):
        outcome = Outcome.NOISY
    return RungResult(rung.id, outcome, parts, tuple(findings), judgement)


def forbidden_in(judgement: Judgement, backend: Backend) -> Finding | None:
    """The first thing that the rung did and may not do: then none of its results counts.

    On a GPU a measurement of time may err, and so may NVIDIA's tools. What these call forbidden
    costs the points of their own part alone.
    """
    for test in judgement.tests:
        is_exact = test.part is Part.CORRECTNESS or test.name == EMULATOR
        for finding in test.findings if is_exact or backend is Backend.CPU else ():
            if finding.kind is FindingKind.FORBIDDEN:
                return finding
    return None


def fault_of(rung: Rung, judgement: Judgement, backend: Backend) -> str:
    """Why the judgement cannot be turned into points; empty when it can."""
    if judgement.fault:
        return judgement.fault
    for test in judgement.tests:
        if test.outcome is Outcome.ERROR:
            return f"{test.name}: {test.message or 'the judge gave up'}"
    measured = [test for test in judgement.tests if test.part is Part.EFFICIENCY]
    if not rung.gates(backend) or _correct_fraction(judgement) < 1:
        return ""
    if not measured:
        return "lab.toml has gates for this rung, but the judge measured nothing"
    if backend is Backend.CPU and all(test.outcome is Outcome.PASSED for test in measured):
        # A ratio may be impossible to measure on some GPU; a count is always there.
        for gate in rung.budget:
            if gate.name in COMPILER_MEASURES:
                continue  # where there is no nvcc, it is not judged
            if not any(gate.name in test.measures for test in measured):
                return f"lab.toml has a budget for {gate.name}, but the judge did not measure it"
    return ""


def _correct_fraction(judgement: Judgement) -> float:
    if judgement.findings:
        return 0.0
    tests = [test for test in judgement.tests if test.part is Part.CORRECTNESS]
    passed = sum(test.outcome is Outcome.PASSED for test in tests)
    return passed / len(tests) if tests else 0.0


def _is_clean(judgement: Judgement, findings: Iterable[Finding]) -> bool:
    tests = (test for test in judgement.tests if test.part is Part.CLEANLINESS)
    return all(finding.kind in COST_KINDS for finding in findings) and not any(
        test.outcome is Outcome.FAILED for test in tests
    )


def _efficiency(rung: Rung, judgement: Judgement, backend: Backend) -> tuple[float, list[Finding]]:
    """The least fraction over all gates of all efficiency tests; what fell short, worst first."""
    fraction = 1.0
    # With whether it only follows from another measure, which comes first; and with what it earns.
    short: list[tuple[bool, float, Finding]] = []
    by_nvcc = compiler_measures(judgement.resources)
    for gate in rung.budget if backend is Backend.CPU else ():
        value = by_nvcc.get(gate.name)
        if value is not None and gate.fraction(value) < 1:
            message = budget_sentence(gate, value, {}, {})
            finding = Finding(FindingKind.BUDGET, message, rung.file_name)
            short.append((False, gate.fraction(value), finding))
            fraction = min(fraction, gate.fraction(value))
    for test in judgement.tests:
        if test.part is not Part.EFFICIENCY:
            continue
        if test.outcome is Outcome.FAILED:
            fraction = 0.0
        for gate in rung.gates(backend):
            value = credited(gate, test)
            if value is None:
                continue
            earned = gate.fraction(value)
            if earned < 1:
                found = _over_budget if backend is Backend.CPU else _too_slow
                follows = follows_from_whole(gate.name, value, test.measures)
                short.append((follows, earned, found(rung, gate, test)))
            fraction = min(fraction, earned)
    short.sort(key=lambda each: each[:2])
    return fraction, [finding for *_, finding in short]


def credited(gate: Gate, test: TestResult) -> float | None:
    """What counts for `gate`, at least the measured median; None if it was not measured.

    A submission can make its own times differ as it likes. So the better end of its interval counts
    only as far as `noise` reaches, which the judge measured without the submission.
    """
    value = test.measures.get(gate.name)
    if value is None:
        return None
    noise = test.measures.get("noise", 0.0)
    if gate.zero < gate.full:
        best = test.measures.get(f"{gate.name}_high", value)
        return max(value, min(best, value * (1 + noise)))
    best = test.measures.get(f"{gate.name}_low", value)
    return min(value, max(best, value * (1 - noise)))


def passes_by_noise(gate: Gate, test: TestResult) -> bool:
    """Whether the full mark is in reach of the measured value, within the machine's noise."""
    value, best = test.measures.get(gate.name), credited(gate, test)
    if value is None or best is None:
        return False
    return gate.fraction(value) < 1 and gate.fraction(best) == 1


def _is_noisy(rung: Rung, tests: Iterable[TestResult], backend: Backend) -> bool:
    return any(
        test.outcome is Outcome.NOISY
        or any(passes_by_noise(gate, test) for gate in rung.gates(backend))
        for test in tests
        if test.part is Part.EFFICIENCY
    )


def _too_slow(rung: Rung, gate: Gate, test: TestResult) -> Finding:
    message = (
        f"{spoken(gate.name, test.measures[gate.name])}: "
        f"points begin at {gate.zero:g}, the full mark is at {gate.full:g}"
    )
    return Finding(FindingKind.SLOW, message, rung.file_name)


def _over_budget(rung: Rung, gate: Gate, test: TestResult) -> Finding:
    value = test.measures[gate.name]
    place = blamed_place(gate, value, test.places)
    message = budget_sentence(gate, value, test.measures, test.places)
    if place is None:
        return Finding(FindingKind.BUDGET, message, rung.file_name)
    return Finding(FindingKind.BUDGET, message, place.file, place.line)


def _held_back(result: RungResult, required: Sequence[RungResult | None]) -> RungResult:
    blocked = any(need is not None and not _is_right(need) for need in required)
    own_cause = any(finding.kind in _OWN_CAUSES for finding in result.findings)
    if not blocked or own_cause or result.outcome is Outcome.ERROR:
        return result
    parts = {part: PartScore(0.0, score.max_score) for part, score in result.parts.items()}
    return RungResult(result.id, Outcome.SKIPPED, parts, result.findings, result.judgement)


def _is_right(result: RungResult) -> bool:
    """Right is correct, or unknown through no fault of the student; speed does not matter."""
    correctness = result.parts[Part.CORRECTNESS]
    return result.outcome is Outcome.ERROR or (
        result.outcome is not Outcome.SKIPPED and correctness.score == correctness.max_score
    )


def _ungraded(rung: Rung, judgement: Judgement) -> RungResult:
    parts = {part: PartScore(None, rung.points.of(part)) for part in Part}
    findings = tuple(_each_once(judgement.findings, judgement.tests))
    return RungResult(rung.id, Outcome.ERROR, parts, findings, judgement)


def _part(rung: Rung, part: Part, fraction: float) -> PartScore:
    points = rung.points.of(part)
    return PartScore(tidy(points * fraction), points)


def _each_once(own: Iterable[Finding], tests: Iterable[TestResult]) -> Sequence[Finding]:
    """The first finding of each kind and place; causes before consequences, else in order."""
    unique: dict[tuple[str, str, int], Finding] = {}
    for finding in [*own, *(found for test in tests for found in test.findings)]:
        unique.setdefault((finding.kind, finding.file, finding.line), finding)
    return causes_first(unique.values())


_DIFFERENCE_CHARS = 300
_SOUNDNESS = (Part.CORRECTNESS, Part.CLEANLINESS)


def compare(
    lab: str, first: RungResult, second: RungResult, backends: tuple[Backend, Backend]
) -> Confirmation:
    """Both results as they are without regard to other rungs.

    Whether a rung is right and clean must be the same on each backend. Efficiency is another
    question on each: counters on one, time on the other.
    """
    here, there = backends
    seed, fault = second.judgement.seed, second.judgement.fault
    if second.score is None:
        return Confirmation(lab, first.id, there, seed, None, _short(fault))
    said = "; ".join(_differences(first, second, is_same_backend=here is there))
    if said and second.findings:
        finding = second.findings[0]
        said += f" ({finding.said})"
    return Confirmation(lab, first.id, there, seed, not said, _short(said))


def _differences(first: RungResult, second: RungResult, *, is_same_backend: bool) -> Iterator[str]:
    for part in (*_SOUNDNESS, *((Part.EFFICIENCY,) if is_same_backend else ())):
        before, after = first.parts[part], second.parts[part]
        # Part of an efficiency depends on the inputs; whether it is the full mark does not.
        is_full = (before.score == before.max_score, after.score == after.max_score)
        same = is_full[0] == is_full[1] if part is Part.EFFICIENCY else before == after
        if not same:
            yield f"{part} {before.score:g}, then {after.score:g} of {after.max_score:g}"


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _DIFFERENCE_CHARS else f"{line[: _DIFFERENCE_CHARS - 3]}..."
