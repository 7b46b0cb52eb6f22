# SPDX-License-Identifier: MIT
"""Results as files: nothing is graded twice, nothing is lost, nothing is left running."""

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lockstep_grader.intake.submission import Source
from lockstep_grader.machine.workspace import forget_unused
from lockstep_grader.model.grades import Finding, FindingKind, Judgement
from lockstep_grader.results.store import KeptJudgements, ResultId

from conftest import LAB, SOLUTION, Checkout, is_gone, rungs, wait_for


@pytest.fixture
def judged(checkout: Checkout) -> Callable[[], int]:
    """How many times the judge ran so far."""
    log = checkout.work / "judge.log"
    return lambda: log.read_text().count("begin") if log.exists() else 0


def test_the_same_content_is_not_judged_again(
    checkout: Checkout, judged: Callable[[], int]
) -> None:
    for _ in range(2):
        ran, report = checkout.grade(checkout.root / "solutions", "--results", "kept")
        assert (ran.status, report["submissions"][0]["score"]) == (0, 10)
    assert judged() == 2


def test_without_results_they_are_kept_in_the_repository_and_reused_with_a_word_about_it(
    checkout: Checkout, judged: Callable[[], int]
) -> None:
    first, _ = checkout.grade(checkout.root / "solutions")
    second, report = checkout.grade(checkout.root / "solutions")
    assert judged() == 2
    assert "were judged before" not in first.err
    assert "2 of 2 rungs were judged before, with the same content and tools" in second.err
    kept = checkout.root / "results"
    assert json.loads((kept / "grade.json").read_text()) == report
    assert json.loads((kept / "solutions" / LAB / "01_first.json").read_text())["attempt"] == 1
    assert (kept / "solutions" / LAB / "01_first.cu").read_text() == SOLUTION


@pytest.mark.parametrize(
    "changed", [f"solutions/{LAB}/01_first.cu", f"labs/{LAB}/demo.cuh", "calls.a"]
)
def test_a_change_of_what_a_rung_depends_on_judges_again(
    checkout: Checkout, judged: Callable[[], int], changed: str
) -> None:
    checkout.grade(checkout.root / "solutions", "--results", "kept")
    checkout.write(changed, "// changed\n")
    checkout.grade(checkout.root / "solutions", "--results", "kept")
    assert judged() == (3 if changed.startswith("solutions") else 4)


def test_another_seed_judges_again(checkout: Checkout, judged: Callable[[], int]) -> None:
    for seed in ("1", "2", "1"):
        checkout.grade(checkout.root / "solutions", "--results", "kept", "--seed", seed)
    assert judged() == 6


PAINTER = '//! {"images": [{"label": "result", "file": "01_first.result.png"}]}\n'


def test_pictures_are_kept_beside_the_result_and_drawn_again_when_lost(
    checkout: Checkout, judged: Callable[[], int]
) -> None:
    checkout.submission("solutions", {"01_first": PAINTER, "02_second": SOLUTION})
    kept = checkout.root / "kept"
    picture = kept / "solutions" / LAB / "01_first.result.png"

    def grade() -> None:
        _, report = checkout.grade(checkout.root / "solutions", "--results", kept)
        (image,) = rungs(report)["01_first"]["tests"][0]["images"]
        assert image == {"label": "result", "file": picture.name}
        assert picture.read_bytes() == b"a picture"

    grade()
    grade()
    assert judged() == 2
    picture.unlink()
    grade()
    assert judged() == 3


def test_a_damaged_result_is_judged_again(checkout: Checkout, judged: Callable[[], int]) -> None:
    checkout.grade(checkout.root / "solutions", "--results", "kept")
    kept = checkout.work / "kept" / "solutions" / LAB / "01_first.json"
    kept.write_bytes(kept.read_bytes()[:-40])
    checkout.grade(checkout.root / "solutions", "--results", "kept")
    assert judged() == 3
    assert json.loads(kept.read_text())["rung"] == "01_first"


def test_a_fault_is_tried_again_and_overwrites_no_result(
    checkout: Checkout, judged: Callable[[], int]
) -> None:
    checkout.grade(checkout.root / "solutions", "--results", "kept")
    kept = checkout.work / "kept" / "solutions" / LAB / "01_first.json"
    before = kept.read_bytes()
    checkout.submission("solutions", {"01_first": "//! segfault\n"})
    for _ in range(2):
        assert checkout.lab("grade", checkout.root / "solutions", "--results", "kept").status == 3
    assert judged() == 4
    assert kept.read_bytes() == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_ends_its_children_and_says_how_to_go_on(
    checkout: Checkout, judged: Callable[[], int], number: signal.Signals
) -> None:
    slow = checkout.submission("ann", {"02_second": "//! sleep 60\n"})
    kept = checkout.work / "kept"
    running = checkout.start("grade", slow, "--results", kept, "--jobs", "1")
    wait_for(lambda: judged() == 2)
    for _ in range(3):  # as an impatient person or a terminal with its whole group does
        running.send_signal(number)
    out, err = running.communicate(timeout=20)
    assert running.returncode == 130
    assert f"interrupted after 1 of 2 rungs; they are kept in {kept}" in err
    assert "the same command goes on from there" in err
    assert "Traceback" not in out + err
    log = (checkout.work / "judge.log").read_text()
    assert all(is_gone(int(line.split()[1])) for line in log.splitlines())
    assert (kept / "ann" / LAB / "01_first.json").exists()


def test_a_killed_grader_takes_its_children_along(
    checkout: Checkout, judged: Callable[[], int]
) -> None:
    slow = checkout.submission("ann", {"01_first": "//! sleep 60\n"})
    running = checkout.start("grade", slow, "--jobs", "1")
    wait_for(lambda: judged() == 1)
    child = int((checkout.work / "judge.log").read_text().split()[1])
    running.kill()
    running.communicate()
    wait_for(lambda: is_gone(child))


def test_two_graders_on_one_results_folder_take_turns(
    checkout: Checkout, judged: Callable[[], int]
) -> None:
    folder = checkout.submission("ann", {"01_first": "//! sleep 1\n"})
    kept = checkout.work / "kept"
    first = checkout.start("grade", folder, "--results", kept)
    wait_for(lambda: judged() > 0)
    ran, report = checkout.grade(folder, "--results", kept)
    assert (ran.status, report["submissions"][0]["score"]) == (0, 10)
    assert f"is in use by another grader (process {first.pid}); waiting" in ran.err
    assert "2 of 2 rungs were judged before" in ran.err
    first.communicate()
    assert (first.returncode, judged()) == (0, 2)


def test_a_lock_dies_with_its_owner(checkout: Checkout, judged: Callable[[], int]) -> None:
    slow = checkout.submission("ann", {"01_first": "//! sleep 60\n"})
    kept = checkout.work / "kept"
    running = checkout.start("grade", slow, "--results", kept)
    wait_for(lambda: judged() > 0)
    running.kill()
    running.communicate()
    checkout.submission("ann", {})
    ran, _ = checkout.grade(slow, "--results", kept)
    assert (ran.status, "is in use" in ran.err) == (0, False)


# ---- judgements kept by content: a proof is made once, and again as soon as anything changes


RESULT = ResultId("solution 01_first", "01-demo", "01_first")
JUDGED = Source("01_first.cu", b"// solved")
RACE = Judgement(findings=(Finding(FindingKind.RACE, "two threads", "01_first.cu", 7),), seed="1")


def test_what_was_kept_is_found_under_its_key_alone(tmp_path: Path) -> None:
    kept = KeptJudgements(tmp_path / "proofs")
    assert kept.find(RESULT, "key") is None
    assert kept.settle(RESULT, "key", JUDGED, RACE) == RACE
    assert kept.find(RESULT, "key") == RACE
    assert kept.find(ResultId("check", "01-demo", "01_first"), "key") == RACE
    assert kept.find(RESULT, "another") is None


def test_a_fault_is_not_kept(tmp_path: Path) -> None:
    kept = KeptJudgements(tmp_path)
    assert kept.settle(RESULT, "key", JUDGED, Judgement(fault="no room")).fault == "no room"
    assert kept.find(RESULT, "key") is None


def test_where_nothing_can_be_kept_the_judgement_is_still_used(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file, and no folder")
    kept = KeptJudgements(tmp_path / "home" / "proofs")
    assert kept.settle(RESULT, "key", JUDGED, RACE) == RACE
    assert kept.find(RESULT, "key") is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"tests": 3}'])
def test_a_damaged_file_is_judged_again(tmp_path: Path, text: str) -> None:
    (tmp_path / "key.json").write_text(text)
    assert KeptJudgements(tmp_path).find(RESULT, "key") is None


def test_what_was_not_used_for_long_is_forgotten(tmp_path: Path) -> None:
    kept = KeptJudgements(tmp_path)
    for key in ("used", "unused", "new"):
        kept.settle(RESULT, key, JUDGED, RACE)
    long_ago = time.time() - 31 * 24 * 60 * 60
    for key in ("used", "unused"):
        os.utime(tmp_path / f"{key}.json", (long_ago, long_ago))
    kept.find(RESULT, "used")
    forget_unused(tmp_path)
    assert {file.stem for file in tmp_path.iterdir()} == {"used", "new"}
    forget_unused(tmp_path / "absent")
