# SPDX-License-Identifier: MIT
"""`./lab report` as a command: its files, its errors, and the same pages from the same results."""

import re
from pathlib import Path

import pytest

from lockstep_grader.pages.report.words import KEY_FILE, page_name

from conftest import Checkout
from reports import EVIL, LAB_TOML, full, submission, todo, write_class, write_results


@pytest.fixture
def graded(checkout: Checkout) -> Path:
    checkout.write("labs/01-demo/lab.toml", LAB_TOML)
    return write_class(checkout.work / "results")


def pages(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): file.read_text() for file in sorted(folder.rglob("*.html"))
    }


def test_a_report_has_a_page_a_student_one_of_the_class_and_a_leaderboard(
    checkout: Checkout, graded: Path
) -> None:
    ran = checkout.lab("report", graded)
    assert ran.status == 0
    made = pages(graded / "report")
    assert set(made) == {
        "index.html",
        "analysis.html",
        "leaderboard.html",
        *(
            f"students/{page_name(name)}"
            for name in ("adams", "brown", EVIL, "clark", "davis", "evans")
        ),
    }
    assert "pages of 6 students" in ran.err


def test_the_same_results_give_the_same_pages(checkout: Checkout, graded: Path) -> None:
    for folder in ("one", "two"):
        options = ("--output", checkout.work / folder, "--anonymous")
        assert checkout.lab("report", graded, *options).status == 0
    assert pages(checkout.work / "one") == pages(checkout.work / "two")


def test_a_grade_file_will_do(checkout: Checkout, graded: Path) -> None:
    alone = checkout.work / "alone" / "marks.json"
    alone.parent.mkdir()
    (graded / "grade.json").rename(alone)
    assert checkout.lab("report", alone).status == 0
    assert "A. Adams" in pages(alone.parent / "report")["index.html"]


def test_pages_of_an_earlier_report_go_and_other_files_stay(
    checkout: Checkout, graded: Path
) -> None:
    output = checkout.work / "pages"
    checkout.lab("report", graded, "--output", output)
    own = output / "students" / "notes.html"
    own.write_text("<p>mine</p>")
    write_results(graded, full("adams"))
    checkout.lab("report", graded, "--output", output)
    left = {file.name for file in (output / "students").iterdir()}
    assert left == {page_name("adams"), "notes.html"}


def test_a_leaderboard_with_pseudonyms_names_nobody(checkout: Checkout, graded: Path) -> None:
    checkout.lab("report", graded)
    made = pages(graded / "report")
    board = made["leaderboard.html"]
    for name in ("adams", "brown", "clark", "davis", "evans"):
        assert name not in board.lower()
    told = re.search(r"leaderboard this is <strong>(.*?)<", made[f"students/{page_name('adams')}"])
    assert told is not None
    assert told[1] in board
    assert (graded / KEY_FILE).stat().st_mode & 0o077 == 0


def test_a_leaderboard_without_them_names_everybody(checkout: Checkout, graded: Path) -> None:
    checkout.lab("report", graded, "--names")
    assert "A. Adams" in pages(graded / "report")["leaderboard.html"]
    assert not (graded / KEY_FILE).exists()


def test_a_page_of_a_student_says_nothing_of_others(checkout: Checkout, graded: Path) -> None:
    checkout.lab("report", graded)
    page = pages(graded / "report")[f"students/{page_name('adams')}"]
    for name in ("Brown", "clark", "davis", "evans"):
        assert name not in page


def test_a_submission_named_twice_is_refused(checkout: Checkout) -> None:
    write_results(checkout.work, full("adams"), full("adams"))
    assert "names a submission twice" in checkout.lab("report", checkout.work).complaint


def test_names_that_lead_out_of_the_results_folder_find_nothing(
    checkout: Checkout, graded: Path
) -> None:
    checkout.write("work/elsewhere/01-demo/01_first.cu", "int secret;\n")
    write_results(graded, submission("../elsewhere", todo("01_first")))
    assert checkout.lab("report", graded).status == 0
    assert "secret" not in pages(graded / "report")[f"students/{page_name('../elsewhere')}"]


def test_page_names_are_plain_and_never_the_same() -> None:
    names = ["A b", "a-b", "a b", "a/b", "../a", "\u00e4", "\u00e4\u0308", "", "\ud800", "x" * 300]
    made = [page_name(name) for name in names] + [page_name("a", "b"), page_name("a b", "")]
    assert len(set(made)) == len(made)
    for name in made:
        assert re.fullmatch(r"[a-z0-9-]{1,60}\.html", name)
