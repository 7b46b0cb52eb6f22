# SPDX-License-Identifier: MIT
"""`grade --confirm`: the best and the suspicious are judged twice, and nothing is hidden."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from lockstep_grader.grading.grade import best, second_backend
from lockstep_grader.model.grades import (
    Backend,
    Finding,
    FindingKind,
    Judgement,
    LabResult,
    Outcome,
    Part,
    PartScore,
    RungResult,
    SubmissionResult,
)
from lockstep_grader.model.score import compare
from lockstep_grader.results.others import FILE
from test_grade import SCHEMA

from conftest import LAB, SOLUTION, STARTER, Checkout

SEED = 7
RACE = (
    '{"name": "Demo.Race", "outcome": "failed", "message": "wrong", "findings": [{"kind": "race", '
)
RACE += '"file": "01_first.cu", "line": 2, "message": "threads 0 and 1 write d_out"}]}'
FORGED = f'{SOLUTION}//! {{"name": "Demo.Works"}}\n//! unless seed {SEED} {RACE}\n'


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lockstep_grader.grading.grade_class.detect_backend", lambda: Backend.CPU)


@pytest.fixture
def submissions(checkout: Checkout) -> Path:
    """Ann is honest, Bob's first rung is right for one seed only, Cy has written nothing."""
    checkout.submission("class/ann", {})
    checkout.submission("class/bob", {"01_first": FORGED, "02_second": STARTER})
    return checkout.submission("class/cy", {"01_first": STARTER, "02_second": STARTER}).parent


def grade(checkout: Checkout, path: Path, *options: str) -> tuple[Any, dict[str, Any]]:
    folder = checkout.work / "results"
    ran = checkout.lab("grade", path, "--seed", str(SEED), "--results", folder, *options)
    report = json.loads((folder / "grade.json").read_text())
    jsonschema.validate(report, SCHEMA)
    return ran, {each["id"]: each["confirmations"] for each in report["submissions"]}


def test_without_the_option_nothing_is_judged_twice(checkout: Checkout, submissions: Path) -> None:
    ran, found = grade(checkout, submissions)
    assert found == {"ann": [], "bob": [], "cy": []}
    assert "a second time" not in ran.out


def test_the_best_are_judged_again_with_another_seed(checkout: Checkout, submissions: Path) -> None:
    ran, found = grade(checkout, submissions, "--confirm", "1")
    assert [(each["rung"], each["agrees"], each["said"]) for each in found["ann"]] == [
        ("01_first", True, ""),
        ("02_second", True, ""),
    ]
    assert {each["backend"] for each in found["ann"]} == {"cpu"}
    assert (found["bob"], found["cy"]) == ([], [])
    assert "judged a second time, and confirmed: 2 rungs" in ran.out


def test_a_difference_is_said_everywhere_and_changes_no_points(
    checkout: Checkout, submissions: Path
) -> None:
    _, _ = grade(checkout, submissions)
    results = checkout.work / "results"
    before = {each["id"]: each["score"] for each in _report(results)}
    ran, found = grade(checkout, submissions, "--confirm-student", "bob")
    (only,) = found["bob"]
    assert (only["rung"], only["agrees"]) == ("01_first", False)
    assert only["said"].startswith("correctness 2, then 1 of 2; cleanliness 1, then 0 of 1")
    assert only["said"].endswith("(race: threads 0 and 1 write d_out)")
    assert "judged a second time, and not confirmed (1):" in ran.out
    assert f"bob {LAB}/01_first (cpu" in ran.out
    assert {each["id"]: each["score"] for each in _report(results)} == before
    assert checkout.lab("report", results).status == 0
    page = (results / "report/index.html").read_text()
    assert "correctness 2, then 1 of 2" in page
    for student in (results / "report/students").iterdir():
        assert "a second time" not in student.read_text()
    explained = checkout.lab("explain", results, "bob", "01_first")
    assert f"judged a second time: {LAB}/01_first (cpu" in explained.out


def _report(results: Path) -> list[dict[str, Any]]:
    submissions: list[dict[str, Any]] = json.loads((results / "grade.json").read_text())[
        "submissions"
    ]
    return submissions


def test_a_confirmation_stays_until_the_source_changes(
    checkout: Checkout, submissions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, first = grade(checkout, submissions, "--confirm-student", "ann")
    log = checkout.work / "log"
    monkeypatch.setenv("FAKE_JUDGE_LOG", str(log))
    _, again = grade(checkout, submissions, "--confirm-student", "ann")
    assert not log.exists()
    assert again == first
    checkout.submission("class/ann", {"01_first": SOLUTION + "// once more\n"})
    _, later = grade(checkout, submissions)
    assert [each["rung"] for each in later["ann"]] == ["02_second"]


def test_a_fault_confirms_nothing_and_is_tried_again(checkout: Checkout) -> None:
    counter = checkout.work / "killed"
    text = f"{SOLUTION}//! killed until {counter} 9\n"
    path = checkout.submission("class/ann", {"01_first": text, "02_second": STARTER}).parent
    counter.write_text("killed\n" * 9)
    grade(checkout, path)
    counter.write_text("")
    ran, found = grade(checkout, path, "--confirm", "1")
    assert [each["agrees"] for each in found["ann"]] == [None]
    assert "not judged: " in ran.out
    counter.write_text("killed\n" * 9)
    _, found = grade(checkout, path, "--confirm", "1")
    assert [each["agrees"] for each in found["ann"]] == [True]


@pytest.mark.parametrize("text", ["{", '{"version": 2}', "[]"])
def test_a_damaged_file_of_confirmations_is_made_anew(
    checkout: Checkout, submissions: Path, text: str
) -> None:
    grade(checkout, submissions)
    (checkout.work / "results" / FILE).write_text(text)
    ran, found = grade(checkout, submissions, "--confirm", "1")
    assert len(found["ann"]) == 2
    assert f"{FILE} is damaged, so the second judgements in it do not count" in ran.err


def test_a_student_who_is_not_there_is_one_line(checkout: Checkout, submissions: Path) -> None:
    folder = checkout.work / "results"
    said = checkout.refusal("grade", submissions, "--results", folder, "--confirm-student", "zoe")
    assert "--confirm-student: no student here" in said


def test_the_other_backend_confirms_where_both_work() -> None:
    assert second_backend(Backend.CPU, Backend.CUDA) is Backend.CUDA
    assert second_backend(Backend.CUDA, Backend.CUDA) is Backend.CPU
    assert second_backend(Backend.CPU, Backend.CPU) is Backend.CPU


def result(*scores: float | None, kind: str = "", fault: str = "") -> RungResult:
    parts = {part: PartScore(score, 2.0) for part, score in zip(Part, scores, strict=True)}
    findings = (Finding(FindingKind(kind), "found"),) if kind else ()
    return RungResult("r", Outcome.FAILED, parts, findings, Judgement(fault=fault, seed="9"))


@pytest.mark.parametrize(
    ("first", "second", "there", "agrees", "said"),
    [
        (result(2, 2, 2), result(2, 2, 2), "cpu", True, ""),
        (result(2, 2, 2), result(2, 2, 1.9), "cpu", False, "efficiency 2, then 1.9 of 2"),
        (result(2, 2, 1.2), result(2, 2, 1.1), "cpu", True, ""),  # it depends on the inputs
        (result(2, 2, 2), result(2, 2, 0), "cuda", True, ""),  # time is another question
        (
            result(2, 2, 2),
            result(2, 0, 2, kind="leak"),
            "cuda",
            False,
            "cleanliness 2, then 0 of 2 (leak: found)",
        ),
        (result(1, 0, 0), result(2, 0, 0), "cpu", False, "correctness 1, then 2 of 2"),
        (result(2, 2, 2), result(None, 2, 2, fault="no memory"), "cpu", None, "no memory"),
    ],
)
def test_only_what_both_backends_can_say_is_compared(
    first: RungResult, second: RungResult, there: str, agrees: bool | None, said: str
) -> None:
    made = compare(LAB, first, second, (Backend.CPU, Backend(there)))
    assert (made.agrees, made.said, made.seed) == (agrees, said, "9")


def test_among_equals_a_draw_decides_and_those_without_points_never_count() -> None:
    def made(name: str, score: float) -> SubmissionResult:
        return SubmissionResult(name, (LabResult(LAB, (result(score, 0, 0),)),))

    results = [made("a", 2), made("b", 1), made("c", 1), made("d", 1), made("e", 0)]
    drawn = {best(results, 2) for _ in range(200)}
    assert drawn == {frozenset({"a", each}) for each in "bcd"}
    assert best(results, 9) == frozenset("abcd")
