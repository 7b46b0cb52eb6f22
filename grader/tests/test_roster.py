# SPDX-License-Identifier: MIT
"""The class list: columns by many names, errors by line, and everyone accounted for."""

from pathlib import Path

import pytest

from lockstep_grader.intake.roster import Roster, read_roster
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Student

from conftest import LAB, Checkout
from handed_in import GOOD, by_id, taken, zip_bytes


def roster(folder: Path, text: str | bytes) -> Roster:
    file = folder / "class.csv"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_roster(file)


ANN = Student("Ann Lee", "ann@example.edu", "7", "alee", "A")


@pytest.mark.parametrize(
    "text",
    [
        "name,email,lms_id,login,section\nAnn Lee,ann@example.edu,7,alee,A\n",
        "\ufeffName;Email;ID;Username;Section\r\nAnn Lee;ann@example.edu;7;alee;A\r\n",
        "First name\tSurname\tID number\tEmail address\tlogin\tgroup\n"
        "Ann\tLee\t7\tann@example.edu\talee\tA\n",
        "Identifier,Full name,Email address,Status,login,section\n\n"
        "7,Ann Lee,ann@example.edu,Submitted,alee,A\n",
        "name,email,lms_id,login,section\nAnn Lee,ann@example.edu,7,alee,A\n".encode("utf-16"),
        "sep=;\r\nname;email;ID;login;group\r\nAnn Lee;ann@example.edu;7;alee;A\r\n",  # Excel's
        '"sep=,",,,,\nname,email,ID,login,group\nAnn Lee,ann@example.edu,7,alee,A\n',
    ],
)
def test_columns_go_by_many_names(tmp_path: Path, text: str | bytes) -> None:
    assert roster(tmp_path, text).students == (ANN,)


def test_a_canvas_gradebook_is_a_roster(tmp_path: Path) -> None:
    text = (
        "Student,ID,SIS Login ID,Section,Lab 1 (55)\n"
        "    Points Possible,,,,20\n"
        '"Lee, Ann",7,alee,A,\n'
        '"Student, Test",99,0123,A,\n'
    )
    assert roster(tmp_path, text).students == (Student("Lee, Ann", "", "7", "alee", "A"),)


@pytest.mark.parametrize(
    ("identifier", "student"),
    [
        ("Ann Lee", Student("Ann Lee", login="ann-gh")),
        ("ann@x.edu", Student(email="ann@x.edu", login="ann-gh")),
        ("20231", Student(lms_id="20231", login="ann-gh")),
    ],
)
def test_a_roster_of_github_gives_names(tmp_path: Path, identifier: str, student: Student) -> None:
    text = f'"identifier","github_username","github_id","name"\n"{identifier}","ann-gh","7",""\n'
    assert roster(tmp_path, text).students == (student,)


@pytest.mark.parametrize(
    "text",
    [
        "Identifier,Full name,ID number\nParticipant 7,Ann Lee,s-1\n",
        "name,lms_id,participant\nAnn Lee,s-1,7\n",
    ],
)
def test_a_participants_number_is_not_an_id_number(tmp_path: Path, text: str) -> None:
    assert roster(tmp_path, text).students == (Student("Ann Lee", lms_id="s-1", participant="7"),)


def test_a_row_that_names_nobody_is_passed_over(tmp_path: Path) -> None:
    text = "Student,ID,SIS Login ID,Section,Lab\n,,,,Manual Posting\nAnn,7,ann,A,\n"
    assert roster(tmp_path, text).students == (Student("Ann", "", "7", "ann", "A"),)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "class.csv: empty"),
        (
            "colour,size\nred,1\n",
            "class.csv:1: no column identifies the student; expected name, email",
        ),
        ("name,email\nAnn,a@x\nBob,A@x\n", "class.csv:3: email a@x is on line 2 already"),
        ("name,email\nAnn,a@x,7\n", "class.csv:2: 3 cells under 2 column names"),
        ("name,email\n", "class.csv: no student in it, only column names"),
        ("name\nAnn\nAnn\n", "class.csv:3: nothing tells Ann from line 2; add a column email"),
        ('name,email\n"Ann,a@x\n', "class.csv:2: not CSV"),
        (b"name\nJos\xe9\n", "class.csv:2: not UTF-8"),
    ],
)
def test_a_bad_roster_is_one_line_with_its_place(
    tmp_path: Path, text: str | bytes, says: str
) -> None:
    with pytest.raises(InputError) as caught:
        roster(tmp_path, text)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("known", "name"),
    [
        (Student(email="ANN@example.edu"), "submission_1"),
        (Student(name="leeann", lms_id="7"), "leeann_7"),
        (Student(name="leeann"), "leeann"),
        (Student(name="Lee Ann"), "x"),
        (Student(), "alee"),
        (Student(), "ann"),  # what stands before the @
        (Student(), "Ann_Lee"),
        (Student(), "lab-one-alee"),
    ],
)
def test_a_submission_finds_its_student(tmp_path: Path, known: Student, name: str) -> None:
    text = "name,email,lms_id,login,section\nAnn Lee,ann@example.edu,7,alee,A\nBob,b@x,8,bob,A\n"
    assert roster(tmp_path, text).find(known, name) == ANN


@pytest.mark.parametrize(
    ("text", "known", "name", "owner"),
    [
        ("name,login\nAnn,x-ann\nLee,ann\n", Student(login="x-ann"), "hw-x-ann", "Ann"),
        ("name,login\nAnn,x-ann\nLee,ann\n", Student(login="ann"), "hw-ann", "Lee"),
        ("name,login\nAnn,ann\nZed,zed\n", Student(login="bob-zed"), "hw-bob-zed", None),
        ("name,login\nAnn,cs-ann\nBob,cs-bob\n", Student(login="ann"), "hw-cs-ann", "Ann"),
        ("name,email\nAnn,a@x\nAnn,b@x\n", Student(name="Ann"), "x", None),
        ("name,email\nAnn,a@x\nAnn,b@x\n", Student(), "b", "Ann"),
        ("name,ID number\nAnn,4711\nBob,51\n", Student("Ann", participant="51"), "Ann_51", "Ann"),
    ],
)
def test_a_student_is_not_taken_for_another(
    tmp_path: Path, text: str, known: Student, name: str, owner: str | None
) -> None:
    found = roster(tmp_path, text).find(known, name)
    assert (found and found.name) == owner


def test_two_submissions_of_one_student_are_said(checkout: Checkout) -> None:
    for name in ("alee", "ann@x"):
        checkout.write(f"class/{name}.zip", zip_bytes(GOOD))
    file = checkout.write("class.csv", "name,login,email\nAnn Lee,alee,ann@x\n")
    ran, _ = checkout.grade(checkout.root / "class", "--roster", file)
    assert "alee of the roster handed in more than once: alee, ann@x (2 in all)" in ran.err


def test_a_class_and_its_roster_make_one_list(checkout: Checkout) -> None:
    for name in ("alee", "stranger"):
        checkout.write(f"class/{name}.zip", zip_bytes(GOOD))
    file = checkout.write("class.csv", "name,login,section\nAnn Lee,alee,A\nBob,bob,B\n")
    ran, report = checkout.grade(checkout.root / "class", "--roster", file)
    listed = {item["id"]: item for item in report["submissions"]}
    assert {name: item["score"] for name, item in listed.items()} == {
        "alee": 10,
        "bob": 0,
        "stranger": 10,
    }
    assert listed["alee"]["student"] == {
        "name": "Ann Lee",
        "email": "",
        "lms_id": "",
        "login": "alee",
        "section": "A",
        "participant": "",
    }
    assert listed["bob"]["problem"] == "nothing handed in"
    assert "not on the roster, but graded: stranger (1 in all)" in ran.err
    assert "handed in nothing (1):\n  bob" in ran.out
    assert "nothing could be taken from" not in ran.out


def test_a_roster_without_a_single_submission_is_refused(checkout: Checkout) -> None:
    checkout.write("class/notes.txt", "")
    file = checkout.write("class.csv", "login\nalee\n")
    said = checkout.refusal("grade", checkout.root / "class", "--roster", file)
    assert "contains no lab folder" in said


def test_a_group_in_the_class_keeps_the_ids_apart(checkout: Checkout) -> None:
    checkout.write("class/Ann.zip", zip_bytes(GOOD))
    checkout.write(f"class/ann/{LAB}/01_first.cu", "")
    assert list(by_id(taken(checkout, checkout.root / "class"))) == ["Ann", "ann-2"]
