# SPDX-License-Identifier: MIT
"""Several uploads of one student: the latest counts, and the others are named."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from lockstep_grader.intake.submission import Submission

from conftest import LAB, SOLUTION, STARTER, Checkout
from handed_in import GOOD, RUNGS, by_id, findings, taken, zip_bytes

ANN = "class/Ann_51_assignsubmission_file_"
OLD, NEW = (2026, 2, 1, 10, 0, 0), (2026, 2, 3, 10, 0, 0)


def zip_of(files: Mapping[str, str], when: tuple[int, int, int, int, int, int]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, when), text)
    return packed.getvalue()


def text_of(submission: Submission, rung: int = 0) -> str:
    (lab,) = submission.labs
    data: bytes = getattr(submission.read(lab, lab.rungs[rung]), "data", b"")
    return data.decode()


@pytest.mark.parametrize("names", [("work.zip", "starter.zip"), ("a-work.zip", "b-starter.zip")])
def test_the_starter_beside_the_work_does_not_win(
    checkout: Checkout, names: tuple[str, str]
) -> None:
    work, starter = names
    checkout.write(f"{ANN}/{work}", zip_of(GOOD, NEW))
    checkout.write(f"{ANN}/{starter}", zip_of(dict.fromkeys(GOOD, STARTER), OLD))
    (ann,) = taken(checkout, checkout.root / "class").submissions
    assert text_of(ann) == SOLUTION
    assert ann.notes == (f"{LAB}: {work} counts (the latest), not {starter}",)


def test_labs_in_archives_of_their_own_are_put_together(checkout: Checkout) -> None:
    for rung in RUNGS:
        checkout.write(f"{ANN}/{rung}.zip", zip_of({f"{LAB}/{rung}": rung}, NEW))
    (ann,) = taken(checkout, checkout.root / "class").submissions
    assert [text_of(ann, rung) for rung in (0, 1)] == list(RUNGS)
    assert ann.notes == ()


def test_archives_of_one_time_are_taken_by_name_and_that_is_said(checkout: Checkout) -> None:
    checkout.write(f"{ANN}/b.zip", zip_of(GOOD, NEW))
    checkout.write(f"{ANN}/a.zip", zip_of(dict.fromkeys(GOOD, "other"), NEW))
    (ann,) = taken(checkout, checkout.root / "class").submissions
    assert text_of(ann) == SOLUTION
    assert ann.notes == (
        f"{LAB}: b.zip counts (the last by name, as their times are equal), not a.zip",
    )


def test_the_platforms_order_counts_before_the_files_times(checkout: Checkout) -> None:
    checkout.write("class/leeann_100_9001_work.zip", zip_of(dict.fromkeys(GOOD, "first"), NEW))
    checkout.write("class/leeann_100_9005_work.zip", zip_of(GOOD, OLD))
    checkout.write("class/poe_101_9002_work.zip", zip_bytes(GOOD))
    ann = by_id(taken(checkout, checkout.root / "class"))["leeann_100"]
    assert text_of(ann) == SOLUTION
    assert "counts (the latest)" in ann.notes[0]


def test_what_counts_is_said_in_results_and_reports(checkout: Checkout, tmp_path: Path) -> None:
    checkout.write(f"{ANN}/work.zip", zip_of(GOOD, NEW))
    checkout.write(f"{ANN}/starter.zip", zip_of(dict.fromkeys(GOOD, STARTER), OLD))
    ran, report = checkout.grade(checkout.root / "class")
    (note,) = report["submissions"][0]["notes"]
    assert "work.zip counts (the latest), not starter.zip" in note
    assert "to note (1):" in ran.out
    pages = tmp_path / "pages"
    assert checkout.lab("report", checkout.work / "out.json", "--output", pages).status == 0
    texts = [file.read_text() for file in pages.rglob("*.html")]
    assert any("work.zip counts (the latest), not starter.zip" in text for text in texts)


# ---- a rung's file under a wrong name: the message that it is missing says what is there


_ENDINGS = ("_final.cu", " (1).cu", ".cu.txt", ".cpp", ".cu~")


@pytest.mark.parametrize("name", [f"01_first{end}" for end in _ENDINGS] + ["01_First.cu"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_class_says_what_a_missing_rung_is_called(
    checkout: Checkout, name: str, packed: bool
) -> None:
    files = {f"{LAB}/{name}": SOLUTION, f"{LAB}/02_second.cu": SOLUTION}
    if packed:
        checkout.write("class/ann.zip", zip_bytes(files))
    for path, text in {} if packed else files.items():
        checkout.write(f"class/ann/{path}", text)
    first, second = findings(by_id(taken(checkout, checkout.root / "class"))["ann"])
    assert first
    assert first.is_of_missing_file
    assert first.message.endswith(f": {name} is there, and is not read under this name")
    assert second is None


def test_a_check_says_it_too(checkout: Checkout) -> None:
    rung = checkout.root / "labs" / LAB / "01_first.cu"
    rung.rename(rung.with_name("01_first_old.cu"))
    ran = checkout.lab("check", f"{LAB}/01_first")
    assert "01_first_old.cu is there, and is not read under this name" in " ".join(ran.out.split())


def test_another_rung_is_not_taken_for_the_missing_one(checkout: Checkout) -> None:
    checkout.write(f"class/ann/{LAB}/02_second.cu", SOLUTION)
    first, _ = findings(by_id(taken(checkout, checkout.root / "class"))["ann"])
    assert first
    assert first.message == "01_first.cu is missing from the submission"


def test_a_misnamed_upload_does_not_replace_an_earlier_good_one(checkout: Checkout) -> None:
    checkout.write("class/leeann_1_10_a.zip", zip_bytes({f"{LAB}/01_first.cu": SOLUTION}))
    checkout.write("class/leeann_1_11_b.zip", zip_bytes({f"{LAB}/01_first_b.cu": SOLUTION}))
    first, _ = findings(by_id(taken(checkout, checkout.root / "class"))["leeann_1"])
    assert first is None
