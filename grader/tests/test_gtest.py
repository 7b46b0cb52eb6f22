# SPDX-License-Identifier: MIT
"""Reading the judge's results: what is agreed is taken, anything else is the judge's fault."""

import json
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import (
    CompilerWarning,
    Finding,
    FindingKind,
    Image,
    Outcome,
    TestResult,
)
from lockstep_grader.observe.gtest import read_gtest

PLAIN = {"name": "A/1", "classname": "S", "status": "RUN", "result": "COMPLETED", "time": "0.25s"}


def read(tmp_path: Path, *tests: dict[str, Any]) -> tuple[TestResult, ...]:
    file = tmp_path / "judge.json"
    file.write_text(json.dumps({"seed": "9", "testsuites": [{"testsuite": list(tests)}]}))
    found, seed = read_gtest(file, tmp_path)
    assert seed == "9"
    return found


def test_failures_without_properties_make_a_failed_test_with_their_text(tmp_path: Path) -> None:
    (test,) = read(tmp_path, {**PLAIN, "failures": [{"failure": "a"}, {"failure": "b"}]})
    assert (test.outcome, test.message) == (Outcome.FAILED, "a\nb")


def test_a_test_that_did_not_run_is_not_counted(tmp_path: Path) -> None:
    assert read(tmp_path, {**PLAIN, "status": "NOTRUN"}) == ()


def test_a_test_skipped_by_gtest_is_skipped(tmp_path: Path) -> None:
    assert read(tmp_path, {**PLAIN, "result": "SKIPPED"})[0].outcome is Outcome.SKIPPED


def test_the_judges_kind_becomes_a_finding_unless_a_checker_found_it(tmp_path: Path) -> None:
    failed = {**PLAIN, "outcome": "failed", "kind": "race", "message": "both write"}
    (alone,) = read(tmp_path, failed)
    assert alone.findings == (Finding(FindingKind.RACE, "both write"),)
    (placed,) = read(tmp_path, {**failed, "place": json.dumps({"file": "/w/x.cu", "line": 3})})
    assert placed.findings == (Finding(FindingKind.RACE, "both write", "x.cu", 3),)
    checked = [{"kind": "race", "file": "/w/x.cu", "line": 3, "message": "x"}]
    (known,) = read(tmp_path, {**failed, "findings": json.dumps(checked)})
    assert known.findings == (Finding(FindingKind.RACE, "x", "x.cu", 3),)


def test_notes_are_no_findings(tmp_path: Path) -> None:
    noted = [{"kind": "race", "file": "/w/x.cu", "line": 3, "message": "x"}]
    (test,) = read(tmp_path, {**PLAIN, "notes": json.dumps(noted)})
    assert (test.outcome, test.findings) == (Outcome.PASSED, ())
    assert test.notes == (CompilerWarning("x", "x.cu", 3),)


def test_what_was_printed_has_its_lines_again(tmp_path: Path) -> None:
    printed = 'i\\t1\\nsaid \\"5\\"\\n\\u001b[31m\\\\n ...'  # as the judge quotes it
    assert read(tmp_path, {**PLAIN, "output": printed})[0].output == (
        'i\t1\nsaid "5"\n\\x1b[31m\\n ...'
    )
    assert read(tmp_path, {**PLAIN, "output": 'a " b'})[0].output == 'a " b'


def test_pictures_are_taken_from_their_folder_and_from_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"drawn")
    listed = json.dumps([{"label": "result", "file": "../../elsewhere/a.png"}])
    (test,) = read(tmp_path, {**PLAIN, "images": listed})
    assert test.images == (Image("result", "a.png", b"drawn"),)


@pytest.mark.parametrize(
    "extra",
    [
        {"outcome": "splendid"},
        {"images": '[{"label": "never drawn", "file": "b.png"}]'},
        {"part": "style"},
        {"findings": "[{]"},
        {"findings": '[{"kind": "race"}]'},
        {"kind": "gremlins"},
        {"share": "fast"},
        {"time": None},
    ],
)
def test_anything_else_is_the_judges_fault(tmp_path: Path, extra: dict[str, Any]) -> None:
    with pytest.raises(FaultError, match="results that cannot be read"):
        read(tmp_path, {**PLAIN, **extra})


def test_no_results_at_all_are_the_judges_fault(tmp_path: Path) -> None:
    with pytest.raises(FaultError, match="without writing its results"):
        read_gtest(tmp_path / "absent.json", tmp_path)
