# SPDX-License-Identifier: MIT
"""A failed check prints the command that replays it, and that fails in the same way."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from lockstep_grader.author.mutants import read_mutants
from lockstep_grader.intake.catalog import find_lab, read_labs
from lockstep_grader.model.grades import (
    Finding,
    FindingKind,
    Judgement,
    Outcome,
    Part,
    RungResult,
    TestResult,
)
from lockstep_grader.student.check import replay_command

from conftest import LAB, Checkout
from in_process import lab
from recordings import unpacked
from repository import WORKSPACE

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


# An index past a local array that the compiler has no use for: only the kernel as written shows it.
AS_WRITTEN = (
    "  if (item < num_items) atomicAdd(d_out, d_in[item]);",
    "  float copies[4];\n"
    "  for (int i = 0; i <= 4; ++i) copies[i] = item < num_items ? d_in[item] : 0.0f;\n"
    "  if (item < num_items) atomicAdd(d_out, copies[0]);",
)


@pytest.mark.e2e
@pytest.mark.skipif(not WORKSPACE.solutions.is_dir(), reason="a students' copy has no solutions")
def test_a_finding_of_the_kernel_as_written_is_replayed(tmp_path: Path) -> None:
    name = "01-reduction/01_global_atomic"
    solution = (WORKSPACE.solutions / f"{name}.cu").read_text("utf-8")
    assert AS_WRITTEN[0] in solution
    kind, line, shown, _ = replayed(name, solution.replace(*AS_WRITTEN), tmp_path)
    assert kind == "out_of_bounds"
    assert (kind, line) in shown


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
def test_the_printed_command_fails_as_the_check_did(lab_id: str, name: str, tmp_path: Path) -> None:
    mutants = read_mutants(WORKSPACE, find_lab(read_labs(WORKSPACE), lab_id))
    mutant = next(each for each in mutants if each.name == name)
    kind, line, shown, said = replayed(f"{lab_id}/{mutant.rung.id}", mutant.text, tmp_path)
    if kind == "leak":
        assert f"the run failed: leak in line {line}" in said
    elif line:
        assert (kind, line) in shown
    else:
        assert "the run failed" in said


def replayed(target: str, text: str, work: Path) -> tuple[str, int, list[tuple[str, int]], str]:
    """What a check names first, what the page of the command that it prints shows, and what the
    command says."""
    file = work / "wrong" / f"{target}.cu"
    file.parent.mkdir(parents=True)
    file.write_text(text, "utf-8")
    checked = lab("check", target, "--from", "wrong", cwd=work)
    found = re.search(r"^  (\w+)(?:  [\w.]+:(\d+))?$", checked.stdout, re.MULTILINE)
    command = re.search(r"replay it: \./lab (.*)", checked.stdout)
    assert found, checked.stdout
    assert command, checked.stdout
    ran = lab(*command[1].split(), cwd=work)
    assert ran.returncode == 1
    page = unpacked((work / "trace.html").read_text("utf-8"))
    shown = [(each["kind"], each["line"]) for each in page["findings"]]
    return found[1], int(found[2] or 0), shown, ran.stderr
