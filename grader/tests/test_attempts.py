# SPDX-License-Identifier: MIT
"""Judging again: every attempt is kept, and trouble of ours takes no student's score away."""

import json
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.compile.worker import make_worker

from conftest import LAB, SOLUTION, STARTER, Checkout, rungs, verdict_line
from handed_in import GOOD, zip_bytes


@pytest.fixture
def kept(checkout: Checkout) -> Path:
    """The results of a class of two, both with full marks."""
    for name in ("ann", "bob"):
        checkout.write(f"class/{name}.zip", zip_bytes(GOOD))
    folder = checkout.work / "kept"
    assert checkout.lab("grade", checkout.root / "class", "--results", folder).status == 0
    return folder


def attempts(kept: Path) -> dict[str, int]:
    """The number of the current attempt, by submission and rung; earlier ones must all be there."""
    found: dict[str, int] = {}
    for file in sorted(kept.glob(f"*/{LAB}/*.json")):
        data = json.loads(file.read_text())
        name, number = f"{data['submission']}/{data['rung']}", data["attempt"]
        found[name] = number
        earlier = file.parent / "attempts" / data["rung"]
        numbers = sorted(entry.name for entry in earlier.glob("*"))
        assert numbers == [f"{index:04}" for index in range(1, number)]
        for entry in numbers:
            saved: Any = json.loads((earlier / entry / file.name).read_text())
            assert saved["attempt"] == int(entry)
            assert (earlier / entry / f"{data['rung']}.cu").is_file()
    return found


@pytest.mark.parametrize(
    ("options", "again"),
    [
        (["--regrade", "all"], {"ann/01_first", "ann/02_second", "bob/01_first", "bob/02_second"}),
        (["--regrade", "demo/second"], {"ann/02_second", "bob/02_second"}),
        (["--regrade-student", "BOB"], {"bob/01_first", "bob/02_second"}),
        (["--regrade", f"{LAB}/01_first", "--regrade-student", "ann"], {"ann/01_first"}),
    ],
)
def test_regrade_judges_what_is_asked_again_and_keeps_both(
    checkout: Checkout, kept: Path, options: list[str], again: set[str]
) -> None:
    ran = checkout.lab("grade", checkout.root / "class", "--results", kept, *options)
    assert ran.status == 0
    assert {name for name, number in attempts(kept).items() if number == 2} == again
    assert not (kept / ".regrade.json").exists()
    checkout.lab("grade", checkout.root / "class", "--results", kept)
    assert max(attempts(kept).values()) == 2  # asked once, done once


def test_a_damaged_request_is_said(checkout: Checkout, kept: Path) -> None:
    (kept / ".regrade.json").write_text("[" * 200_000)
    ran = checkout.lab("grade", checkout.root / "class", "--results", kept)
    assert ran.status == 0
    assert ".regrade.json is damaged: what a stopped run had yet to judge" in ran.err


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--regrade-student", "bo", "no student here is called 'bo'; did you mean bob?"),
        ("--regrade", "demo/third", "there is no rung of 01-demo called 'third'"),
    ],
)
def test_regrade_of_what_is_not_there_is_refused(
    checkout: Checkout, kept: Path, option: str, value: str, says: str
) -> None:
    said = checkout.refusal("grade", checkout.root / "class", "--results", kept, option, value)
    assert says in said
    assert set(attempts(kept).values()) == {1}


def test_a_name_that_two_students_share_is_not_guessed_at(checkout: Checkout, kept: Path) -> None:
    roster = checkout.write("class.csv", "name,login\nKim Li,ann\nKim Li,bob\n")
    asked = ("--roster", roster, "--regrade-student", "Kim Li")
    said = checkout.refusal("grade", checkout.root / "class", "--results", kept, *asked)
    assert "'Kim Li' may be each of ann, bob; name one of these" in said


def test_a_regrade_that_has_come_to_its_end_can_be_asked_again(
    checkout: Checkout, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("grade", checkout.root / "class", "--results", kept, "--regrade", "all")
    with monkeypatch.context() as broken:
        broken.setattr("lockstep_grader.judging.rung.make_worker", _fails)
        assert checkout.lab(*asked).status == 3
    assert checkout.lab(*asked).status == 0
    assert checkout.lab(*asked).status == 0
    assert set(attempts(kept).values()) == {3}


def test_a_checkout_that_changes_meanwhile_gives_no_results(
    checkout: Checkout, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = checkout.root / "labs" / LAB / "demo.cuh"

    def edited(*arguments: Any) -> Any:
        header.write_text(f"{header.read_text()}\n")
        return make_worker(*arguments)

    monkeypatch.setattr("lockstep_grader.judging.rung.make_worker", edited)
    assert "demo.cuh changed meanwhile" in checkout.refusal(
        "grade", checkout.root / "class", "--results", kept, "--regrade", "all", status=3
    )
    assert set(attempts(kept).values()) == {1}


def test_work_handed_in_again_is_another_attempt(checkout: Checkout, kept: Path) -> None:
    checkout.write("class/bob.zip", zip_bytes({**GOOD, f"{LAB}/01_first.cu": STARTER}))
    _, report = checkout.grade(checkout.root / "class", "--results", kept)
    assert rungs(report, 1)["01_first"]["score"] == 0
    assert attempts(kept)["bob/01_first"] == 2
    folder = kept / "bob" / LAB
    assert (folder / "01_first.cu").read_text() == STARTER
    assert (folder / "attempts/01_first/0001/01_first.cu").read_text() == SOLUTION


def test_a_file_that_is_missing_now_leaves_no_source_of_before(
    checkout: Checkout, kept: Path
) -> None:
    checkout.write("class/bob.zip", zip_bytes({f"{LAB}/02_second.cu": SOLUTION}))
    checkout.grade(checkout.root / "class", "--results", kept)
    assert not (kept / "bob" / LAB / "01_first.cu").exists()
    assert attempts(kept)["bob/01_first"] == 2


def test_a_regrade_that_fails_lets_the_earlier_score_stand_and_is_tried_again(
    checkout: Checkout, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (kept / "bob" / LAB / "01_first.json").read_bytes()
    regrade = ("--results", kept, "--regrade", "01-demo/01", "--regrade-student", "bob")
    with monkeypatch.context() as broken:
        broken.setattr("lockstep_grader.judging.rung.make_worker", _fails)
        ran, report = checkout.grade(checkout.root / "class", *regrade)
    assert ran.status == 3
    assert "not judged again, so the earlier score stands: bob/01-demo/01_first" in ran.complaint
    assert [item["score"] for item in report["submissions"]] == [10, 10]
    assert (kept / "bob" / LAB / "01_first.json").read_bytes() == before
    assert checkout.lab("grade", checkout.root / "class", "--results", kept).status == 0
    assert attempts(kept)["bob/01_first"] == 2


def _fails(*arguments: object) -> None:
    raise OSError(28, "No space left on device")


def test_new_content_that_cannot_be_judged_has_no_score_yet(checkout: Checkout, kept: Path) -> None:
    checkout.write("class/bob.zip", zip_bytes({**GOOD, f"{LAB}/01_first.cu": "//! segfault\n"}))
    ran, report = checkout.grade(checkout.root / "class", "--results", kept)
    assert [item["score"] for item in report["submissions"]] == [10, None]
    assert ran.status == 3
    assert attempts(kept)["bob/01_first"] == 1


def test_an_error_that_only_a_test_reports_is_tried_again_too(checkout: Checkout) -> None:
    folder = checkout.submission("ann", {"01_first": verdict_line(outcome="error", message="!")})
    ran, _ = checkout.grade(folder, "--results", "kept")
    assert ran.status == 3
    assert not (checkout.work / "kept" / "ann" / LAB / "01_first.json").exists()
