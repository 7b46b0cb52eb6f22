# SPDX-License-Identifier: MIT
"""course.toml: what is read, its mistakes by line, and what reports and exports make of it."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

from lockstep_grader.grading.grade_class import Summary
from lockstep_grader.model.compat import tomllib
from lockstep_grader.model.grades import (
    Judgement,
    LabResult,
    Outcome,
    Part,
    PartScore,
    RungResult,
    SubmissionResult,
)
from made_up_grades import demo, write_results

from conftest import DATA, LAB, Checkout

MISTAKES = tomllib.loads((DATA / "mistakes_in_course.toml").read_text("utf-8"))
COURSE = (DATA / "course.toml").read_text("utf-8")


@pytest.fixture
def results(checkout: Checkout) -> Path:
    """A class of four; one student handed in nothing."""
    absent = {"problem": "nothing handed in", "missing": True}
    return write_results(
        checkout.work / "results",
        demo("ann", student={"name": "Ann", "login": "ann", "email": "ann@x"}),
        demo("bob", student={"name": "Bob", "login": "bob"}),
        demo("cy", student={"name": "Cy", "login": "cy"}),
        demo("dee", 0, 0, student={"name": "Dee", "login": "dee"}, **absent),
    )


def course(checkout: Checkout, text: str = COURSE) -> Path:
    return checkout.write("course.toml", text)


def test_an_export_gives_what_counts_and_why(checkout: Checkout, results: Path) -> None:
    before = (results / "grade.json").read_bytes()
    ran = checkout.lab("export", results, "--format", "csv", "--course", course(checkout))
    assert ran.status == 0, ran.err
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(ran.out))}
    assert {name: (row[LAB], row["percent"]) for name, row in rows.items()} == {
        "ann": ("9.5", "95"),
        "bob": ("9", "90"),
        "cy": ("10", "100"),
        "dee": ("0", "0"),
    }
    assert [row["status"] for row in rows.values()] == ["graded", "graded", "graded", "missing"]
    assert "3.5 points, set by hand (graded 4): shown in person" in rows["ann"]["notes"]
    assert rows["bob"]["notes"] == f"{LAB}: 1 day late: costs 10% of the points"
    assert "extended until 2026-10-14 23:59: ill, with a note" in rows["cy"]["notes"]
    assert (results / "grade.json").read_bytes() == before


def test_a_gradebook_takes_what_counts(checkout: Checkout, results: Path) -> None:
    options = ("--format", "csv", "--layout", "canvas", "--course", course(checkout))
    ran = checkout.lab("export", results, *options)
    assert [row[-1] for row in csv.reader(io.StringIO(ran.out))][1:] == [
        "10",
        "9.5",
        "9",
        "10",
        "0",
    ]


def test_mail_names_the_lab_that_was_late(checkout: Checkout, results: Path) -> None:
    file = course(checkout, COURSE.replace('"bob"', '"ann"'))
    mail = ("--format", "csv", "--layout", "mail")
    ran = checkout.lab("export", results, *mail, "--course", file)
    assert f"{LAB}: 1 day late: costs 10% of the points" in ran.out, ran.err


@pytest.mark.parametrize(
    "options", [("--format", "junit"), ("--format", "csv", "--layout", "rungs")]
)
def test_rules_for_labs_are_not_for_files_of_rungs(
    checkout: Checkout, results: Path, options: tuple[str, ...]
) -> None:
    said = checkout.refusal("export", results, *options, "--course", course(checkout))
    assert "--course changes the points of labs" in said


def test_a_report_shows_what_counts_and_no_hidden_rung(checkout: Checkout, results: Path) -> None:
    pages = checkout.work / "pages"
    file = course(checkout)
    ran = checkout.lab("report", results, "--output", pages, "--names", "--course", file)
    assert ran.status == 0, ran.err
    whole = (pages / "index.html").read_text()
    assert "What counts" in whole
    assert "shown in person" in whole
    counted = {"Ann": "9.5", "Bob": "9", "Cy": "10", "Dee": "0"}
    for page, mark in (("index", ""), ("leaderboard", "<strong>")):  # one total everywhere
        rows = (pages / f"{page}.html").read_text().partition("full rungs</th>")[2]
        name = r'scope="row">(?:<a [^>]*>)?(\w+)(?:</a>)?</th>'
        cell = rf'{name}\s*<td class="value" [^>]*>{mark}([\d.]+)'
        assert dict(re.findall(cell, rows)) == counted
    assert re.search(r"<dt>mean</dt><dd>9\.5 ", " ".join(whole.split()).replace("> <", "><"))
    (bob,) = [page.read_text() for page in (pages / "students").iterdir() if "bob" in page.name]
    assert "1 day late: costs 10% of the points" in bob
    assert '<p class="score"><strong>9</strong> <span>of 10 points' in bob
    assert "Bob has full marks in every rung" in checkout.lab("explain", results, "bob").out
    said = checkout.lab("explain", results, "bob", "--course", file).out
    assert f"{LAB} counts 9 / 10\n    1 day late" in said
    assert "1 rung counted and not shown here" in bob
    assert "The second" not in bob
    assert "of Parallel algorithms so far" in bob
    assert '<p class="soft">Parallel algorithms · 1 lab' in whole


def test_each_note_of_what_counts_has_a_line_of_its_own(checkout: Checkout, results: Path) -> None:
    dropped = COURSE.replace("[late]", "drop_lowest = 1\n[late]", 1)
    toml = (checkout.root / "labs" / LAB / "lab.toml").read_text()
    checkout.write("labs/02-scan/lab.toml", toml.replace(LAB, "02-scan").replace("demo", "scan"))
    rungs = json.loads((results / "grade.json").read_text())["submissions"][0]["labs"][0]["rungs"]
    labs = [{"id": lab, "score": 4, "max_score": 10, "rungs": rungs} for lab in (LAB, "02-scan")]
    folder = write_results(checkout.work / "two", {**demo("bob"), "labs": labs})
    second = '[[lab]]\nid = "02-scan"\ndeadline = 2026-10-13T00:00:00\n'
    text = dropped.replace('"cy"', '"bob"').replace('"ann@x"', '"bob"').replace("3.5", "0.5")
    text += second
    ran = checkout.lab("report", folder, "--course", course(checkout, text))
    assert ran.status == 0, ran.err
    (cell,) = re.findall(r'<td class="told">(.*?)</td>', (folder / "report/index.html").read_text())
    notes = cell.removesuffix("<br>").split("<br>")
    assert "02-scan" in notes[-1]
    assert "left out as one of the lowest" in notes[-2]
    assert all(re.fullmatch("<span>[^<]*</span>", note) for note in notes), notes


def test_who_handed_in_nothing_is_missing_and_in_no_mean(checkout: Checkout, results: Path) -> None:
    pages = checkout.work / "pages"
    assert checkout.lab("report", results, "--output", pages).status == 0
    whole = " ".join((pages / "index.html").read_text().split())
    tiles = whole.replace("> <", "><")
    assert "<dt>submissions</dt><dd>3" in tiles
    assert "<dt>handed in nothing</dt><dd>1" in tiles
    (dee,) = (page.read_text() for page in (pages / "students").iterdir() if "dee" in page.name)
    assert "<strong>Nothing was handed in.</strong>" in dee
    assert "Nothing could be taken" not in dee
    assert "<dt>mean</dt><dd>10 " in tiles


def test_the_summary_of_a_large_class_leaves_out_the_missing() -> None:
    said = io.StringIO()
    summary = Summary(Console(file=said, width=200), class_size=9)
    part = {Part.CORRECTNESS: PartScore(6.0, 10.0)}
    rung = RungResult("01_first", Outcome.FAILED, part, (), Judgement())
    for number in range(8):
        summary.add(SubmissionResult(f"s{number}", (LabResult(LAB, (rung,)),)))
    summary.add(SubmissionResult("absent", (LabResult(LAB, ()),), is_missing=True))
    summary.finish()
    totals = "8 submissions, 0 with full marks; 1 student handed in nothing; mean 6,"
    assert totals in said.getvalue()


def test_comments_reach_their_student_alone(checkout: Checkout, results: Path) -> None:
    comment = f"""
[[comment]]
student = "ann"
lab = "{LAB}"
rung = "01_first"
line = 1
text = "one barrier is enough <b>here</b>"
"""
    file = course(checkout, COURSE + comment)
    pages = checkout.work / "pages"
    assert checkout.lab("report", results, "--output", pages, "--course", file).status == 0
    said = f'<span class="file">{LAB}/01_first.cu:1</span>: one barrier is enough &lt;b&gt;here'
    names = [page.name for page in (pages / "students").iterdir() if said in page.read_text()]
    assert [name.split("-")[0] for name in names] == ["ann"]
    ran = checkout.lab("explain", results, "ann", "01", "--course", file)
    assert "one barrier is enough" in ran.out
    mail = checkout.lab("export", results, "--format", "csv", "--layout", "mail", "--course", file)
    assert f"{LAB}/01_first.cu:1: one barrier is enough" in mail.out


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        *(tuple(each.values()) for each in MISTAKES["mistake"]),
        ("[course]", "[course]\nx = " + "[" * 5000, "course.toml: its tables are nested too"),
        ("[course]", "[course]\nx = " + "1" * 5000, "course.toml: not TOML: a number is too long"),
    ],
)
def test_a_mistake_is_one_line_with_its_place(
    checkout: Checkout, results: Path, old: str, new: str, says: str
) -> None:
    assert old in COURSE
    file = course(checkout, COURSE.replace(old, new, 1))
    for command in (("export", results, "--format", "csv"), ("report", results)):
        assert says in checkout.refusal(*command, "--course", file)


def test_a_course_file_that_is_none(checkout: Checkout, results: Path) -> None:
    for file, says in (
        (checkout.root / "none.toml", "No such file"),
        (checkout.root, "Is a directory"),
        (checkout.write("course.toml", b"a = '\xff'"), "course.toml:1: not UTF-8"),
        (checkout.write("large.toml", "#" * (2 << 20)), "is larger than 1024 KiB"),
    ):
        assert says in checkout.refusal("report", results, "--course", file)


def test_a_name_of_two_students_is_refused_and_an_id_is_its_owners_alone(
    checkout: Checkout,
) -> None:
    folder = write_results(
        checkout.work / "results",
        demo("sam"),
        demo("sam-2", student={"login": "sam", "lms_id": "7"}),
        demo("x", student={"login": "7"}),
    )
    table = f'[[override]]\nstudent = "NAME"\nlab = "{LAB}"\npoints = 1\nreason = "r"\n'
    export = ("export", folder, "--format", "csv", "--course")
    ran = checkout.lab(*export, course(checkout, table.replace("NAME", "sam")))
    points = {row["id"]: row[LAB] for row in csv.DictReader(io.StringIO(ran.out))}
    assert (points["sam"] == "1", points["sam-2"] == "1", ran.status) == (True, False, 0)
    ran = checkout.lab(*export, course(checkout, table.replace("NAME", "7")))
    assert "override[0].student: '7' fits 2 students (sam-2, x); use the id" in ran.complaint


def test_all_mistakes_are_told_at_once(checkout: Checkout, results: Path) -> None:
    text = COURSE.replace("02_second", "02_secnd").replace("ann@x", "amy").replace("Berlin", "B")
    ran = checkout.lab("report", results, "--course", course(checkout, text))
    places = [line.split("course.toml:")[1].split(":")[1].strip() for line in ran.err.splitlines()]
    assert (ran.status, places) == (2, ["course.timezone", "lab[0].hidden", "override[0].student"])
    text = COURSE.replace("hours = 48", "hours = -1").replace("points = 3.5", "points = nan")
    ran = checkout.lab("report", results, "--course", course(checkout, text))
    assert [line.partition(": is")[0].split(": ")[-1] for line in ran.err.splitlines()] == [
        "extension[0].hours",
        "override[0].points",
    ]


@pytest.mark.parametrize("name", ["ann", "ANN", "ann@x", "Lee, Ann", "a.lee", "A.Lee@x"])
def test_a_student_is_called_as_for_explain(checkout: Checkout, name: str) -> None:
    ann = {"name": "Ann Lee", "email": "a.lee@x"} | ({"login": "ann@x"} if "ann@" in name else {})
    folder = write_results(checkout.work / "results", demo("ann", student=ann), demo("bob"))
    text = f'[[override]]\nstudent = "{name}"\nlab = "{LAB}"\npoints = 1\nreason = "r"\n'
    file = course(checkout, text)
    ran = checkout.lab("export", folder, "--format", "csv", "--course", file, "--student", name)
    assert [row[LAB] for row in csv.DictReader(io.StringIO(ran.out))] == ["1"], ran.err
    assert checkout.lab("explain", folder, name, "01").status == 0


def test_what_is_probably_a_slip_is_a_warning(checkout: Checkout, results: Path) -> None:
    more = '[[override]]\nstudent = "Ann"\nlab = "01-demo"\nrung = "01_first"\npoints = 5\n'
    file = course(checkout, COURSE + more + 'reason = "r"\n')
    options = ("--format", "csv", "--student", "ann", "--student", "Ann")
    ran = checkout.lab("export", results, *options, "--course", file)
    assert ran.err.splitlines() == [
        f"{file}:33: override[1].points: 5 points are more than 01_first has (4)",
        f"{file}:33: override[1].points: 01_first of ann has an override on line 23, too; "
        "the last one counts",
        "--student ann names ann, who is written once",
        "--student Ann names ann, who is written once",
    ]
    assert len(ran.out.splitlines()) == 2
