# SPDX-License-Identifier: MIT
"""Budgets: gates over exact counters, what a missed one says, and where it points."""

from dataclasses import replace
from pathlib import Path

import pytest

from lockstep_grader.intake.catalog import read_lab
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import (
    Backend,
    Finding,
    FindingKind,
    Gate,
    Judgement,
    Outcome,
    Part,
    Place,
    Rung,
    TestResult,
)
from lockstep_grader.model.measures import (
    MEANS,
    MEASURES,
    PAID_BY,
    RISING,
    blamed_place,
    bound,
    budget_sentence,
    size_of,
)
from lockstep_grader.model.score import score_rung

from conftest import LAB, LAB_TOML, Checkout, demo_rung, rungs, verdict_line

CONFLICTS = Gate("bank_conflicts", zero=1000, full=0)
BUDGET = (
    "[rung.budget]\nbank_conflicts = { zero = 1000, full = 0 }\nlaunches = { zero = 9, full = 2 }\n"
)
PLACES = {"bank_conflicts": {"file": "/w/02_second.cu", "line": 3, "value": 200}}
CALL = {"num_items": 64.0}
SOURCE = "// one\n// two\ntile[2 * t] += tile[2 * t + stride];\n"


def kept_lines(conflicts: float, launches: float = 2) -> str:
    return SOURCE + verdict_line() + efficiency_line(conflicts, launches)


def efficiency_line(conflicts: float, launches: float) -> str:
    return verdict_line(
        part="efficiency",
        bank_conflicts=conflicts,
        launches=launches,
        num_items=65536,
        places=PLACES,
    )


def measured(rung: Rung, **measures: float) -> Judgement:
    right = TestResult("A.Right", Part.CORRECTNESS, Outcome.PASSED)
    budget = TestResult("A.KeepsItsBudget", Part.EFFICIENCY, Outcome.PASSED, measures=measures)
    return Judgement((right, budget))


@pytest.fixture
def budgeted(checkout: Checkout) -> Checkout:
    file = checkout.root / "labs" / LAB / "lab.toml"
    file.write_text(file.read_text() + BUDGET)
    return checkout


def test_partial_credit_is_continuous_and_the_least_gate_counts() -> None:
    rung = replace(demo_rung(), budget=(CONFLICTS, Gate("launches", zero=9, full=2)))
    result = score_rung(rung, measured(rung, bank_conflicts=250, launches=2), Backend.CPU)
    assert result.parts[Part.EFFICIENCY].score == 3
    assert [finding.kind for finding in result.findings] == [FindingKind.BUDGET]
    assert result.parts[Part.CLEANLINESS].score == 1
    result = score_rung(rung, measured(rung, bank_conflicts=250, launches=8), Backend.CPU)
    costliest, other = (finding.message for finding in result.findings)
    assert costliest.startswith("launches: 8")  # the gate that decides is named first
    assert other.startswith("bank_conflicts: ")


def test_a_budget_that_nobody_measured_is_our_fault_and_not_a_full_mark() -> None:
    rung = replace(demo_rung(), budget=(CONFLICTS,))
    result = score_rung(rung, measured(rung, launches=2), Backend.CPU)
    assert result.outcome is Outcome.ERROR
    assert "budget for bank_conflicts" in result.judgement.fault


def test_a_missed_budget_speaks_in_the_handouts_words() -> None:
    places = {"bank_conflicts": Place("02_x.cu", 31, 30000)}
    said = budget_sentence(CONFLICTS, 31744, {"num_items": 65536}, places)
    assert said == (
        "bank_conflicts: 31744 (full mark: at most 0), in a call with 65536 items: "
        "no points from 1000 up; most of them in line 31 (30000)"
    )


MOVED = Gate("global_bytes_moved_per_item", zero=8, full=4.1)


def test_a_budget_on_bytes_names_the_lines_that_move_them() -> None:
    name = MOVED.name
    places = {
        name: Place("a.cu", 12, 4),
        f"{name}.2": Place("a.cu", 31, 4),
        f"{name}.3": Place("a.cu", 40, 1),
        f"{name}.unused": Place("a.cu", 40, 0.5),
    }
    said = budget_sentence(MOVED, 9, CALL, places)
    assert said.endswith("most of them in line 12 (4), then in line 31 (4) and line 40 (1)")
    found = blamed_place(MOVED, 9, places)
    assert found is places[name]


def test_a_budget_on_bytes_blames_the_line_whose_waste_is_the_excess() -> None:
    places = {MOVED.name: Place("a.cu", 9, 4), f"{MOVED.name}.unused": Place("a.cu", 10, 0.21875)}
    said = budget_sentence(MOVED, 4.25, CALL, places)
    assert said.endswith(
        "most of them in line 9 (4); line 10 moves 0.2188 bytes per item that it does not use"
    )
    found = blamed_place(MOVED, 4.25, places)
    assert found is places[f"{MOVED.name}.unused"]


def test_a_line_that_moves_most_and_wastes_most_is_named_once() -> None:
    places = {MOVED.name: Place("a.cu", 9, 32), f"{MOVED.name}.unused": Place("a.cu", 9, 28)}
    said = budget_sentence(MOVED, 36, CALL, places)
    assert said.endswith("most of them in line 9 (32, 28 of them not used)")


def test_a_budget_where_more_is_better_says_so() -> None:
    gate = Gate("sector_efficiency", zero=0.25, full=0.9)
    said = budget_sentence(gate, 0.125, {}, {})
    share = "sector_efficiency: 12.5% of the bytes moved were used (full mark: at least 90%)"
    assert said == f"{share}: no points from 25% down"
    assert "this earns 50% of the points" in budget_sentence(gate, 0.575, {}, {})
    assert bound(Gate("launches", zero=5, full=1)) == "at most 1"


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_is_a_gate_and_has_words(name: str, tmp_path: Path) -> None:
    names = [name, PAID_BY] if name in MEANS else [name]
    wanted = tuple(Gate(gate, *((1, 2) if gate in RISING else (2, 1))) for gate in names)
    limits = "{} = {{ zero = {}, full = {} }}\n"
    gates = "".join(limits.format(each.name, each.zero, each.full) for each in wanted)
    file = tmp_path / LAB / "lab.toml"
    file.parent.mkdir()
    file.write_text(f"{LAB_TOML}[rung.budget]\n{gates}")
    assert read_lab(file).rungs[1].budget == wanted
    assert MEASURES[name].words
    assert name in budget_sentence(Gate(name, 2, 1), 1.5, CALL, {name: Place("a.cu", 2, 1)})


@pytest.mark.parametrize("name", sorted(MEANS))
def test_a_gate_on_a_mean_needs_one_on_what_extra_requests_cost(name: str, tmp_path: Path) -> None:
    file = tmp_path / LAB / "lab.toml"
    file.parent.mkdir()
    limits = "zero = 1, full = 2" if name in RISING else "zero = 2, full = 1"
    file.write_text(f"{LAB_TOML}[rung.budget]\n{name} = {{ {limits} }}\n")
    with pytest.raises(InputError, match=f"{name} is a mean, .* add a gate on {PAID_BY}"):
        read_lab(file)


def test_an_unknown_measure_is_named_with_line_and_key(tmp_path: Path) -> None:
    file = tmp_path / LAB / "lab.toml"
    file.parent.mkdir()
    file.write_text(f"{LAB_TOML}[rung.budget]\nbank_conflict = {{ zero = 2, full = 1 }}\n")
    with pytest.raises(InputError, match=r"lab.toml:22: rung\[1\].budget.bank_conflict: unknown"):
        read_lab(file)


def test_grade_reports_a_missed_budget_with_file_and_line(budgeted: Checkout) -> None:
    ran, report = budgeted.grade(budgeted.submission("ann", {"02_second": kept_lines(250)}))
    second = rungs(report)["02_second"]
    assert ran.status == 1
    assert second["parts"]["efficiency"] == {"score": 0.75, "max_score": 1}
    (finding,) = second["findings"]
    assert (finding["kind"], finding["file"], finding["line"]) == ("budget", "02_second.cu", 3)
    assert "(full mark: at most 0)" in finding["message"]
    place = {"file": "02_second.cu", "line": 3, "value": 200}
    assert second["tests"][1]["places"] == {"bank_conflicts": place}


def test_check_ticks_the_budgets_and_points_at_the_profile(budgeted: Checkout) -> None:
    budgeted.submission("labs", {"02_second": kept_lines(250)})
    ran = budgeted.lab("check", f"{LAB}/02_second")
    assert "\u2717 bank_conflicts 250  (full mark: at most 0)" in ran.out
    assert "\u2713 launches 2  (full mark: at most 2)" in ran.out
    assert "budget  02_second.cu:3" in ran.out
    assert ">    3 | tile[2 * t] += tile[2 * t + stride];" in ran.out
    assert "./lab profile 01-demo/02_second" in ran.out
    assert "  right, over budget\n" in ran.out


def test_a_wrong_rung_over_budget_has_failed(budgeted: Checkout) -> None:
    race = {"kind": "race", "file": "02_second.cu", "line": 3, "message": "both write"}
    failed = verdict_line(name="Demo.Racy", outcome="failed", message="no", findings=[race])
    budgeted.submission("labs", {"02_second": kept_lines(250) + failed})
    ran = budgeted.lab("check", f"{LAB}/02_second")
    assert "  failed\n" in ran.out
    assert "over budget" not in ran.out


def test_check_of_kept_budgets_shows_ticks_alone(budgeted: Checkout) -> None:
    budgeted.submission("labs", {"02_second": kept_lines(0)})
    ran = budgeted.lab("check", f"{LAB}/02_second")
    assert ran.status == 0
    assert ran.out.count("\u2713") == 2
    assert "profile" not in ran.out


def test_lint_holds_a_budget_mutant_to_its_line(budgeted: Checkout) -> None:
    budgeted.write_toolchain(features=["budget"])
    budgeted.submission("solutions", {"02_second": kept_lines(0)})
    header = (
        "// mutant of: 02_second\n// mistake: 3, bank conflicts\n// expect: failed budget\n"
        "// message: bank_conflicts\n// needs: budget\n"
    )
    file = f"solutions/{LAB}/mutants/conflicts.cu"
    text = header + "// line: // expect: failed budget\n" + verdict_line() + efficiency_line(500, 2)
    budgeted.write(file, text)
    assert "named line" not in budgeted.lab("lint", LAB).out
    budgeted.write(
        file, text.replace("// line: // expect: failed budget", "// line: // needs: budget")
    )
    assert (
        "conflicts: named line 3 (// expect: failed budget), not 5 (// needs: budget)"
        in budgeted.lab("lint", LAB).out
    )


def test_a_finding_without_a_place_names_the_file() -> None:
    rung = replace(demo_rung(), budget=(CONFLICTS,))
    result = score_rung(rung, measured(rung, bank_conflicts=2000), Backend.CPU)
    (finding,) = result.findings
    assert finding == Finding(FindingKind.BUDGET, finding.message, "01_first.cu")


def test_one_of_a_unit_is_not_a_plural() -> None:
    assert "launches: 1 launch (" in budget_sentence(Gate("launches", 3, 0), 1, CALL, {})
    assert "launches: 2 launches (" in budget_sentence(Gate("launches", 3, 0), 2, CALL, {})
    gate = Gate("global_bytes_moved_per_item", 3, 0)
    assert ": 1 byte per item (" in budget_sentence(gate, 1, CALL, {})


def test_a_block_that_does_the_work_alone_is_told_its_share() -> None:
    gate = Gate("busiest_block_bytes_per_item", 2, 0.5)
    said = budget_sentence(gate, 3, {MOVED.name: 4, **CALL}, {})
    assert ": 3 bytes per item, 75% of all (full mark: at most 0.5)" in said
    assert "divide it among more blocks" in said


def test_a_block_with_a_small_share_only_follows_from_the_bytes_in_all() -> None:
    moved, busiest = Gate(MOVED.name, 60, 18), Gate("busiest_block_bytes_per_item", 3, 2)
    rung = replace(demo_rung(), budget=(busiest, moved))
    values = {moved.name: 40.0, busiest.name: 2.9}
    first, second = score_rung(rung, measured(rung, **values), Backend.CPU).findings
    assert first.message.startswith(moved.name)
    assert second.message.startswith(busiest.name)
    assert "7% of all" in second.message
    assert second.message.endswith(f"that is a small part, so lower {moved.name}")


def test_one_of_eight_blocks_is_no_small_part() -> None:
    gate = Gate("busiest_block_bytes_per_item", 2, 0.5)
    said = budget_sentence(gate, 1, {MOVED.name: 8, **CALL}, {})
    assert "divide it among more blocks" in said


def test_a_look_back_that_is_a_chain_says_what_is_missing() -> None:
    said = budget_sentence(Gate("look_back_chain", 10, 8), 129, CALL, {})
    assert "129 publications in a chain (full mark: at most 8)" in said
    assert "publish what a tile has alone before its look-back" in said


def test_a_look_back_is_said_of_the_call_in_which_it_is_counted() -> None:
    measures = {"num_items": 64.0, "look_back_items": 512.0}
    assert size_of("look_back_chain", measures) == 512
    assert size_of("launches", measures) == 64
    assert size_of("look_back_chain", {"num_items": 64.0}) == 64
