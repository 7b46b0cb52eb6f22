# SPDX-License-Identifier: MIT
"""docs/coverage.md says where each concept is taught and graded: all that it names exists."""

import re

import pytest

from lockstep_grader.author.mutants import mutant_files, read_fields, read_mutants
from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.quiz.file import require_quiz
from lockstep_grader.quiz.key import read_key

from markdown import links
from repository import REPOSITORY, WORKSPACE

PAGE = REPOSITORY / "docs" / "coverage.md"
ROW = re.compile(r"^\| (?P<concept>.+?) \| (?P<taught>.+?) \| (?P<graded>.+?) \|$", re.MULTILINE)
NUMBERS = range(1, 26)  # of the classic mistakes


def rows() -> list[re.Match[str]]:
    found = [row for row in ROW.finditer(PAGE.read_text("utf-8")) if row["concept"] != "concept"]
    assert len(found) > 60
    return found


@pytest.fixture(scope="module")
def named() -> set[str]:
    """What a row may name: rungs, tests of judges, mutants, questions, tests of the grader."""
    labs = read_labs(WORKSPACE)
    known = {f"{lab.id}/{rung.id}" for lab in labs for rung in lab.rungs}
    for lab in labs:
        known |= {f"{lab.id}/mutants/{file.stem}" for file in mutant_files(WORKSPACE, lab.id)}
        quiz = require_quiz(WORKSPACE, lab)
        known |= {f"{lab.id}/quiz/{question.id}" for question in quiz.questions}
    for file in REPOSITORY.glob("labs/*/judge/*.cpp"):
        tests = re.findall(r"TEST_F\((\w+),\s*(\w+)\)", file.read_text("utf-8"))
        known.update(f"{suite}.{test}" for suite, test in tests)
    for file in (REPOSITORY / "grader" / "tests").glob("test_*.py"):
        known.add(file.name)
        known.update(re.findall(r"^def (test_\w+)", file.read_text("utf-8"), re.MULTILINE))
    return known


def mistake_of(mutant: str) -> int:
    lab, _, name = mutant.partition("/mutants/")
    file = next(file for file in mutant_files(WORKSPACE, lab) if file.stem == name)
    number = read_fields(file.read_text("utf-8"))["mistake"].partition(",")[0]
    return int(number) if number.isdigit() else 0


def test_every_concept_is_taught_on_a_page_and_graded_or_said_to_be_taught_alone() -> None:
    for row in rows():
        if not row["concept"].isdigit():
            assert "](" in row["taught"], row[0]
            assert row["graded"] == "taught" or "`" in row["graded"], row[0]
    assert [link.problem for link in links(PAGE) if link.problem] == []


def test_every_rung_test_and_mutant_that_is_named_exists(named: set[str]) -> None:
    items = [item for row in rows() for item in re.findall(r"`([^`]+)`", row["graded"])]
    assert len(items) > 150
    assert [item for item in items if item not in named] == []


@pytest.fixture(scope="module")
def failing() -> set[str]:
    """What fails without its concept, by what `./lab lint` proves: mutants, wrong answers."""
    found = set()
    for lab in read_labs(WORKSPACE):
        mutants = read_mutants(WORKSPACE, lab)
        found |= {f"{lab.id}/mutants/{mutant.name}" for mutant in mutants if not mutant.problem}
        quiz = require_quiz(WORKSPACE, lab)
        key = read_key(WORKSPACE, quiz)
        found |= {
            f"{lab.id}/quiz/{question.id}"
            for question in quiz.questions
            if any(case.wrong for case in key.cases(question))
        }
    return found


def test_for_every_concept_something_fails_without_it(failing: set[str]) -> None:
    graded = {row["concept"]: re.findall(r"`([^`]+)`", row["graded"]) for row in rows()}
    assert [concept for concept, items in graded.items() if not failing.intersection(items)] == []


def test_every_rung_of_every_lab_grades_a_concept() -> None:
    graded = " ".join(row["graded"] for row in rows())
    labs = read_labs(WORKSPACE)
    missing = [
        f"{lab.id}/{rung.id}"
        for lab in labs
        for rung in lab.rungs
        if f"`{lab.id}/{rung.id}`" not in graded
    ]
    assert missing == []


def test_every_classic_mistake_has_a_mutant_that_says_its_number() -> None:
    listed = {int(row["concept"]): row["graded"] for row in rows() if row["concept"].isdigit()}
    assert list(listed) == list(NUMBERS)
    for number, graded in listed.items():
        mutants = re.findall(r"`([^`]+)`", graded)
        assert mutants
        assert {mistake_of(mutant) for mutant in mutants} == {number}, graded
