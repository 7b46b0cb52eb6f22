# SPDX-License-Identifier: MIT
"""Judgements kept by content: a proof is made once, and again as soon as anything changes."""

import os
import time
from pathlib import Path

import pytest

from lockstep_grader.intake.submission import Source
from lockstep_grader.machine.workspace import forget_unused
from lockstep_grader.model.grades import Finding, FindingKind, Judgement
from lockstep_grader.results.store import KeptJudgements, ResultId

RESULT = ResultId("solution 01_first", "01-demo", "01_first")
SOURCE = Source("01_first.cu", b"// solved")
RACE = Judgement(findings=(Finding(FindingKind.RACE, "two threads", "01_first.cu", 7),), seed="1")


def test_what_was_kept_is_found_under_its_key_alone(tmp_path: Path) -> None:
    kept = KeptJudgements(tmp_path / "proofs")
    assert kept.find(RESULT, "key") is None
    assert kept.settle(RESULT, "key", SOURCE, RACE) == RACE
    assert kept.find(RESULT, "key") == RACE
    assert kept.find(ResultId("check", "01-demo", "01_first"), "key") == RACE
    assert kept.find(RESULT, "another") is None


def test_a_fault_is_not_kept(tmp_path: Path) -> None:
    kept = KeptJudgements(tmp_path)
    assert kept.settle(RESULT, "key", SOURCE, Judgement(fault="no room")).fault == "no room"
    assert kept.find(RESULT, "key") is None


def test_where_nothing_can_be_kept_the_judgement_is_still_used(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file, and no folder")
    kept = KeptJudgements(tmp_path / "home" / "proofs")
    assert kept.settle(RESULT, "key", SOURCE, RACE) == RACE
    assert kept.find(RESULT, "key") is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"tests": 3}'])
def test_a_damaged_file_is_judged_again(tmp_path: Path, text: str) -> None:
    (tmp_path / "key.json").write_text(text)
    assert KeptJudgements(tmp_path).find(RESULT, "key") is None


def test_what_was_not_used_for_long_is_forgotten(tmp_path: Path) -> None:
    kept = KeptJudgements(tmp_path)
    for key in ("used", "unused", "new"):
        kept.settle(RESULT, key, SOURCE, RACE)
    long_ago = time.time() - 31 * 24 * 60 * 60
    for key in ("used", "unused"):
        os.utime(tmp_path / f"{key}.json", (long_ago, long_ago))
    kept.find(RESULT, "used")
    forget_unused(tmp_path)
    assert {file.stem for file in tmp_path.iterdir()} == {"used", "new"}
    forget_unused(tmp_path / "absent")
