# SPDX-License-Identifier: MIT
"""`./lab class`: from the platform's download to its gradebook."""

import csv
from collections.abc import Mapping
from pathlib import Path

import pytest

from conftest import LAB, LAB_TOML, SOLUTION, STARTER, Checkout
from handed_in import RUNGS, zip_bytes

GRADEBOOK = f"""\
Student,ID,SIS User ID,SIS Login ID,Section,{LAB} (501)
    Points Possible,,,,,20
"Lee, Ann",11,,ann,A,
"Bee, Bob",12,,bob,A,3
"Dee, Dan",13,,dan,A,
"""
COURSE = f"""\
[course]
name = "Parallel algorithms"
[class]
gradebook = "gradebook.csv"
[late]
percent_per_day = 10
[[lab]]
id = "{LAB}"
deadline = 2026-10-12T23:59:00
[[hand_in]]
student = "bob"
at = 2026-10-13T10:00:00
"""


def write_course(checkout: Checkout, files: Mapping[str, str] | None = None) -> Path:
    for name, text in {"course.toml": COURSE, "gradebook.csv": GRADEBOOK, **(files or {})}.items():
        checkout.write(f"course/{name}", text)
    for who, first in (("ann_11", STARTER), ("bob_12", SOLUTION)):
        for rung, text in zip(RUNGS, (first, SOLUTION), strict=True):
            checkout.write(f"course/submissions/{who}_1_{rung}", text)
    return checkout.root / "course"


def test_a_class_goes_from_the_download_to_the_gradebook(checkout: Checkout) -> None:
    course = write_course(checkout)
    ran = checkout.lab("class", course, "--check")
    assert (ran.status, ran.out) == (0, "")
    assert f"2 submissions to grade on {LAB}" in ran.err
    assert "handed in nothing: dan" in ran.err
    assert not (course / "results").exists()
    ran = checkout.lab("class", course)
    assert ran.status == 1, ran.err
    with (course / "import.csv").open(newline="") as stream:
        rows = [(row["Student"], row[f"{LAB} (501)"]) for row in csv.DictReader(stream)]
    assert rows[1:] == [("Lee, Ann", "6"), ("Bee, Bob", "9"), ("Dee, Dan", "0")]
    assert (course / "results" / "report" / "index.html").is_file()
    assert "since the last export" not in ran.out
    assert "the full mark is 20 in the column" in ran.err


def test_an_assignment_that_the_gradebook_lacks_is_said(checkout: Checkout) -> None:
    course = write_course(checkout, {"gradebook.csv": GRADEBOOK.replace(LAB, "Homework 1")})
    ran = checkout.lab("class", course)
    assert f"no assignment is called {LAB}: Canvas offers to make one" in ran.err


def test_what_changed_is_listed(checkout: Checkout) -> None:
    course = write_course(checkout)
    checkout.lab("class", course)
    assert "since the last export:\n  nothing changed" in checkout.lab("class", course).out
    checkout.write(f"course/submissions/ann_11_2_{RUNGS[0]}", SOLUTION)
    ran = checkout.lab("class", course)
    assert ran.out.endswith(f"since the last export:\n  ann_11  {LAB}: 6 -> 10\n")


def test_a_request_that_comes_with_the_first_submission_judges_once(checkout: Checkout) -> None:
    course = write_course(checkout)
    checkout.write(f"course/submissions/cy/{LAB}/{RUNGS[0]}", SOLUTION)
    checkout.write(f"course/submissions/cy/{LAB}/regrade.txt", "01: it is right\n")
    said = checkout.lab("class", course).err
    assert f"cy/{LAB}/01_first was judged, as its student asks: it is right" in said


def test_a_student_asks_for_another_look_by_a_file(checkout: Checkout) -> None:
    course = write_course(checkout)
    for file in (course / "submissions").iterdir():
        file.unlink()
    for who in ("ann", "bob"):
        for rung in RUNGS:
            checkout.write(f"course/submissions/{who}/{LAB}/{rung}", SOLUTION)
    checkout.lab("class", course)
    assert checkout.judged() == 2  # equal files are judged once
    asked = "02: it is right\n09: so is this\n"
    checkout.write(f"course/submissions/ann/{LAB}/regrade.txt", asked)
    ran = checkout.lab("class", course)
    assert f"ann/{LAB}/02_second was judged again, as its student asks: it is right" in ran.err
    assert f"ann: regrade.txt of {LAB}: there is no rung of {LAB} called '09'" in ran.err
    assert checkout.judged() == 1
    assert "was judged again" not in checkout.lab("class", course).err
    assert checkout.judged() == 0  # a request is met once


def test_a_student_cannot_ask_without_end(checkout: Checkout) -> None:
    course = write_course(checkout)
    checkout.write(f"course/submissions/cy/{LAB}/regrade.txt", "99: no\n" * 5000)
    checkout.write(f"course/submissions/cy/{LAB}/{RUNGS[0]}", SOLUTION)
    said = checkout.lab("class", course).err
    assert f"cy: regrade.txt of {LAB} has 5000 lines, of which the first 50 are read" in said
    assert said.count("called '99'") == 50


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"course.toml": "[class]\nsubmission = 1"}, "class.submission: there is no such key"),
        ({"course.toml": COURSE.replace("bob", "zoe")}, "there is no student 'zoe'"),
        ({"course.toml": '[class]\nsubmissions = "x"'}, "2: class.submissions: there is no x in"),
        ({"course.toml": '[class]\nroster = "x.csv"'}, "2: class.roster: there is no x.csv in"),
        ({"gradebook.csv": "name,email\nAnn,a@x\n"}, "is not a grading worksheet of Moodle"),
    ],
)
def test_a_mistake_is_found_before_anything_is_judged(
    checkout: Checkout, files: Mapping[str, str], says: str
) -> None:
    course = write_course(checkout, files)
    for option in ((), ("--check",)):
        assert says in checkout.refusal("class", course, *option)
    assert checkout.judged() == 0


def test_deadlines_that_nothing_can_miss_are_said(checkout: Checkout) -> None:
    said = "no submission has a time or is marked as late"
    assert said not in checkout.lab("class", write_course(checkout), "--check").err
    untimed = COURSE.partition("[[hand_in]]")[0]
    course = write_course(checkout, {"course.toml": untimed})
    assert said in checkout.lab("class", course, "--check").err
    write_course(checkout, {"course.toml": untimed.partition("deadline")[0]})
    assert said not in checkout.lab("class", course, "--check").err


def test_all_files_that_are_not_there_are_named_at_once(checkout: Checkout) -> None:
    course = write_course(
        checkout, {"course.toml": '[class]\nsubmissions = "x"\ngradebook = "y"\n[[lab]]\nid = "z"'}
    )
    said = checkout.lab("class", course).err
    assert [line.rpartition("there is no ")[2].split()[0] for line in said.splitlines()] == [
        "lab",
        "x",
        "y",
    ]


def test_the_first_look_says_what_is_in_the_wrong_folder(checkout: Checkout) -> None:
    course = write_course(checkout)
    other = LAB_TOML.replace("01-demo", "02-next").replace("02_second", "02_further")
    checkout.write("labs/02-next/lab.toml", other)
    checkout.write(f"course/submissions/cy/{LAB}/02_further.cu", SOLUTION)
    checkout.write("course/submissions/dee.zip", zip_bytes({"02-next/02_further.cu": SOLUTION}))
    said = checkout.lab("class", course, "--check").err
    assert f"cy: {LAB}: not read, as it belongs to 02-next: 02_further.cu\n" in said
    assert f"dee: dee.zip contains 02-next, which is not graded now, and no {LAB}\n" in said


def test_a_folder_without_a_course_file(checkout: Checkout) -> None:
    assert "has no course.toml; docs/course.md" in checkout.refusal("class", checkout.root)
