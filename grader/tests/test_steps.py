# SPDX-License-Identifier: MIT
"""No rung asks for more new lines than a student can climb, and the table of them is today's."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).parents[2] / "docs" / "bench"
SCRIPTS = BENCH / "scripts"


@pytest.fixture(scope="module")
def steps() -> Any:
    """The module of the measurement."""
    sys.path.insert(0, str(SCRIPTS))
    try:
        return import_module("steps")
    finally:
        sys.path.remove(str(SCRIPTS))


def test_no_step_is_too_large(steps: Any) -> None:
    too_large = {
        f"{step.lab}/{step.rung}": step.to_write
        for step in steps.all_steps()
        if step.to_write > steps.MOST
    }
    assert too_large == {}, "split the rung, or let its starter give more"


def test_the_page_is_that_of_the_files_of_today(steps: Any) -> None:
    measurements = import_module("measurements")
    shown = measurements.read_section(measurements.TABLES, "Steps")
    assert shown == steps.page(steps.all_steps()).strip(), (
        "starters or solutions changed: run docs/bench/measure steps"
    )


def test_comments_braces_and_indentation_are_no_code(steps: Any) -> None:
    text = """// a comment
    int a = 1;  // and one behind
    /* one of
       two lines */
    {
      puts("// no comment");

    });
    """
    assert steps.code_lines(text) == {"int a = 1;": 1, 'puts("// no comment");': 1}


def test_a_line_is_new_once_no_earlier_solution_has_it_as_often(steps: Any) -> None:
    rungs = [
        ("01", "todo();", "int a;\nint b;"),
        ("02", "todo();\nint c;", "  int a;\nint a;\nint c;\nint d;"),
        ("03", "todo();", "int b;\nint d;\nint e;"),
    ]
    counted = [
        (step.rung, step.lines, step.new, step.given, step.to_write)
        for step in steps.lab_steps("99-lab", rungs)
    ]
    assert counted == [("01", 2, 2, 0, 2), ("02", 4, 3, 1, 2), ("03", 3, 1, 0, 1)]
