# SPDX-License-Identifier: MIT
"""The cause is told once, before what follows from it, in the same words everywhere."""

from typing import Any

import pytest

from lockstep_grader.model.grades import (
    Finding,
    FindingKind,
    Outcome,
    Part,
    TestResult,
)
from lockstep_grader.model.score import causes_first
from lockstep_grader.results.export.words import explanation
from lockstep_grader.words.account import account_of
from made_up_grades import graded

from conftest import Checkout, rungs, verdict_line

FILE = "01_first.cu"


def finding(kind: str, line: int = 0, message: str = "") -> Finding:
    return Finding(FindingKind(kind), message or f"a {kind}", FILE if line else "", line)


def failed(name: str, *findings: Finding, message: str = "") -> TestResult:
    return TestResult(name, Part.CORRECTNESS, Outcome.FAILED, message, findings=findings)


@pytest.mark.parametrize(
    "kinds",
    [
        ("out_of_bounds", "race", "wrong_result"),  # no bounds check
        ("race", "uninitialized_read", "wrong_result"),  # no barrier
        ("launch_error", "out_of_bounds", "leak"),  # a failed cudaMalloc
        ("barrier_divergence", "race", "deadlock"),
        ("uninitialized_read", "wrong_result"),  # an output that is never zeroed
        ("race", "budget"),
        ("compile_error", "launch_error"),
    ],
)
def test_a_cause_comes_before_its_consequences(kinds: tuple[str, ...]) -> None:
    ordered = causes_first(finding(kind) for kind in reversed(kinds))
    assert tuple(found.kind.value for found in ordered) == kinds


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (finding("crash", 12), finding("forbidden")),  # a kernel that crashed did no work
        (finding("forbidden"), finding("race", 12)),
        (finding("wrong_result"), finding("crash")),  # too much printed, for example
        (finding("crash", 12), finding("wrong_result")),
    ],
)
def test_a_crash_is_a_cause_of_what_follows_from_it(first: Finding, second: Finding) -> None:
    assert causes_first([first, second]) == [first, second]
    if FindingKind.FORBIDDEN not in (first.kind, second.kind):
        assert causes_first([second, first]) == [first, second]


@pytest.mark.parametrize("kind", ["out_of_bounds", "misaligned", "crash", "deadlock"])
def test_an_unwritten_index_comes_before_what_it_leads_to(kind: str) -> None:
    unwritten, after = finding("uninitialized_read", 58), finding(kind, 65)
    assert causes_first([unwritten, after]) == [unwritten, after]
    assert causes_first([after, unwritten]) == [after, unwritten]
    race = finding("race", 58)  # a missing barrier: others read before the thread has written
    assert causes_first([unwritten, after, race]) == [race, unwritten, after]
    account = account_of([unwritten, after], [failed("A.First", unwritten), failed("A.B", after)])
    assert account.said == "2 tests fail for this reason; the first is A.First"


def test_every_kind_has_its_place() -> None:
    assert len(causes_first(finding(kind) for kind in FindingKind)) == len(FindingKind)


def test_tests_that_show_the_cause_or_only_its_consequences_are_counted_together() -> None:
    bounds, race = finding("out_of_bounds", 21), finding("race", 21, "both write; use an atomic")
    other = finding("out_of_bounds", 40)
    tests = [
        failed("A.First", bounds),
        failed("A.Second", race),
        failed("A.Third"),
        failed("A.Elsewhere", other),
        TestResult("A.Right", Part.CORRECTNESS, Outcome.PASSED),
    ]
    account = account_of([bounds, other, race], tests)
    assert account.cause == bounds
    assert account.said == "3 tests fail for this reason; the first is A.First"
    assert account.effects == (
        "out_of_bounds in line 40: a out_of_bounds",
        "race in line 21: both write",
    )
    assert account.left_out == 1


def test_the_test_that_is_named_shows_the_cause() -> None:
    bounds = finding("out_of_bounds", 20)
    wrong = finding("wrong_result", message="expected 2, got 3")
    tests = [failed("A.HostFunction", wrong), failed("A.Kernel", bounds)]
    account = account_of([bounds, wrong], tests)
    assert account.said == "2 tests fail for this reason; the first is A.Kernel"


def test_the_lines_of_an_effect_are_told_as_sentences() -> None:
    message = (
        "d_out[3]: expected 11, got 14\n  d_in [3 1]\n  got [0 14]\nIt looks as if z is left out."
    )
    effect = finding("wrong_result", 0, message)
    account = account_of([finding("race", 3), effect], [])
    said = "expected 11, got 14; d_in [3 1]; got [0 14]. It looks as if z is left out."
    assert account.effects == (f"wrong_result: d_out[3]: {said}",)


def test_one_test_is_counted_as_one() -> None:
    cause = finding("race", 3)
    said = account_of([cause], [failed("A.Only", cause)]).said
    assert said == "1 test fails for this reason: A.Only"


def test_a_finding_without_a_failed_test_says_where_it_was_seen() -> None:
    found = finding("uninitialized_read", 9)
    clean = TestResult("Suite.Clean", Part.CORRECTNESS, Outcome.PASSED)
    tests = [
        TestResult(name, Part.CORRECTNESS, Outcome.PASSED, findings=(found,))
        for name in ("Suite.DepthZero", "Suite.OneTile")
    ]
    assert account_of([found], [clean, tests[0]]).said == (
        "seen in Suite.DepthZero, where all results are right"
    )
    assert account_of([found], tests).said == (
        "seen in 2 tests, where all results are right; the first is Suite.DepthZero"
    )
    cost = finding("slow", 9)
    slow = TestResult("Suite.Slow", Part.EFFICIENCY, Outcome.PASSED, findings=(cost,))
    assert account_of([cost], [slow]).said == ""


def test_a_test_that_did_not_run_for_the_same_reason_is_counted_and_not_repeated() -> None:
    loop, not_run = finding("timeout", 18), finding("timeout", 0, "not run, because ...")
    account = account_of([loop, not_run], [failed("A", loop), failed("B", not_run)])
    assert account.said == "2 tests fail for this reason; the first is A"
    assert (account.effects, account.left_out) == ((), 0)


def test_at_most_three_effects_are_told() -> None:
    found = [finding("race", line) for line in range(1, 8)]
    account = account_of(found, [])
    assert (len(account.effects), account.left_out) == (3, 3)


def test_without_a_finding_the_first_failed_test_speaks() -> None:
    account = account_of([], [failed("A.First", message="no pass"), failed("A.Second")])
    assert (account.cause, account.said, account.left_out) == (None, "A.First failed: no pass", 1)
    assert account_of([], []).said == ""


def mixed(checkout: Checkout) -> Any:
    race = {"kind": "race", "file": FILE, "line": 9, "message": "both write; add a barrier"}
    wrong = {"kind": "wrong_result", "message": "got 3"}
    rung = "".join(
        verdict_line(name=name, outcome="failed", message="got 3", findings=[wrong, race])
        for name in ("A", "B", "C", "D", "E")
    )
    return checkout.submission("mixed", {"01_first": rung})


def test_terminal_json_and_exports_say_the_same(checkout: Checkout) -> None:
    folder = mixed(checkout)
    _, report = checkout.grade(folder)
    account = rungs(report)["01_first"]["account"]
    assert account["cause"]["kind"] == "race"
    assert account["said"].startswith("5 tests fail for this reason; the first is ")
    assert account["effects"] == ["wrong_result: got 3"]
    terminal = checkout.lab("check", "01-demo/01_first", "--from", folder).out
    exported = explanation(graded(report).entries[0].labs[0].rungs[0])
    for words in (account["said"], *account["effects"], "both write; add a barrier"):
        assert terminal.count(words) == 1
        assert exported.count(words) == 1
    assert len(terminal.splitlines()) < 15


def test_verbose_shows_every_test(checkout: Checkout) -> None:
    folder = mixed(checkout)
    plain = checkout.lab("check", "01-demo/01_first", "--from", folder).out
    verbose = checkout.lab("check", "01-demo/01_first", "--from", folder, "-v").out
    assert "run the same command with -v" in plain
    assert verbose.count(" failed") > plain.count(" failed")
    assert "failed for a reason above" in verbose


def test_after_a_pass_the_next_command_is_shown(checkout: Checkout) -> None:
    ran = checkout.lab("check", "01-demo/01_first", "--from", checkout.root / "solutions")
    assert "next: ./lab check 01-demo/02_second" in ran.out
    last = checkout.lab("check", "01-demo/02_second", "--from", checkout.root / "solutions")
    assert "next: ./lab submit 01-demo" in last.out
    both = checkout.lab("check", "01-demo", "--from", checkout.root / "solutions")
    assert "next:" not in both.out


def test_the_reason_does_not_repeat_the_cause() -> None:
    cause = finding("launch_error", 25, "line 25, the launch of k: cudaErrorInvalidValue")
    test = failed("A.B", cause, message=f"with 1 item (the smallest): {cause.message}\nIt looks")
    account = account_of([cause], [test])
    assert account.said == "1 test fails for this reason: A.B: with 1 item (the smallest)"


def test_an_unset_output_is_not_called_unwritten_as_well() -> None:
    cause, effect = finding("uninitialized_read", 15), finding("output_unwritten")
    account = account_of([cause, effect, finding("wrong_result")], [])
    assert account.effects == ("wrong_result: a wrong_result",)


@pytest.mark.parametrize(
    ("items", "said"), [(0, ""), (1, ", with 1 item"), (33, ", with 33 items")]
)
def test_the_size_of_the_first_case_is_told(items: int, said: str) -> None:
    race = Finding(FindingKind.RACE, "a race", FILE, 7, items=items)
    account = account_of([race], [failed("A.First", race), failed("A.Second", race)])
    assert account.said == f"2 tests fail for this reason; the first is A.First{said}"
