# SPDX-License-Identifier: MIT
"""A missing semicolon is blamed on the line that lacks it."""

import time

import pytest

from lockstep_grader.model.grades import Finding, FindingKind
from lockstep_grader.words.beginners import moved_to_the_gap

LINES = [
    "void f() {",
    "  int i = 3  // items",
    "",
    "  // next",
    "  if (i) return;",
    "  int a[3] = {1 2};",
    "}",
]


def error(message: str, line: int, column: int = 0) -> Finding:
    return Finding(FindingKind.COMPILE_ERROR, message, "x.cu", line, column)


@pytest.mark.parametrize(
    "said",
    [
        error("expected ',' or ';' before 'if'", 5),  # g++
        error("expected \u2018;\u2019 before \u2018if\u2019", 5),
        error('expected a ";"', 5, 3),  # nvcc
    ],
)
def test_the_line_before_is_blamed_after_its_last_word(said: Finding) -> None:
    moved = moved_to_the_gap(said, LINES)
    assert moved == error("';' is missing at the end of this line", 2, 12)


@pytest.mark.parametrize(
    "said",
    [
        error("expected ';' before 'return'", 5),  # in the middle of its line
        error('expected a ";"', 5, 10),
        error("expected ')' before 'if'", 5),
        error('expected a ";"', 9, 1),  # past the end
        error('expected a "}"', 6, 3),
    ],
)
def test_any_other_error_stays_where_it_is(said: Finding) -> None:
    assert moved_to_the_gap(said, LINES) == said


def test_a_long_line_is_not_searched() -> None:
    said = error("expected ';' before 'return'", 2, 1)
    lines = ["int a" + " " * 200_000 + "+ 1", "return a;"]
    begin = time.process_time()
    assert moved_to_the_gap(said, lines) == said
    assert time.process_time() - begin < 2  # else for minutes
