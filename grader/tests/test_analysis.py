# SPDX-License-Identifier: MIT
"""The analysis of a class: counts, item statistics against known answers, attempts over time."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.grades import Finding, FindingKind, Judgement, Outcome, Part, TestResult
from lockstep_grader.pages.report.analysis import Record, analyse
from lockstep_grader.results.graded import read_results
from lockstep_grader.results.others import read_attempts
from lockstep_grader.results.store import ResultId, Store

from conftest import SOURCE_FOLDER, Checkout
from reports import (
    RUNGS,
    demo_lab,
    finding,
    full,
    one_test,
    rung,
    submission,
    todo,
    write_class,
    write_results,
)

SCHEMA = SOURCE_FOLDER / "lockstep_grader" / "schemas" / "analysis.schema.json"
COUNTS = ("graded", "written", "right", "clean", "full", "stuck")
DAYS = ("2026-03-01T12:00:00+00:00", "2026-03-02T12:00:00+00:00", "2026-03-05T12:00:00+00:00")


def analysed(folder: Path, *submissions: dict[str, Any], **changes: Any) -> Record:
    results = read_results(write_results(folder, *submissions, **changes))
    return analyse(results, [demo_lab(folder / "labs")])


def graded(name: str, *shares: float) -> dict[str, Any]:
    """A student with these shares of the points, a rung each."""
    return submission(name, *(rung(*each) for each in zip(RUNGS, shares, strict=False)))


def ladder(folder: Path, *table: Sequence[float]) -> Any:
    made = (graded(f"s{number:02}", *row) for number, row in enumerate(table))
    return analysed(folder, *made)["labs"][0]


def test_each_rung_counts_how_far_students_came(tmp_path: Path) -> None:
    unclean = rung("01_first", 1, 0, 1, findings=[finding()])
    made = analysed(
        tmp_path,
        full("a"),
        submission("b", unclean, rung("02_second", 0, findings=[finding()]), todo("03_third")),
        submission("c", rung("01_first", 0.5, 0, 0), todo("02_second"), todo("03_third")),
        submission("d", rung("01_first", None), rung("02_second", 0.5), rung("03_third", 1)),
        submission("e", *map(todo, RUNGS)),
        submission("absentee", *map(todo, RUNGS), missing=True),
        submission("broken", score=0, problem="damaged"),
    )["labs"][0]
    counts = {item["rung"]: tuple(item[key] for key in COUNTS) for item in made["rungs"]}
    assert counts == {
        "01_first": (4, 3, 2, 1, 1, 2),
        "02_second": (5, 3, 1, 1, 1, 2),
        "03_third": (5, 2, 2, 2, 2, 0),
    }
    assert (made["students"], made["finished"], made["rungs"][0]["title"]) == (5, 1, "The first")


def test_two_items_have_the_correlation_and_the_alpha_of_the_textbook(tmp_path: Path) -> None:
    # 12 students: both right 4, only one right 2 each, neither 4. phi = (4*4 - 2*2) / 6^2.
    table = [(1, 1)] * 4 + [(1, 0)] * 2 + [(0, 1)] * 2 + [(0, 0)] * 4
    made = ladder(tmp_path, *table)
    phi = 12 / 36
    assert [item["discrimination"] for item in made["rungs"]] == [round(phi, 3)] * 2
    assert made["reliability"] == round(2 * phi / (1 + phi), 3)  # Spearman and Brown
    assert [item["share"] for item in made["rungs"]] == [0.5, 0.5]


def test_a_rung_is_compared_with_the_others_and_not_with_itself(tmp_path: Path) -> None:
    table = [(x, x, 1 - x) for x in (0, 1) * 6]
    assert [item["discrimination"] for item in ladder(tmp_path, *table)["rungs"]] == [
        None,
        None,
        -1,
    ]


def test_few_students_or_equal_points_have_no_correlation(tmp_path: Path) -> None:
    few = ladder(tmp_path / "few", *[(1, 1), (0, 0)] * 4)
    assert [item["discrimination"] for item in few["rungs"]] == [None, None]
    assert few["reliability"] is None
    equal = ladder(tmp_path / "equal", *[(1, 1, 0)] * 12)
    assert [item["discrimination"] for item in equal["rungs"]] == [None, None, None]
    assert equal["reliability"] is None


def test_a_student_without_a_grade_for_a_rung_is_compared_with_no_one(tmp_path: Path) -> None:
    table = [graded(f"s{n}", n % 2, n % 2) for n in range(10)]
    ungraded = submission("t", rung("01_first", None), rung("02_second", 1))
    (made,) = analysed(tmp_path, *table, ungraded)["labs"]
    assert [item["discrimination"] for item in made["rungs"]] == [1, 1]


def test_advice_follows_from_the_rules_that_the_page_states(tmp_path: Path) -> None:
    table = [(1, n % 2, (n // 2) % 2) for n in range(12)]
    assert [item["advice"] for item in ladder(tmp_path, *table)["rungs"]] == [
        ["nearly all have it"],
        ["it does not separate students", "many stop here"],
        ["it does not separate students", "many stop here"],
    ]


def test_failures_are_counted_once_each_by_the_first_cause(tmp_path: Path) -> None:
    both = [finding("race"), finding("leak")]
    failed = one_test("Demo.Big", outcome="failed", message="no")
    made = analysed(
        tmp_path,
        submission("a", rung("01_first", 0, findings=both, tests=[failed])),
        submission("b", rung("01_first", 0, findings=[finding("leak")], tests=[failed])),
        submission("c", rung("01_first", 0, tests=[failed, one_test()])),
        submission("d", todo("01_first"), rung("02_second", 0, findings=both)),
    )
    assert [tuple(each.values())[1:] for each in made["failures"]] == [
        ("01_first", "race", 1),
        ("02_second", "race", 1),
        ("01_first", "failed test", 1),
        ("01_first", "leak", 1),
    ]
    (test,) = made["tests"]
    assert (test["rung"], test["test"], test["failed"], test["ran"]) == (
        "01_first",
        "Demo.Big",
        3,
        3,
    )


def judged(*kinds: str) -> Judgement:
    findings = tuple(Finding(FindingKind(kind), kind) for kind in kinds)
    outcome = Outcome.FAILED if kinds else Outcome.PASSED
    return Judgement(
        tests=(TestResult("Demo.Works", Part.CORRECTNESS, outcome, findings=findings),)
    )


def attempt(folder: Path, student: str, at: str, text: str, *kinds: str, key: str = "") -> None:
    store = Store(folder, handed_in={student: at})
    source = Source("01_first.cu", text.encode())
    store.settle(ResultId(student, "01-demo", "01_first"), key or text, source, judged(*kinds))


@pytest.fixture
def tried(tmp_path: Path) -> Path:
    """Ann is right at her third attempt, Bob at his first; Cy gives up."""
    attempt(tmp_path, "ann", DAYS[0], "starter", "todo")
    attempt(tmp_path, "ann", DAYS[0], "one", "race", "leak")
    attempt(tmp_path, "ann", DAYS[1], "two", "race")
    attempt(tmp_path, "ann", DAYS[2], "three")
    attempt(tmp_path, "bob", DAYS[1], "one")
    attempt(tmp_path, "cy", DAYS[0], "one", "leak")
    attempt(tmp_path, "cy", DAYS[0], "two", "leak")
    attempt(tmp_path, "absentee", DAYS[0], "one", "leak")
    names = ("ann", "bob", "cy")
    made = (submission(name, rung("01_first", 1)) for name in names)
    write_results(tmp_path, *made, submission("absentee", todo("01_first"), missing=True))
    return tmp_path


def test_attempts_are_followed_until_the_results_are_right(tried: Path) -> None:
    made = analyse(read_results(tried), [])
    (found,) = made["attempts"]
    assert [tuple(each.values()) for each in found["rounds"]] == [(1, 3, 1), (2, 2, 0), (3, 1, 1)]
    assert (found["until_right"], found["hours_between"]) == (2, 48)
    assert [tuple(each.values()) for each in made["repairs"]] == [("leak", 2, 1), ("race", 2, 1)]


def test_the_curve_grows_with_each_student_who_got_it_right(tried: Path) -> None:
    (curve,) = analyse(read_results(tried), [])["curves"]
    assert curve["students"] == 3
    assert [tuple(each.values()) for each in curve["points"]] == [(DAYS[1], 1), (DAYS[2], 2)]


def test_the_same_source_judged_again_is_one_attempt(tmp_path: Path) -> None:
    attempt(tmp_path, "ann", DAYS[0], "one", "race", key="old lab")
    attempt(tmp_path, "ann", DAYS[2], "one", key="new lab")
    (only,) = read_attempts(tmp_path, "ann", "01-demo", "01_first")
    assert (only.at and only.at.isoformat(), only.judgement) == (DAYS[0], judged())
    attempt(tmp_path, "bob", "", "one")  # no platform: the time is when it was judged
    (now,) = read_attempts(tmp_path, "bob", "01-demo", "01_first")
    assert (now.at and now.at.utcoffset()) is not None


def test_older_files_without_a_time_have_attempts_and_no_curve(tried: Path) -> None:
    for file in tried.rglob("01_first.json"):
        data = json.loads(file.read_text())
        del data["at"]
        file.write_text(json.dumps(data))
    made = analyse(read_results(tried), [])
    (found,) = made["attempts"]
    assert (found["rounds"][0]["students"], found["hours_between"]) == (3, None)
    assert made["curves"] == []


def test_a_damaged_attempt_is_passed_over(tried: Path) -> None:
    (tried / "ann/01-demo/attempts/01_first/0003/01_first.json").write_text("{")
    last = analyse(read_results(tried), [])["attempts"][0]["rounds"][-1]
    assert tuple(last.values()) == (2, 2, 1)


def test_the_json_is_as_its_schema_says_and_the_page_names_no_student(
    checkout: Checkout, tried: Path
) -> None:
    schema = json.loads(SCHEMA.read_text())
    for folder in (tried, write_class(checkout.work / "class")):
        assert checkout.lab("report", folder).status == 0
        made = json.loads((folder / "report" / "analysis.json").read_text())
        jsonschema.validate(made, schema)
        results = read_results(folder)
        page = (folder / "report" / "analysis.html").read_text().partition("<body>")[2]
        for entry in results.entries:
            name = re.compile(rf"\b{re.escape(entry.name)}\b")
            assert not name.search(page)
            assert not name.search(json.dumps(made))
    (curve,) = analyse(read_results(tried), [])["curves"]
    assert [point["right"] for point in curve["points"]] == [1, 2]
