# SPDX-License-Identifier: MIT
"""CSV: for spreadsheets, and as Canvas and Moodle import it."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.intake.roster import read_roster
from lockstep_grader.machine.csv_rows import parse_rows, read_rows
from lockstep_grader.results.export import gradebooks, table
from lockstep_grader.results.export.gradebooks import roster_of
from lockstep_grader.results.export.words import LeftOut, said_of
from lockstep_grader.results.graded import Results
from made_up_grades import a_class, document, graded, judged, lab, rung, submission

from conftest import DATA, Checkout

# As Canvas writes it: quoted names, its own numbers, a line of points possible.
ROSTER = (DATA / "gradebook.csv").read_bytes().decode()


def lines(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


@pytest.fixture
def book() -> Results:
    return graded(a_class())


def test_a_row_a_student_with_each_lab(book: Results) -> None:
    header, ann, bob, *_ = lines(table.students(book))
    assert header[6:] == ["01-demo", "02-scan", "score", "max_score", "status"]
    assert ",".join(ann) == "ann,Ann Ames,ann@example.edu,ann,11,A,7,4.25,11.25,11.25,graded"
    assert bob[1] == "Bob, Jr. Bee"
    assert bob[6:9] == ["4.29", "0", "4.29"]


def test_a_row_a_student_and_rung_with_the_first_cause(book: Results) -> None:
    rows = list(csv.DictReader(io.StringIO(table.rungs(book))))
    assert len(rows) == 12
    assert rows[4]["cause"] == "race: threads 3 and 4 both write tile[3]"
    assert (rows[4]["correctness"], rows[4]["score"], rows[4]["outcome"]) == (
        "1.29",
        "1.29",
        "failed",
    )
    assert rows[10]["cause"] == "the judge ended with status -9"


def test_no_cell_is_a_formula(book: Results) -> None:
    canvas, moodle = gradebooks.canvas(book).text, table.moodle(book).text
    for text in (table.students(book), table.rungs(book), canvas, moodle):
        cells = [cell for line in lines(text) for cell in line]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert "'=cmd" in table.students(book)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\uff1d1", " =1", "\r=1"])
def test_formulas_in_every_disguise_are_made_text(text: str) -> None:
    cell = table.cell(text)
    assert cell.startswith(("'", "\\"))


def test_a_semicolon_begins_no_formula() -> None:
    assert table.cell("ann;=1+1; @x; a-b") == "ann;'=1+1; '@x; a-b"


def test_a_name_of_many_lines_stays_in_its_cell() -> None:
    odd = submission("a\nb", [lab("01-demo", [rung("01_first", (1, 1))])])
    made = table.students(graded(document([odd])))
    assert len(lines(made)) == len(made.splitlines()) == 2


def test_canvas_gets_its_own_students_columns_and_assignment(book: Results) -> None:
    made = gradebooks.canvas(book, roster_of(parse_rows(ROSTER, "roster"), "roster"))
    header, possible, *students = lines(made.text)
    assert header == [*ROSTER.partition(",Current")[0].split(","), "02-scan"]
    assert possible == ["    Points Possible", "", "", "", "", "7", "4.25"]
    said = "the full mark is 8 in the column 01-demo (501) and 7 here: set it to 7 in the gradebook"
    new = "no assignment is called 02-scan: Canvas offers to make one"
    assert made.warnings == (new, said)
    assert students[0] == ["Ames, Ann", "11", "s-11", "ann", "A", "7", "4.25"]
    assert students[1] == ["Bee, Bob", "12", "s-12", "bob", "A, B", "4.29", "0"]
    assert [row[1] for row in students] == ["11", "12", "13"]


def test_who_is_not_in_the_roster_is_named_and_left_out(book: Results) -> None:
    roster = "\n".join(ROSTER.splitlines()[:3])
    made = gradebooks.canvas(book, roster_of(parse_rows(roster, "roster"), "roster"))
    assert len(lines(made.text)) == 3
    assert said_of(made.left_out) == "bob, =cmd (not in the roster); dan (01-demo not graded)"


def test_a_reason_to_be_left_out_is_said_once() -> None:
    many = [LeftOut(f"s{number}", "no email is known") for number in range(7)]
    assert said_of(many) == "s0, s1, s2, s3, s4 and 2 more (no email is known)"


@pytest.mark.parametrize(
    ("student", "found"),
    [
        ({"lms_id": "12"}, "12"),
        ({"login": "bob"}, "12"),
        ({"login": "s-12"}, "12"),
        ({"name": "bob BEE"}, "12"),
        ({"name": "Bee, Bob"}, "12"),
        ({"name": "Bob"}, None),
        ({}, None),
    ],
)
def test_a_student_is_found_by_number_login_or_name(
    student: dict[str, str], found: str | None
) -> None:
    one = submission("x", [lab("01-demo", [rung("01_first", (1, 1))])], student=student)
    (entry,) = graded(document([one])).entries
    row = roster_of(parse_rows(ROSTER, "roster"), "roster").find(entry)
    assert (row and row["ID"]) == found


def test_two_students_of_one_name_are_not_confused() -> None:
    twice = ROSTER + '"Bee, Bob",15,s-15,bob2,A,,\r\n'
    one = submission("x", [lab("01-demo", [rung("01_first", (1, 1))])], student={"name": "Bob Bee"})
    (entry,) = graded(document([one])).entries
    assert roster_of(parse_rows(twice, "roster"), "roster").find(entry) is None


def test_moodle_needs_something_to_know_a_student_by() -> None:
    one = submission("x", [lab("01-demo", [rung("01_first", (1, 1))])])
    made = table.moodle(graded(document([one])))
    assert len(lines(made.text)) == 1
    assert "x (neither login, number nor email" in said_of(made.left_out)


class Desk:
    """A results folder with the made-up class, and `export` on it."""

    def __init__(self, checkout: Checkout) -> None:
        self.checkout = checkout
        self.results = checkout.work / "results"
        self.write(a_class())

    def write(self, value: Any) -> None:
        self.results.mkdir(exist_ok=True)
        (self.results / "grade.json").write_text(json.dumps(value))

    def export(self, form: str, *options: str | Path) -> Any:
        return self.checkout.lab("export", self.results, "--format", form, *options)


@pytest.fixture
def desk(checkout: Checkout) -> Desk:
    return Desk(checkout)


def test_export_of_one_lab_counts_that_lab_alone(desk: Desk) -> None:
    ran = desk.export("csv", "--lab", "scan")
    assert [row[6:9] for row in lines(ran.out)[:2]] == [
        ["02-scan", "score", "max_score"],
        ["4.25", "4.25", "4.25"],
    ]


def test_export_of_one_student_is_one_document(desk: Desk) -> None:
    for name in ("ann", "ann@example.edu", "11"):
        ran = desk.export("gradescope", "--student", name)
        assert json.loads(ran.out)["score"] == 11.25


def test_export_of_several_students_fills_a_folder(desk: Desk) -> None:
    folder = desk.checkout.work / "out"
    for form, suffix in (("prairielearn", "json"), ("autolab", "txt")):
        assert desk.export(form, "--output", folder).status == 0
        files = sorted(path.name for path in folder.glob(f"*.{suffix}"))
        assert files == sorted(f"{name}.{suffix}" for name in ("=cmd", "ann", "bob", "dan"))


def test_export_of_several_students_to_stdout_asks_for_one(desk: Desk) -> None:
    ran = desk.export("gradescope")
    assert ran.status == 2
    assert "there are 4 students: choose one with --student" in ran.complaint


def test_export_for_canvas_with_a_roster_says_whom_it_leaves_out(desk: Desk) -> None:
    roster = desk.checkout.write("work/roster.csv", ROSTER)
    target = desk.checkout.work / "gradebooks.csv"
    ran = desk.export("csv", "--layout", "canvas", "--roster", roster, "--output", target)
    assert ran.status == 1
    assert "left out, so that no score is erased: dan (01-demo not graded)" in ran.err
    assert len(lines(target.read_text("utf-8"))) == 5
    ran = desk.export("csv", "--layout", "canvas", "--roster", roster, "--lab", "02-scan")
    assert ran.status == 0
    assert len(lines(ran.out)) == 6


def test_export_puts_a_rungs_pictures_where_they_fit(desk: Desk) -> None:
    picture = {"label": "the table", "file": "01_first.table.png"}
    drawn = rung("01_first", (1, 1), tests=[judged("T", images=[picture])])
    desk.write(document([submission("ann", [lab("01-demo", [drawn])])]))
    desk.checkout.write("work/results/ann/01-demo/01_first.table.png", b"\x89PNG\r\n\x1a\n")
    (made,) = json.loads(desk.export("prairielearn").out)["tests"]
    assert made["images"] == [{"label": "the table", "url": "data:image/png;base64,iVBORw0KGgo="}]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["gradescope", "--layout", "canvas"], "--layout and --roster go with --format csv"),
        (["csv", "--roster", "x.csv"], "--roster goes with --layout canvas"),
        (["csv", "--student", "zoe"], "there is no student 'zoe' in these results"),
        (["csv", "--lab", "09"], "no submission was graded on '09'; there are: 01-demo, 02-scan"),
        (["csv", "--output", "no/where.csv"], "no such folder"),
    ],
)
def test_what_cannot_be_exported_is_said_in_one_line(
    desk: Desk, options: list[str], complaint: str
) -> None:
    ran = desk.export(*options)
    assert ran.status == 2
    assert complaint in ran.complaint


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_roster_is_read_as_grade_reads_it(desk: Desk, encoding: str, delimiter: str) -> None:
    rows = [["Student", "ID", "SIS Login ID", "Section", "01-demo"], ["", "", "", "", "Manual"]]
    rows.append(["Ann \u00c9", "11", "ann", "A", ""])
    text = "\r\n".join(delimiter.join(row) for row in rows)
    roster = desk.checkout.write("work/roster.csv", text.encode(encoding))
    assert [row["Student"] for row in roster_of(read_rows(roster), "roster").rows] == ["Ann \u00c9"]
    assert [student.name for student in read_roster(roster).students] == ["Ann \u00c9"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('Student,ID,Section\n"Ann,1,A\n', "roster.csv:2: not CSV"),
        (b"Student,ID,Section\n\xff,1,A\n", "roster.csv:2: not UTF-8"),
        ("name,email\nAnn,ann@example.edu\n", "is not a gradebook exported from Canvas"),
        (None, "roster.csv: No such file"),
    ],
)
def test_a_damaged_roster_is_named(desk: Desk, text: str | bytes | None, says: str) -> None:
    roster = desk.checkout.work / "roster.csv"
    if text is not None:
        desk.checkout.write("work/roster.csv", text)
    ran = desk.export("csv", "--layout", "canvas", "--roster", roster)
    assert ran.status == 2
    assert says in ran.complaint


def test_what_grade_writes_can_be_exported(desk: Desk) -> None:
    file = desk.checkout.work / "grade.json"
    desk.checkout.lab("grade", desk.checkout.root / "solutions", "--json", file)
    ran = desk.checkout.lab("export", file, "--format", "gradescope")
    assert json.loads(ran.out)["score"] == 10
