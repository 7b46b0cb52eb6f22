# SPDX-License-Identifier: MIT
"""What the work on a lab took: minutes between checks and opened hints, if a student sends them."""

import json
import zipfile
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from lockstep_grader.intake.catalog import find_lab, read_labs
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.compat import UTC
from lockstep_grader.model.grades import Backend, Effort, Judgement, Lab
from lockstep_grader.model.score import score_lab
from lockstep_grader.student.state import effort, remember_work

from conftest import LAB, Checkout, verdict_line

NINE = datetime(2026, 10, 1, 9, tzinfo=UTC)
WRONG = verdict_line(outcome="failed", message="asked for 6, got 4")


@pytest.fixture
def lab(checkout: Checkout) -> Lab:
    return find_lab(read_labs(Workspace.from_environment()), LAB)


def check_at(folder: Path, lab: Lab, minute: float, *rungs: str) -> None:
    result = score_lab(lab, {rung: Judgement() for rung in rungs}, Backend.CPU)
    remember_work(folder, result, NINE + timedelta(minutes=minute))


def test_minutes_are_those_between_checks_and_a_pause_is_none(tmp_path: Path, lab: Lab) -> None:
    for minute in (0, 12, 20, 20 + 31, 20 + 31 + 5):
        check_at(tmp_path, lab, minute, "01_first")
    assert effort(tmp_path, lab) == Effort({"01_first": 25})


def test_a_check_of_several_rungs_shares_the_minutes_out(tmp_path: Path, lab: Lab) -> None:
    check_at(tmp_path, lab, 0, "01_first")
    check_at(tmp_path, lab, 10, "01_first", "02_second")
    check_at(tmp_path, lab, 14, "02_second")
    assert effort(tmp_path, lab).minutes == {"01_first": 5, "02_second": 9}


@pytest.mark.parametrize("text", ['{"last": "noon"}', '{"minutes": [1]}', "[]", "{"])
def test_a_damaged_file_begins_again(tmp_path: Path, lab: Lab, text: str) -> None:
    (tmp_path / "work.json").write_text(text)
    check_at(tmp_path, lab, 0, "01_first")
    check_at(tmp_path, lab, 3, "01_first")
    assert effort(tmp_path, lab).minutes == {"01_first": 3}


def worked(checkout: Checkout, minutes: float, hints: int) -> None:
    """As if the checkout's student had worked on the first rung for so long."""
    checkout.write(
        ".lockstep/work.json",
        json.dumps({"last": NINE.isoformat(), "minutes": {f"{LAB}/01_first": minutes}}),
    )
    checkout.write(".lockstep/hints.json", json.dumps({f"{LAB}/01_first": [*range(1, hints + 1)]}))


def test_submit_sends_them_only_when_it_is_asked_to(checkout: Checkout) -> None:
    checkout.submission("labs", {})
    worked(checkout, 42, hints=2)
    ran = checkout.lab("submit", LAB)
    assert "--effort would tell your course, too: 42 minutes" in ran.out
    with zipfile.ZipFile(f"{LAB}.zip") as packed:
        assert f"{LAB}/effort.toml" not in packed.namelist()
    assert "effort.toml" in checkout.lab("submit", LAB, "--effort").out
    _, report = checkout.grade(Path(f"{LAB}.zip"))
    assert report["submissions"][0]["labs"][0]["effort"] == {
        "minutes": {"01_first": 42},
        "hints": {"01_first": 2},
    }


def test_the_class_page_shows_the_median_beside_the_estimate(checkout: Checkout) -> None:
    toml = checkout.root / "labs" / LAB / "lab.toml"
    toml.write_text(
        toml.read_text().replace('title = "The first"', 'title = "The first"\nhours = 0.5')
    )
    for name, minutes, hints in (("ann", 20, 0), ("bob", 50, 2), ("cy", 80, 1)):
        folder = checkout.submission(f"class/{name}", {})
        lines = f'version = 1\nlab = "{LAB}"\n[minutes]\n01_first = {minutes}.0\n'
        lines += f"[hints]\n01_first = {hints}\n" if hints else ""
        (folder / LAB / "effort.toml").write_text(lines)
    checkout.submission("class/dan", {})
    checkout.lab("grade", checkout.root / "class", "--results", "results")
    assert checkout.lab("report", "results").status == 0
    page = Path("results/report/index.html").read_text()
    row = page.partition(f">{LAB}/01_first</th>")[2].partition("</tr>")[0]
    assert [cell.partition("<")[0] for cell in row.split('class="value">')[1:]] == [
        "3",
        "50",
        "30",
        "2",
        "1",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "minutes = 3",
        f'version = 1\nlab = "{LAB}"\n[minutes]\n01_first = inf\n',
        f'version = 1\nlab = "{LAB}"\n[minutes]\n01_first = -5.0\n',
        'version = 1\nlab = "02-other"\n[minutes]\n01_first = 5.0\n',
    ],
)
def test_a_file_that_makes_no_sense_says_nothing(checkout: Checkout, text: str) -> None:
    folder = checkout.submission("sub", {})
    (folder / LAB / "effort.toml").write_text(text)
    ran, report = checkout.grade(folder)
    assert ran.status == 0
    assert report["submissions"][0]["labs"][0]["effort"] is None


# ---- The last hint


def test_the_last_hint_may_wait_for_a_check_that_failed(checkout: Checkout) -> None:
    checkout.write("release.json", '{"last_hint_waits": true}')
    closed = checkout.lab("hint", f"{LAB}/01", "--all").out
    assert "a gentle hint" in closed
    assert "telling" not in closed
    assert f"the last hint opens when ./lab check {LAB}/01_first has failed once" in closed
    checkout.lab("check", f"{LAB}/01")  # a starter: nothing was tried
    assert "telling" not in checkout.lab("hint", f"{LAB}/01", "--all").out
    checkout.submission("labs", {"01_first": WRONG})
    checkout.lab("check", f"{LAB}/01")
    opened = checkout.lab("hint", f"{LAB}/01").out
    assert "a telling hint" in opened
    assert "the last hint opens" not in opened
    assert "three" not in checkout.lab("hint", f"{LAB}/02", "--all").out


# ---- Checkpoints


def test_a_rung_that_was_built_on_a_checkpoint_is_noted_and_costs_nothing(
    checkout: Checkout,
) -> None:
    mark = "// checkpoint: 01-demo/01_first (leave this line)\n// solved\n"
    checkout.submission("class/ann", {"02_second": mark})
    checkout.submission("class/bob", {})
    checkout.lab("grade", checkout.root / "class", "--results", "results")
    report = json.loads(Path("results/grade.json").read_text())
    ann, bob = report["submissions"]
    said = f"{LAB}/02_second was built on the checkpoint 01-demo/01_first"
    assert (ann["notes"], bob["notes"]) == ([said], [])
    assert ann["score"] == bob["score"]
    checkout.lab("report", "results")
    assert said in Path("results/report/index.html").read_text()
