# SPDX-License-Identifier: MIT
"""Feedback back to a class: Moodle's worksheet and zip as Moodle reads them, and a mail merge."""

import csv
import io
import zipfile
from pathlib import Path

import pytest

from lockstep_grader.intake.roster import read_roster
from lockstep_grader.model.compat import tomllib
from lockstep_grader.model.grades import Student
from made_up_grades import demo, write_results

from conftest import DATA, LAB, Checkout

# As Moodle 4 exports it (mod/assign/feedback/offline/locallib.php).
WORKSHEET = (DATA / "worksheet.csv").read_bytes().decode()


@pytest.fixture
def results(checkout: Checkout) -> Path:
    return write_results(
        checkout.work / "results",
        demo("Ann Lee_51", student={"name": "Ann Lee", "participant": "51", "email": "ann@x"}),
        demo(
            "Bob O_Neil_52",
            0,
            0,
            student={"name": "Bob O_Neil", "participant": "52", "email": "bob@x"},
        ),
        demo("Cy_53", student={"name": "Cy", "participant": "53"}),
    )


def moodle_owner(name: str) -> tuple[int, str] | None:
    """The participant and the file that Moodle finds in a name (importziplib.php)."""
    info = name.split("_", 4)
    if len(info) < 4 or not info[1].isdecimal():
        return None
    is_plugin = (info[2], info[3]) in (("assignfeedback", "file"), ("assignsubmission", "file"))
    return (int(info[1]), info[4]) if is_plugin else None


def test_a_worksheet_comes_back_with_grades_and_comments(checkout: Checkout, results: Path) -> None:
    worksheet = checkout.write("worksheet.csv", WORKSHEET)
    options = ("--format", "csv", "--layout", "worksheet", "--roster", worksheet)
    ran = checkout.lab("export", results, *options)
    before = list(csv.DictReader(io.StringIO(WORKSHEET)))
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert [row["Grade"] for row in rows] == ["10", "0", ""]
    assert f"{LAB}: 10 of 10" in rows[0]["Feedback comments"]
    kept = [key for key in before[0] if key not in ("Grade", "Feedback comments")]
    assert [[row[key] for key in kept] for row in rows] == [
        [row[key] for key in kept] for row in before
    ]
    assert ran.status == 1
    assert "Cy_53 (not in the worksheet" in ran.err


def test_a_worksheets_rows_are_found_by_address_and_its_full_mark_is_compared(
    checkout: Checkout,
) -> None:
    folder = write_results(
        checkout.work / "by_address",
        demo("ann", student={"email": "ANN@x"}),
        demo("bob", student={"participant": "52", "email": "ann@x"}),
    )
    text = WORKSHEET.replace("3.00,10.00", '3.00,"20,00"')
    worksheet = checkout.write("worksheet.csv", text)
    options = ("--format", "csv", "--layout", "worksheet", "--roster", worksheet)
    ran = checkout.lab("export", folder, *options)
    assert [row["Grade"] for row in csv.DictReader(io.StringIO(ran.out))] == ["10", "10", ""]
    assert ran.err == (
        "the full mark is 20,00 in worksheet.csv and 10 here: set it to 10 in the gradebook\n"
    )


# The head of a worksheet in another language, and its words before a participant's number.
TRANSLATED = [
    tuple(each.values())
    for each in tomllib.loads((DATA / "worksheets.toml").read_text("utf-8"))["worksheet"]
]


def translated(head: str, participant: str) -> str:
    _, rows = WORKSHEET.split("\r\n", 1)
    return f"{head}\r\n{rows.replace('Participant ', participant)}"


@pytest.mark.parametrize(("head", "participant"), TRANSLATED)
def test_a_worksheet_may_be_in_the_teachers_language(
    checkout: Checkout, results: Path, head: str, participant: str
) -> None:
    worksheet = checkout.write("worksheet.csv", translated(head, participant))
    options = ("--format", "csv", "--layout", "worksheet", "--roster", worksheet)
    ran = checkout.lab("export", results, *options)
    rows = list(csv.reader(io.StringIO(ran.out)))
    assert rows[0] == head.split(",")
    assert [row[4] for row in rows[1:]] == ["10", "0", ""]
    assert f"{LAB}: 10 of 10" in rows[1][9]
    assert "Cy_53 (not in the worksheet" in ran.err


@pytest.mark.parametrize(("head", "participant"), TRANSLATED)
def test_a_translated_worksheet_is_a_roster(
    checkout: Checkout, head: str, participant: str
) -> None:
    file = checkout.write("worksheet.csv", translated(head, participant))
    ann, *_ = read_roster(file).students
    assert ann == Student(name="Ann Lee", email="ann@x", participant="51")


def test_each_student_without_a_participants_number_is_named(checkout: Checkout) -> None:
    made = (demo(name, student={"name": name}) for name in ("Cy", "Dee"))
    results = write_results(checkout.work / "made", *made)
    worksheet = checkout.write("worksheet.csv", WORKSHEET)
    options = ("--format", "csv", "--layout", "worksheet", "--roster", worksheet)
    ran = checkout.lab("export", results, *options)
    assert "Cy" in ran.err
    assert "Dee" in ran.err


def test_what_is_not_graded_keeps_its_cell(checkout: Checkout) -> None:
    bob = demo("Bob O_Neil_52", None, student={"name": "Bob O_Neil", "participant": "52"})
    results = write_results(checkout.work / "made", bob)
    worksheet = checkout.write("worksheet.csv", WORKSHEET)
    options = ("--format", "csv", "--layout", "worksheet", "--roster", worksheet)
    ran = checkout.lab("export", results, *options)
    row = list(csv.DictReader(io.StringIO(ran.out)))[1]
    assert (row["Grade"], row["Feedback comments"]) == ("3.00", "old")
    assert "Bob O_Neil_52 (not graded)" in ran.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "name,email\nAnn,a@x\n",
            "is not a grading worksheet of Moodle: it lacks one of the columns",
        ),
        (None, "No such file"),
    ],
)
def test_another_file_is_no_worksheet(
    checkout: Checkout, results: Path, text: str | None, says: str
) -> None:
    file = checkout.write("w.csv", text) if text else checkout.root / "none.csv"
    options = ("--format", "csv", "--layout", "worksheet")
    assert says in checkout.refusal("export", results, *options, "--roster", file)
    assert "give it as --roster" in checkout.lab("export", results, *options).complaint


def test_moodle_finds_the_owner_of_each_page_in_the_zip(checkout: Checkout, results: Path) -> None:
    target = checkout.work / "feedback.zip"
    ran = checkout.lab("report", results, "--moodle-zip", target)
    assert ran.status == 0, ran.err
    with zipfile.ZipFile(target) as archive:
        owners = {moodle_owner(name) for name in archive.namelist()}
        assert owners == {(51, "feedback.html"), (52, "feedback.html"), (53, "feedback.html")}
        (ann,) = [name for name in archive.namelist() if "_51_" in name]
        page = archive.read(ann).decode()
    assert "Ann Lee" in page
    assert "Cy" not in page


def test_a_page_without_a_number_is_left_out_of_the_zip(checkout: Checkout) -> None:
    results = write_results(checkout.work / "r", demo("ann"))
    ran = checkout.lab("report", results, "--moodle-zip", checkout.work / "f.zip")
    assert ran.status == 1
    assert "ann (no participant's number is known; use a roster" in ran.err


def test_a_mail_merge_has_a_page_for_each_address(checkout: Checkout, results: Path) -> None:
    checkout.lab("report", results)
    ran = checkout.lab("export", results, "--format", "csv", "--layout", "mail")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert [row["email"] for row in rows] == ["ann@x", "bob@x"]
    assert [row["score"] for row in rows] == ["10", "0"]
    assert all((results / "report" / row["page"]).is_file() for row in rows)
    assert "Cy_53 (no email is known" in ran.err


def test_a_mail_says_what_was_wrong_with_the_hand_in_first(checkout: Checkout) -> None:
    gus = demo("gus", 0, 0, student={"email": "gus@x"}, problem="gus.zip is damaged")
    results = write_results(checkout.work / "damaged", gus)
    ran = checkout.lab("export", results, "--format", "csv", "--layout", "mail")
    (row,) = csv.DictReader(io.StringIO(ran.out))
    assert row["summary"].startswith("gus.zip is damaged; 0 / 10 points; ")


def test_a_mail_says_at_which_rungs_points_are_lost_and_why(checkout: Checkout) -> None:
    hal = demo("hal", 4, 3, student={"email": "hal@x"})
    results = write_results(checkout.work / "short", hal)
    ran = checkout.lab("export", results, "--format", "csv", "--layout", "mail")
    (row,) = csv.DictReader(io.StringIO(ran.out))
    assert "01_first" not in row["summary"]
    assert f"{LAB}/02_second 3 of 6: " in row["summary"]
