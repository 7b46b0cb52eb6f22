# SPDX-License-Identifier: MIT
"""A failed check prints the command that replays it, and that fails in the same way."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from lockstep_grader.author.mutants import read_mutants
from lockstep_grader.intake.catalog import find_lab, read_labs
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import (
    Finding,
    FindingKind,
    Judgement,
    Outcome,
    Part,
    RungResult,
    TestResult,
)
from lockstep_grader.student.replay import replay_command
from test_e2e import REPOSITORY

from conftest import LAB, Checkout
from in_process import lab
from recordings import unpacked

WORKSPACE = Workspace(REPOSITORY, REPOSITORY / "build")
RACE = Finding(FindingKind.RACE, "they meet", "01_first.cu", 7, items=33)


def result_of(*findings: Finding, seed: str = "5") -> RungResult:
    tests = (
        TestResult("A.Passes", Part.CORRECTNESS, Outcome.PASSED),
        TestResult("A.Fails", Part.CORRECTNESS, Outcome.FAILED, findings=findings),
    )
    return RungResult("01_first", Outcome.FAILED, {}, findings, Judgement(tests, seed=seed))


def test_the_command_names_the_test_the_size_and_the_seed_of_the_cause() -> None:
    said = replay_command("01-demo/01_first", result_of(RACE))
    assert said == "./lab trace 01-demo/01_first --test A.Fails --size 33 --seed 5"


def test_a_case_whose_size_has_no_name_is_replayed_by_its_test() -> None:
    said = replay_command("01-demo/01_first", result_of(replace(RACE, items=0)), "my rungs")
    assert said == "./lab trace 01-demo/01_first --test A.Fails --seed 5 --from 'my rungs'"


@pytest.mark.parametrize("kind", ["todo", "compile_error", "forbidden", "budget"])
def test_what_no_launch_shows_is_not_replayed(kind: str) -> None:
    assert replay_command("x/y", result_of(Finding(FindingKind(kind), "no"))) == ""


def test_a_failed_check_prints_the_command(checkout: Checkout) -> None:
    finding = {"kind": "race", "file": "02_second.cu", "line": 1, "message": "no", "items": 9}
    test = f'{{"outcome": "failed", "message": "no", "findings": [{finding}]}}'.replace("'", '"')
    checkout.submission("labs", {"02_second": f"//! {test}\n"})
    said = checkout.lab("check", f"{LAB}/02_second", "--seed", "4").out
    assert re.search(rf"replay it: \./lab trace {LAB}/02_second --test \S+ --size 9 --seed 4", said)


# The cause: in a launch, at a size, in a case without one, in no launch, without a line.
@pytest.mark.e2e
@pytest.mark.skipif(not WORKSPACE.solutions.is_dir(), reason="a students' copy has no solutions")
@pytest.mark.parametrize(
    ("lab_id", "name"),
    [
        ("01-reduction", "barrier_missing"),
        ("01-reduction", "sums_past_output"),
        ("02-scan", "one_buffer_one_barrier"),
        ("02-scan", "leak"),
        ("00-threads", "thread_of_block"),
    ],
)
def test_the_printed_command_fails_as_the_check_did(
    lab_id: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCKSTEP_ENGINE", "machine")
    labs = read_labs(WORKSPACE)
    mutants = read_mutants(WORKSPACE, find_lab(labs, lab_id))
    mutant = next(each for each in mutants if each.name == name)
    file = tmp_path / "wrong" / lab_id / mutant.rung.file_name
    file.parent.mkdir(parents=True)
    file.write_text(mutant.text, "utf-8")
    checked = lab("check", f"{lab_id}/{mutant.rung.id}", "--from", "wrong", cwd=tmp_path)
    kind, line = cause_in(checked.stdout)
    command = re.search(r"replay it: \./lab (.*)", checked.stdout)
    assert command, checked.stdout
    replayed = lab(*command[1].split(), cwd=tmp_path)
    assert replayed.returncode == 1
    page = (tmp_path / "trace.html").read_text("utf-8")
    shown = [(found["kind"], found["line"]) for found in unpacked(page)["findings"]]
    if kind == "leak":
        assert f"the run failed: leak in line {line}" in replayed.stderr
    elif line:
        assert (kind, line) in shown
    else:
        assert "the run failed" in replayed.stderr


def cause_in(said: str) -> tuple[str, int]:
    """What the check names first."""
    found = re.search(r"^  (\w+)(?:  [\w.]+:(\d+))?$", said, re.MULTILINE)
    assert found, said
    return found[1], int(found[2] or 0)
