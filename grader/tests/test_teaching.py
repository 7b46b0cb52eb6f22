# SPDX-License-Identifier: MIT
"""The instructors' pages: what they promise is what lint proves, and no student gets them."""

import re
from pathlib import Path

import pytest

from lockstep_grader.author.release.contents import release_files
from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.workspace import Workspace

REPOSITORY = Path(__file__).parents[2]
WORKSPACE = Workspace(REPOSITORY, REPOSITORY / "build")
LABS = read_labs(WORKSPACE)
PAGES = REPOSITORY / "solutions"
ROW = re.compile(
    r"^\| (\d\d[a-z]?) \| .+ \| (\w+)(?: at `(.+)`)? \| \[`\w+`\]\((.+)\) \|$", re.MULTILINE
)
HOURS = re.compile(r"^The hours are our estimate .*, ([\d.]+) in all", re.MULTILINE)


@pytest.mark.parametrize("lab", [lab.id for lab in LABS])
def test_a_page_names_mutants_with_the_verdict_of_their_headers(lab: str) -> None:
    rows = ROW.findall((PAGES / lab / "README.md").read_text("utf-8"))
    assert len(rows) >= 6
    for rung, kind, line, target in rows:
        head = (PAGES / lab / target).read_text("utf-8")
        assert re.search(rf"^// mutant of: {rung}_", head, re.MULTILINE), target
        assert f"// expect: failed {kind}\n" in head, target
        assert not line or f"// line: {line.strip()}\n" in head.replace("|", "\\|"), target


@pytest.mark.parametrize("lab", ["02-scan", "03-compaction", "04-radix-sort"])
def test_shares_in_the_table_of_rungs_are_those_measured(lab: str) -> None:
    page = (PAGES / lab / "README.md").read_text("utf-8")
    rungs, _, measured = page.partition("<!-- measured:begin -->")
    quoted = set(re.findall(r"\b\d\.\d\d\b", rungs.partition("\nPoints that")[0]))
    values = re.findall(r"^\| `\w+` \|.*\| ([\d.]+) \| ([\d.]*) \|$", measured, re.MULTILINE)
    known = [float(value) for row in values for value in row if value]
    assert quoted
    unknown = [each for each in quoted if min(abs(float(each) - one) for one in known) > 0.0051]
    assert unknown == []


def test_the_syllabus_has_the_hours_of_the_handouts() -> None:
    syllabus = (REPOSITORY / "docs" / "syllabus.md").read_text("utf-8")
    for lab in LABS:
        handout = (REPOSITORY / "labs" / lab.id / "README.md").read_text("utf-8")
        hours = HOURS.findall(handout)
        rungs = re.findall(r"^\| `\d\d[a-z]?_\w+` \|.* ([\d.]+) \|$", handout, re.MULTILINE)
        assert [sum(map(float, rungs))] == [float(each) for each in hours], lab.id
        assert f"| {lab.id} | {hours[0]} |" in syllabus


def test_students_get_the_memory_model_and_no_page_on_teaching() -> None:
    files = release_files(WORKSPACE, LABS, LABS)
    assert {"docs/memory-model.md", "docs/litmus/litmus.cuh"} <= set(files)
    assert [name for name in files if name.startswith("solutions/") or "syllabus" in name] == []
