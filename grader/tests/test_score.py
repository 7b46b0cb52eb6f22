# SPDX-License-Identifier: MIT
"""The grading policy, without I/O."""

from dataclasses import replace

import pytest

from lockstep_grader.model.grades import (
    EMULATOR,
    Backend,
    Finding,
    FindingKind,
    Gate,
    Judgement,
    Lab,
    Outcome,
    Part,
    RungResult,
    TestResult,
    total,
)
from lockstep_grader.model.score import causes_first, credited, score_lab, score_rung

from conftest import demo_rung

SHARE = Gate("share", zero=0.1, full=0.5)
RIGHT = TestResult("Right", Part.CORRECTNESS, Outcome.PASSED)
WRONG = TestResult("Wrong", Part.CORRECTNESS, Outcome.FAILED)


def speed_test(outcome: Outcome = Outcome.PASSED, /, **measures: float) -> TestResult:
    return TestResult("Speed", Part.EFFICIENCY, outcome, measures=measures)


def on_gpu(*tests: TestResult) -> RungResult:
    return score_rung(demo_rung(speed=(SHARE,)), Judgement(tests=tests), Backend.CUDA)


def efficiency(result: RungResult) -> float | None:
    return result.parts[Part.EFFICIENCY].score


@pytest.mark.parametrize(
    ("value", "fraction"), [(0.0, 0.0), (0.1, 0.0), (0.3, 0.5), (0.5, 1.0), (0.9, 1.0)]
)
def test_a_gate_gives_points_linearly_between_zero_and_full(value: float, fraction: float) -> None:
    assert SHARE.fraction(value) == pytest.approx(fraction)


def test_a_gate_where_lower_is_better_runs_the_other_way() -> None:
    budget = Gate("sectors", zero=8, full=4)
    assert [budget.fraction(value) for value in (10, 8, 6, 4, 2)] == [0, 0, 0.5, 1, 1]


LOUD = {"share": 0.45, "share_low": 0.4, "share_high": 0.55, "noise": 0.2}
SLOW = {"share": 0.2, "share_low": 0.1, "share_high": 0.9, "noise": 0.5}
NEAR = {"share": 0.49, "share_low": 0.47, "share_high": 0.51}
# A submission can wait at random; the anchors, which cannot, say what the machine's noise is.
WIDE = {"share": 0.3, "share_low": 0.1, "share_high": 0.9}


@pytest.mark.parametrize(
    ("tests", "points", "outcome"),
    [
        ([RIGHT, speed_test(share=0.3)], 2, "failed"),
        ([RIGHT, speed_test(share=0.5), speed_test(share=0.2)], 1, "failed"),  # the least counts
        ([RIGHT, speed_test(Outcome.FAILED, share=0.9)], 0, "failed"),
        ([RIGHT, WRONG, speed_test(share=0.9)], 0, "failed"),
        ([RIGHT, speed_test(gbps=100)], 4, "passed"),  # no ratio could be measured
        ([RIGHT, speed_test(**WIDE)], 2, "failed"),
        ([RIGHT, speed_test(**WIDE, noise=0.01)], 2.03, "failed"),
        ([RIGHT, speed_test(**NEAR, noise=0.03)], 4, "noisy"),
        ([RIGHT, speed_test(**NEAR, noise=0.01)], 3.95, "failed"),
        ([RIGHT, speed_test(share=0.4, share_low=0.38, share_high=0.42)], 3, "failed"),
        ([RIGHT, speed_test(Outcome.NOISY, **LOUD)], 4, "noisy"),
        ([RIGHT, speed_test(Outcome.NOISY, **SLOW)], 2, "failed"),  # as 0.3 would, without noise
    ],
)
def test_speed_earns_what_lies_between_the_gates_within_the_machines_noise(
    tests: list[TestResult], points: float, outcome: str
) -> None:
    result = on_gpu(*tests)
    assert efficiency(result) == pytest.approx(points, abs=0.01)
    assert result.outcome == outcome
    if outcome == "failed" and points in (2, 3):
        assert [finding.kind for finding in result.findings] == [FindingKind.SLOW]
        assert result.parts[Part.CLEANLINESS].score == 1  # slow is not unclean


def forbids(name: str, part: Part) -> TestResult:
    found = (Finding(FindingKind.FORBIDDEN, "the host did the work"),)
    return TestResult(name, part, Outcome.FAILED, findings=found)


@pytest.mark.parametrize(
    ("backend", "name", "part"),
    [
        (Backend.CPU, "Measured", Part.EFFICIENCY),
        (Backend.CPU, "Sum", Part.CORRECTNESS),
        (Backend.CUDA, "Sum", Part.CORRECTNESS),
        (Backend.CUDA, EMULATOR, Part.CLEANLINESS),
    ],
)
def test_a_rung_that_does_what_is_forbidden_earns_nothing(
    backend: Backend, name: str, part: Part
) -> None:
    judgement = Judgement(tests=(RIGHT, forbids(name, part), speed_test(share=0.9)))
    result = score_rung(demo_rung(speed=(SHARE,)), judgement, backend)
    assert (result.score, result.outcome) == (0, Outcome.FAILED)


@pytest.mark.parametrize(
    ("name", "part"),
    [("Measured", Part.EFFICIENCY), ("compute-sanitizer.racecheck", Part.CLEANLINESS)],
)
def test_clocks_and_tools_on_a_gpu_take_only_their_own_points(name: str, part: Part) -> None:
    result = on_gpu(RIGHT, forbids(name, part), speed_test(share=0.9))
    assert result.parts[Part.CORRECTNESS].score == 4


def test_noise_lowers_what_should_be_low() -> None:
    gate = Gate("time", zero=8, full=4)
    assert credited(gate, speed_test(time=5, time_low=3, noise=0.1)) == pytest.approx(4.5)
    assert credited(gate, speed_test(time=5, time_low=4.8, noise=0.1)) == 4.8
    assert credited(gate, speed_test(time=5)) == 5
    assert credited(gate, speed_test()) is None


def test_gates_that_nobody_measured_are_the_judges_fault() -> None:
    result = on_gpu(RIGHT)
    assert (result.outcome, result.score) == (Outcome.ERROR, None)
    assert "measured nothing" in result.judgement.fault


def test_without_gates_a_correct_rung_has_its_efficiency_points() -> None:
    result = score_rung(demo_rung(speed=(SHARE,)), Judgement(tests=(RIGHT,)), Backend.CPU)
    assert (result.score, result.outcome) == (9, Outcome.PASSED)


def test_skipped_correctness_tests_do_not_count_as_passed() -> None:
    skipped = TestResult("Later", Part.CORRECTNESS, Outcome.SKIPPED)
    result = score_rung(demo_rung(), Judgement(tests=(RIGHT, skipped)), Backend.CPU)
    assert result.parts[Part.CORRECTNESS].score == 2


def test_a_failed_cleanliness_test_costs_cleanliness() -> None:
    dirty = TestResult("Clean", Part.CLEANLINESS, Outcome.FAILED)
    result = score_rung(demo_rung(), Judgement(tests=(RIGHT, dirty)), Backend.CPU)
    assert [result.parts[part].score for part in Part] == [4, 0, 4]


def test_a_finding_is_reported_once_however_many_tests_met_it() -> None:
    race = Finding(FindingKind.RACE, "both write", "x.cu", 3)
    test = TestResult("Racy", Part.CORRECTNESS, Outcome.FAILED, findings=(race, race))
    result = score_rung(demo_rung(), Judgement(tests=(test, test)), Backend.CPU)
    assert result.findings == (race,)


def test_a_rung_blocked_by_a_fault_is_graded_anyway() -> None:
    lab = Lab("01-demo", "demo", "", "", (), (demo_rung("01_a"), demo_rung("02_b", needs="01_a")))
    right = Judgement(tests=(RIGHT,))
    result = score_lab(lab, {"01_a": Judgement(fault="no"), "02_b": right}, Backend.CPU)
    assert [rung.outcome for rung in result.rungs] == [Outcome.ERROR, Outcome.PASSED]
    assert result.score is None


def test_being_skipped_blocks_the_next_rung_too_but_a_todo_stays_a_todo() -> None:
    rungs = (demo_rung("01_a"), demo_rung("02_b", needs="01_a"), demo_rung("03_c", needs="02_b"))
    lab = Lab("01-demo", "demo", "", "", (), rungs)
    todo = Judgement(findings=(Finding(FindingKind.TODO, "TODO: all"),))
    right = Judgement(tests=(RIGHT,))
    blocked = score_lab(lab, {"01_a": todo, "02_b": right, "03_c": right}, Backend.CPU)
    assert [rung.outcome for rung in blocked.rungs] == ["failed", "skipped", "skipped"]
    unwritten = score_lab(lab, dict.fromkeys(("01_a", "02_b", "03_c"), todo), Backend.CPU)
    assert {rung.outcome for rung in unwritten.rungs} == {Outcome.FAILED}


def test_a_sum_with_an_ungraded_part_is_ungraded() -> None:
    assert total([1.5, 2]) == 3.5
    assert total([1.5, None]) is None
    assert total([0.1] * 3) == 0.3


def test_the_cause_of_a_wrong_result_comes_before_it() -> None:
    def found(*kinds: FindingKind) -> tuple[Finding, ...]:
        return tuple(Finding(kind, str(kind), "01_first.cu", 7) for kind in kinds)

    first = found(FindingKind.RACE, FindingKind.WRONG_RESULT, FindingKind.OUT_OF_BOUNDS)
    second = found(FindingKind.LEAK, FindingKind.WRONG_RESULT, FindingKind.UNINITIALIZED_READ)
    failed = [
        TestResult(name, Part.CORRECTNESS, Outcome.FAILED, findings=findings)
        for name, findings in (("First", first), ("Second", second))
    ]
    result = score_rung(demo_rung(), Judgement(tests=tuple(failed)), Backend.CPU)
    assert [finding.kind for finding in result.findings] == [
        FindingKind.OUT_OF_BOUNDS,
        FindingKind.RACE,
        FindingKind.UNINITIALIZED_READ,
        FindingKind.WRONG_RESULT,
        FindingKind.LEAK,
    ]


@pytest.mark.parametrize(
    ("cause", "before"),
    [(FindingKind.UNINITIALIZED_READ, True), (FindingKind.BARRIER_DIVERGENCE, True),
     (FindingKind.BARRIER_DIVERGENCE, False)],
)  # fmt: skip
def test_an_index_out_of_bounds_may_come_of_garbage(cause: FindingKind, before: bool) -> None:
    """Then the garbage was found first."""
    out_of_bounds = Finding(FindingKind.OUT_OF_BOUNDS, "out", "01_first.cu", 8)
    garbage = Finding(cause, "garbage", "01_first.cu", 7)
    made = [garbage, out_of_bounds] if before else [out_of_bounds, garbage]
    assert causes_first(made) == made


def test_a_gate_with_an_upper_end_gives_nothing_beyond_it() -> None:
    """Strided loads touch 32 sectors per request: more than wide ones, and no better."""
    gate = Gate("read_sectors_per_request", zero=4, full=15, most=17)
    assert [gate.fraction(value) for value in (4, 15, 16, 17, 31.8)] == [0, 1, 1, 1, 0]
    rung = replace(demo_rung(), budget=(gate,))
    tests = (
        TestResult("Right", Part.CORRECTNESS, Outcome.PASSED),
        TestResult(
            "Budget", Part.EFFICIENCY, Outcome.PASSED, measures={"read_sectors_per_request": 31.8}
        ),
    )
    result = score_rung(rung, Judgement(tests=tests), Backend.CPU)
    assert result.parts[Part.EFFICIENCY].score == 0
    assert "full mark: at least 15, at most 17" in result.findings[0].message
    assert "no points above 17" in result.findings[0].message
