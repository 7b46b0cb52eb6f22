# SPDX-License-Identifier: MIT
"""`./lab explain`: every lost point with its reason, and the command that repeats the judgement."""

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import LAB, SOLUTION, Checkout, Ran, verdict_line
from reports import LAB_TOML, write_class

RACE = {"kind": "race", "file": "01_first.cu", "line": 2, "message": "threads 0 and 1 write d_out"}

FULL = "{} has full marks in every rung\n  {} counts 10 / 10\n"


@pytest.fixture
def results(checkout: Checkout) -> Path:
    """One student whose first rung gives a wrong result in one of two tests, and races."""
    wrong = {"kind": "wrong_result", "file": "", "line": 0, "message": "d_out[3] is 7, not 8"}
    text = SOLUTION
    text += verdict_line(name="Demo.Small")
    text += verdict_line(
        name="Demo.Large",
        outcome="failed",
        message="with 33 items: d_out[3] is 7, not 8",
        findings=[wrong, RACE],
    )
    folder = checkout.work / "results"
    path = checkout.submission("class/ann", {"01_first": text}).parent
    checkout.submission("class/bob", {})
    assert checkout.lab("grade", path, "--seed", "7", "--results", folder).status == 1
    return folder


def explained(checkout: Checkout, first: str) -> Ran:
    """What `./lab explain` prints for a first rung with this text."""
    path = checkout.submission("class/cy", {"01_first": first}).parent
    checkout.grade(path, "--results", checkout.work / "r")
    return checkout.lab("explain", checkout.work / "r", "cy", "01")


def test_each_part_says_what_it_lost_and_where(checkout: Checkout, results: Path) -> None:
    ran = checkout.lab("explain", results, "ann", f"{LAB}/01_first")
    assert ran.status == 0, ran.err
    lines = [line.strip() for line in ran.out.splitlines()]
    assert lines[0] == f"ann  {LAB}/01_first  The first  1 / 4  failed"
    assert "correctness: 1 / 2" in lines
    assert "-1  Demo.Demo.Large: with 33 items: d_out[3] is 7, not 8  (01_first.cu:2)" in lines
    assert "cleanliness: 0 / 1" in lines
    assert "-1  only a rung whose results are all right counts as clean" in lines
    assert "cause  race: threads 0 and 1 write d_out  (01_first.cu:2)" in lines
    assert "-1  not measured, because a result was wrong" in lines
    assert "today's lab.toml" not in ran.out
    assert [line for line in ran.out.splitlines() if line != line.rstrip()] == []


def test_a_reason_of_several_lines_is_one_item(checkout: Checkout) -> None:
    text = SOLUTION + verdict_line(outcome="failed", message="one long line,\nand its advice")
    ran = explained(checkout, text)
    assert "one long line,\n          and its advice\n" in ran.out


def test_tests_that_fail_for_one_reason_are_one_loss(checkout: Checkout) -> None:
    size = "with {} items (the smallest failing size found): "
    crash = {"kind": "crash", "file": "", "line": 0, "message": "a null pointer"}
    ended = "not run, because an earlier test ended the run: a null pointer"
    other = "called in another order: 3 is 4\nCUDA promises no order (order 7)"
    messages = (size.format(1) + "a null pointer", size.format(33) + "a null pointer", ended)
    lines = [verdict_line(outcome="failed", message=each, findings=[crash]) for each in messages]
    lines += [verdict_line(outcome="failed", message=other), verdict_line()]
    ran = explained(checkout, SOLUTION + "".join(lines))
    (alike,) = [line.strip() for line in ran.out.splitlines() if "a null pointer" in line]
    assert alike.startswith("-1.2  3 tests fail for one reason; the first is Demo.")
    assert alike.endswith(messages[0])
    assert ran.out.count("  -0.4  Demo.") == 1


def test_a_checkers_finding_is_told_before_the_wrong_results_that_it_explains(
    checkout: Checkout,
) -> None:
    wrong = {"kind": "wrong_result", "file": "", "line": 0, "message": "7, not 8"}
    tests = [
        verdict_line(outcome="failed", message=f"{size} items: 7, not 8", findings=[wrong, RACE])
        for size in (1, 33)
    ]
    lines = explained(checkout, SOLUTION + "".join(tests)).out.splitlines()
    parts = "\n".join(lines).partition("cleanliness")
    assert lines[2] == "    cause  race: threads 0 and 1 write d_out  (01_first.cu:2)"
    assert parts[0].count("  -1  Demo.") == 2
    assert "race" not in parts[2]


def test_what_is_forbidden_costs_every_part(checkout: Checkout) -> None:
    by_host = {"kind": "forbidden", "file": "01_first.cu", "line": 1, "message": "by the host"}
    text = SOLUTION + verdict_line()
    text += verdict_line(part="efficiency", outcome="failed", findings=[by_host])
    lines = explained(checkout, text).out.splitlines()
    assert "    -2  forbidden: by the host  (01_first.cu:1)" in lines
    assert lines.count("    -1  nothing counts of a rung that does what is forbidden") == 2


def test_a_cost_is_no_failure(checkout: Checkout) -> None:
    budget = {"kind": "budget", "file": "01_first.cu", "line": 1, "message": "too many barriers"}
    text = SOLUTION + verdict_line()
    text += verdict_line(part="efficiency", outcome="failed", findings=[budget])
    path = checkout.submission("class/cy", {"01_first": text}).parent
    ran, _ = checkout.grade(path, "--results", checkout.work / "r")
    assert "right, over budget" in ran.out
    ran = checkout.lab("explain", checkout.work / "r", "cy", "01")
    assert ran.out.splitlines()[0].endswith("3 / 4  right, over budget")


def test_a_lab_stands_for_its_rungs_that_lost_points(checkout: Checkout, results: Path) -> None:
    toml = (checkout.root / "labs" / LAB / "lab.toml").read_text()
    checkout.write("labs/02-more/lab.toml", toml.replace(LAB, "02-more").replace("demo", "more"))
    only = checkout.lab("explain", results, "ann", LAB)
    assert (only.status, only.out) == (0, checkout.lab("explain", results, "ann").out)
    assert checkout.lab("explain", results, "bob", "demo").out == FULL.format("bob", LAB)
    for name in ("ann", "bob"):
        for rung in ("01_first", "02_second"):
            checkout.write(f"class/{name}/02-more/{rung}.cu", SOLUTION)
    checkout.write_toolchain(labs=two_labs(checkout))
    assert checkout.lab("grade", checkout.root / "class", "--results", results).status == 1
    ran = checkout.lab("explain", results, "ann", "02")
    assert ran.out == FULL.format("ann", "02-more"), ran.err
    assert f"ann  {LAB}/01_first" in checkout.lab("explain", results, "ann", "01").out
    ran = checkout.lab("explain", results, "ann", "02_second")
    assert "'02_second' may belong to any of 01-demo, 02-more" in ran.complaint


def two_labs(checkout: Checkout) -> dict[str, Any]:
    """The toolchain's labs, with the judge of the first for the second, too."""
    known = json.loads((checkout.root / "toolchain.json").read_text())["labs"]
    return {**known, "02-more": {**known[LAB], "include": str(checkout.root / "labs" / "02-more")}}


def test_work_from_which_nothing_could_be_taken_is_one_line(checkout: Checkout) -> None:
    checkout.submission("class/ann", {})
    (checkout.root / "class/cy").mkdir()
    ran, _ = checkout.grade(checkout.root / "class", "--results", checkout.work / "r")
    assert "cy: 0 / 10 points\n" in ran.out
    assert "is missing from the submission" not in ran.out
    assert ran.out.count("cy: the folder is empty") == 1
    ran = checkout.lab("explain", checkout.work / "r", "cy")
    assert ran.out == "cy  0 / 10  the folder is empty\n"
    assert checkout.lab("report", checkout.work / "r", "--output", "pages").status == 0
    (page,) = (checkout.work / "pages/students").glob("cy*")
    assert page.read_text().count("<p>There is no file of this rung.</p>") == 2
    assert "not written yet" not in page.read_text()


def test_the_command_that_it_prints_repeats_the_judgement(
    checkout: Checkout, results: Path
) -> None:
    ran = checkout.lab("explain", results, "ann", "01_first")
    (line,) = [line for line in ran.out.splitlines() if line.startswith("repeat it: ./lab ")]
    words = line.removeprefix("repeat it: ./lab ").split()
    assert words[-2:] == ["--seed", "7"]
    again = checkout.lab(*words)
    assert again.status == 1
    assert "d_out[3] is 7, not 8" in again.out


def test_nothing_is_lost_by_a_full_mark(checkout: Checkout, results: Path) -> None:
    ran = checkout.lab("explain", results, "bob", "02")
    assert "The second  6 / 6  passed" in ran.out
    assert "-" not in ran.out.split("repeat it")[0].replace(LAB, "")


@pytest.mark.parametrize("name", ["Ada Lovelace", "lovelace, ada", "Lovelace Ada"])
def test_a_name_may_be_in_either_order(checkout: Checkout, name: str) -> None:
    path = checkout.submission("class/al", {}).parent
    roster = checkout.write("class.csv", 'name,login\n"Lovelace, Ada",al\n')
    options = ("--roster", roster, "--results", checkout.work / "r")
    checkout.grade(path, *options)
    ran = checkout.lab("explain", checkout.work / "r", name, "01")
    assert "Lovelace, Ada" in ran.out, ran.err
    ran, _ = checkout.grade(path, *options, "--regrade-student", name)
    assert "no student here" not in ran.err


def test_a_budget_names_its_gate_and_its_line(checkout: Checkout) -> None:
    checkout.write("labs/01-demo/lab.toml", LAB_TOML)
    folder = write_class(checkout.work / "made")
    ran = checkout.lab("explain", folder, "B. Brown", "01")
    assert "efficiency: 0.5 / 1" in ran.out
    assert "-0.5  sector_efficiency is 75%; the full mark needs" in ran.out
    assert "also  bank_conflicts is 400; the full mark needs" in ran.out
    assert "(01_first.cu:12)" in ran.out
    held = checkout.lab("explain", folder, "brown", "02")
    assert "01_first must give right results first" in held.out
    ungraded = checkout.lab("explain", folder, "davis", "01")
    assert "not graded: the judge ended with status -9" in ungraded.out


def test_a_file_that_was_not_run_says_why(checkout: Checkout) -> None:
    ran = explained(checkout, "UNDEFINED")
    assert "-2  compile_error: undefined reference to `g()'  (01_first.cu:7)" in ran.out
    assert "today's lab.toml" not in ran.out


def test_points_by_todays_gates_are_said(checkout: Checkout, results: Path) -> None:
    file = checkout.root / "labs" / LAB / "lab.toml"
    file.write_text(file.read_text().replace("correctness = 2", "correctness = 20"))
    ran = checkout.lab("explain", results, "bob", "01")
    assert "by today's lab.toml it is 22 / 22: grade again to apply that" in ran.out


def test_the_courses_rules_are_told_too(checkout: Checkout, results: Path) -> None:
    course = checkout.write(
        "course.toml",
        f'[[override]]\nstudent = "ann"\nlab = "{LAB}"\npoints = 9\nreason = "seen in person"\n',
    )
    ran = checkout.lab("explain", results, "ann", "01", "--course", course)
    assert f"{LAB} counts 9 / 10" in ran.out
    assert "9 points, set by hand: seen in person" in ran.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("an", "01"), "there is no student 'an' in these results; did you mean ann?"),
        (("OB", "01"), "there is no student 'OB' in these results; did you mean bob?"),
        (("zz", "01"), "./lab export RESULTS --format csv lists all"),
        (("ann", "09"), "there is no rung of 01-demo called '09'"),
        (("ann", "07-x/01"), "there is no lab called '07-x'"),
    ],
)
def test_a_wrong_name_is_one_line(
    checkout: Checkout, results: Path, words: tuple[str, ...], says: str
) -> None:
    assert says in checkout.refusal("explain", results, *words)


@pytest.mark.parametrize("first", [None, "SYNTAX", "a\0"])
def test_a_rung_that_did_not_run_is_not_called_wrong_or_unclean(
    checkout: Checkout, first: str | None
) -> None:
    folder = checkout.submission("ann", {})
    file = folder / LAB / "01_first.cu"
    if first is None:
        file.unlink()
    else:
        file.write_bytes(first.encode("latin-1"))
    checkout.grade(folder, "--results", "kept")
    ran = checkout.lab("explain", "kept", "ann", f"{LAB}/01_first")
    said = " ".join(ran.out.split())
    assert said.count("compile_error: ") == (first is not None)
    assert said.count("01_first.cu is missing") == (first is None)
    assert "-1 not checked, because the rung did not run" in said
    assert "-1 not measured, because the rung did not run" in said
