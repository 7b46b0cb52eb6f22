# SPDX-License-Identifier: MIT
"""The instructors' pages: what they promise is what lint proves, and no student gets them."""

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.author.release.contents import release_files

from repository import LABS, REPOSITORY, WORKSPACE

PAGES = REPOSITORY / "solutions"
ROW = re.compile(
    r"^\| (\d\d[a-z]?) \| .+ \| (\w+)(?: at `(.+)`)? \| \[`\w+`\]\((.+)\) \|$", re.MULTILINE
)
HOURS = re.compile(r"^The hours are our estimate .*, ([\d.]+) in all", re.MULTILINE)
RUNG_HOURS = re.compile(r"^\| `(\d\d[a-z]?_\w+)` \|.* ([\d.]+) \|$", re.MULTILINE)


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


def test_syllabus_and_lab_toml_have_the_hours_of_the_handouts() -> None:
    syllabus = (REPOSITORY / "docs" / "syllabus.md").read_text("utf-8")
    for lab in LABS:
        handout = (REPOSITORY / "labs" / lab.id / "README.md").read_text("utf-8")
        hours = HOURS.findall(handout)
        rungs = RUNG_HOURS.findall(handout)
        assert {rung.id: rung.hours for rung in lab.rungs} == {
            rung: float(each) for rung, each in rungs
        }
        ladder = RUNG_HOURS.findall(handout.partition("\n## Beyond the ladder")[0])
        assert [sum(float(each) for _, each in ladder)] == [float(each) for each in hours], lab.id
        assert f"| {lab.id} | {hours[0]} |" in syllabus


def test_students_get_the_memory_model_and_no_page_on_teaching() -> None:
    files = release_files(WORKSPACE, LABS, LABS)
    assert {"docs/memory-model.md", "docs/litmus/litmus.cuh"} <= set(files)
    assert [name for name in files if name.startswith("solutions/") or "syllabus" in name] == []


# ---- docs/contest.md: its program ranks as its rules and its example say


CONTEST = Path(__file__).parents[2] / "docs" / "contest.md"
RUNG = "06_decoupled_look_back"


def program() -> str:
    text = CONTEST.read_text()
    begin = text.index("    import json")
    return textwrap.dedent(text[begin : text.index("The last lines", begin)])


def entry(name: str, share: float, outcome: str = "passed") -> dict[str, Any]:
    measures = {"share": share, "share_low": share - 0.005, "share_high": share + 0.005}
    tests = [{"measures": {}}, {"measures": measures}]
    rung = {"id": RUNG, "outcome": outcome, "tests": tests}
    return {"id": name, "labs": [{"id": "02-scan", "rungs": [rung]}]}


def ranked(folder: Path, *runs: list[dict[str, Any]]) -> list[str]:
    files = []
    for number, submissions in enumerate(runs):
        files.append(folder / f"{number}.json")
        files[-1].write_text(json.dumps({"submissions": submissions}))
    command = [sys.executable, "-c", program(), RUNG, "share", *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_the_example_of_the_page(tmp_path: Path) -> None:
    runs = [
        [entry("ada", a), entry("ben", b)] for a, b in ((0.91, 0.88), (0.90, 0.91), (0.91, 0.89))
    ]
    said = ranked(tmp_path, *runs)
    assert [line.split(" (")[0] for line in said] == ["1. ada 0.910", "2. ben 0.890"]


def test_ties_do_not_become_chains(tmp_path: Path) -> None:
    run = [entry("a", 0.910), entry("b", 0.902), entry("c", 0.894), entry("d", 0.800)]
    ranks = [line.split()[0] + line.split()[1] for line in ranked(tmp_path, run)]
    assert ranks == ["1.a", "1.b", "3.c", "4.d"]


def test_an_entry_with_a_run_that_did_not_pass_is_not_ranked(tmp_path: Path) -> None:
    said = ranked(tmp_path, [entry("a", 0.9)], [entry("a", 0.9, "noisy")])
    assert said == ["-- a: not ranked, or a run to repeat"]
