# SPDX-License-Identifier: MIT
"""Equal files of several students are judged once per run, and all get the same result."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from conftest import LAB, SOLUTION, STARTER, Checkout, rungs

PICTURE = '//! {"images": [{"label": "result", "file": "01_first.result.png"}]}\n'
NAMES = ("ann", "bob", "cy", "dee")


def make_class(checkout: Checkout, first: str, names: Sequence[str] = NAMES) -> Path:
    """A class whose files are all equal: `first` and a solved second rung."""
    for name in names:
        checkout.submission(f"class/{name}", {"01_first": first})
    return checkout.root / "class"


@pytest.mark.parametrize("jobs", ["1", "4"])
@pytest.mark.parametrize("first", [STARTER, "//! sleep 0.3\n" + PICTURE])
def test_equal_files_are_judged_once_and_every_student_has_the_whole_result(
    checkout: Checkout, jobs: str, first: str
) -> None:
    ran, report = checkout.grade(make_class(checkout, first), "--results", "kept", "--jobs", jobs)
    assert checkout.judged() == 2
    assert "6 rungs equal another submission's file" in ran.err
    alone, expected = checkout.grade(checkout.root / "class" / "ann", "--results", "alone")
    for number, name in enumerate(NAMES):
        mine, his = rungs(report, number)["01_first"], rungs(expected)["01_first"]
        assert {**mine, "seconds": 0, "tests": []} == {**his, "seconds": 0, "tests": []}
        folder = checkout.work / "kept" / name / LAB
        stored = json.loads((folder / "01_first.json").read_text())
        assert (stored["submission"], stored["attempt"]) == (name, 1)
        assert (folder / "01_first.cu").read_text() == first
        assert (folder / "01_first.result.png").is_file() == (first != STARTER)
    assert ran.status == alone.status


def test_files_that_differ_in_one_byte_are_judged_for_themselves(checkout: Checkout) -> None:
    folder = make_class(checkout, SOLUTION)
    checkout.submission("class/cy", {"01_first": SOLUTION + "\n"})
    checkout.grade(folder)
    assert checkout.judged() == 3


def test_equal_files_of_different_rungs_are_judged_for_themselves(checkout: Checkout) -> None:
    checkout.grade(checkout.submission("ann", {"01_first": SOLUTION, "02_second": SOLUTION}))
    assert checkout.judged() == 2


def test_a_fault_is_not_shared(checkout: Checkout) -> None:
    ran, report = checkout.grade(make_class(checkout, "//! segfault\n"), "--jobs", "2")
    assert ran.status == 3
    assert checkout.judged() == len(NAMES) + 1
    assert [rungs(report, number)["01_first"]["outcome"] for number in range(4)] == ["error"] * 4


def test_a_judge_that_failed_once_fails_no_other_student(checkout: Checkout) -> None:
    mark = checkout.work / "failed once"
    folder = make_class(checkout, f"//! segfault once {mark}\n")
    _, report = checkout.grade(folder, "--jobs", "1")
    outcomes = [rungs(report, number)["01_first"]["outcome"] for number in range(4)]
    assert sorted(outcomes) == ["error", "passed", "passed", "passed"]
    _, report = checkout.grade(folder)
    assert all(rungs(report, number)["01_first"]["outcome"] == "passed" for number in range(4))


def test_judging_again_makes_one_new_judgement_for_all(checkout: Checkout) -> None:
    folder = make_class(checkout, SOLUTION)
    checkout.grade(folder, "--results", "kept")
    checkout.judged()
    checkout.grade(folder, "--results", "kept", "--regrade", "all")
    assert checkout.judged() == 2
    for name in NAMES:
        stored = checkout.work / "kept" / name / LAB / "01_first.json"
        assert json.loads(stored.read_text())["attempt"] == 2


def test_judging_one_student_again_takes_no_other_students_judgement(checkout: Checkout) -> None:
    folder = make_class(checkout, SOLUTION)
    checkout.grade(folder, "--results", "kept")
    checkout.judged()
    checkout.grade(folder, "--results", "kept", "--regrade-student", "cy")
    assert checkout.judged() == 2


def test_what_is_missing_is_each_students_own(checkout: Checkout) -> None:
    folder = make_class(checkout, SOLUTION)
    for name in NAMES[:2]:
        (folder / name / LAB / "01_first.cu").unlink()
    _, report = checkout.grade(folder)
    assert checkout.judged() == 2
    found = [rungs(report, number)["01_first"]["findings"] for number in range(4)]
    assert ["missing" in str(each) for each in found] == [True, True, False, False]
