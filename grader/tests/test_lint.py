# SPDX-License-Identifier: MIT
"""`lint`: each promise of a lab is proved, and each way to break one is noticed."""

import pytest

from conftest import LAB, LAB_TOML, STARTER, Checkout, verdict_line

CAUGHT = verdict_line(
    outcome="failed",
    message="the tail is dropped",
    findings=[
        {"kind": "wrong_result", "file": "01_first.cu", "line": 7, "message": "tail: 7 items"}
    ],
)
LINES = "the seventh\n  the eighth\ntwice\ntwice\n"
HEADER = """\
// SPDX-License-Identifier: MIT
// mutant of: 01_first
// mistake: 4, the tail is dropped
// expect: failed wrong_result
"""
MUTANT = f"solutions/{LAB}/mutants/tail_dropped.cu"
ONE_HINT = LAB_TOML.replace(', "a telling hint"', "")


def mutant(checkout: Checkout, body: str = CAUGHT, header: str = HEADER) -> None:
    checkout.write(MUTANT, header + body)


def test_an_honest_lab_is_proved(checkout: Checkout) -> None:
    mutant(checkout)
    ran = checkout.lab("lint")
    assert ran.status == 0, ran.out
    rows = [line.split() for line in ran.out.splitlines()[1:4]]
    assert rows == [
        [LAB, "starters", "2", "0", "0"],
        [LAB, "solutions", "2", "0", "0"],
        [LAB, "mutants", "1", "0", "0"],
    ]


@pytest.mark.parametrize(
    ("path", "text", "breach"),
    [
        (f"labs/{LAB}/01_first.cu", "// TODO\n", "must fail with todo, but was passed"),
        (f"labs/{LAB}/01_first.cu", STARTER.replace("// TODO sum up", ""), ""),
        (f"labs/{LAB}/01_first.cu", "// TODO SYNTAX", "was failed with compile_error"),
        (f"labs/{LAB}/01_first.cu", STARTER.replace("TODO", "sum up"), "01_first: has no TODO"),
        (f"labs/{LAB}/lab.toml", ONE_HINT, "has 1 hints, fewer than 2"),
        (MUTANT, f"{HEADER}// right\n", "mutant tail_dropped: was passed, not failed"),
        (f"solutions/{LAB}/01_first.cu", "// TODO tidy\n", "still has a TODO"),
        (f"solutions/{LAB}/01_first.cu", CAUGHT, "earns 0 of 4 points: wrong_result: tail"),
        (f"solutions/{LAB}/01_first.cu", "//! segfault\n", "could not be judged"),
    ],
)
def test_a_broken_promise_is_a_breach(
    checkout: Checkout, path: str, text: str, breach: str
) -> None:
    checkout.write(path, text)
    ran = checkout.lab("lint")
    if not breach:  # the message still says TODO, so this starter is in order
        assert ran.status == 0
        return
    assert ran.status == 1
    assert breach in ran.out


@pytest.mark.parametrize(
    ("extra", "breach"),
    [
        ("// message: the tail is\n", ""),
        ("// message: tail: 7\n", ""),
        ("// message: the head\n", "no message says 'the head'"),
        ("// line: the seventh\n", ""),
        ("// line: the eighth\n", "named line 7 (the seventh), not 8 (the eighth)"),
        ("// line: the ninth\n", "tail_dropped.cu: no line is 'the ninth', which its header"),
        ("// line: twice\n", "tail_dropped.cu: 2 lines are 'twice', which its header"),
        ("// also: race, crash\n", ""),
        ("// needs: budget\n", ""),
        ("// needs: cpu\n", ""),
    ],
)
def test_a_mutant_must_be_caught_as_it_declares(
    checkout: Checkout, extra: str, breach: str
) -> None:
    mutant(checkout, CAUGHT + LINES, HEADER + extra)
    ran = checkout.lab("lint")
    assert ran.status == (1 if breach else 0), ran.out
    assert breach in ran.out


def test_another_kind_is_a_breach_unless_it_is_named_as_well(checkout: Checkout) -> None:
    header = HEADER.replace("failed wrong_result", "failed race")
    mutant(checkout, header=header)
    assert "got wrong_result, not race" in checkout.lab("lint").out
    mutant(checkout, header=header + "// also: wrong_result\n")
    assert checkout.lab("lint").status == 0


def test_a_mutant_that_needs_what_is_not_there_is_skipped_and_said(checkout: Checkout) -> None:
    mutant(checkout, "// not caught yet\n", HEADER + "// needs: budget\n")
    ran = checkout.lab("lint")
    assert ran.status == 0
    assert "tail_dropped: skipped, needs budget" in ran.out
    checkout.write_toolchain(features=["budget"])
    assert checkout.lab("lint").status == 1


def test_a_race_is_not_asked_of_a_gpu_alone(checkout: Checkout) -> None:
    mutant(checkout, "// right by luck\n", HEADER.replace("wrong_result", "race"))
    checkout.write_toolchain(backend="cuda")
    assert "skipped, a GPU alone does not see it" in checkout.lab("lint").out


def test_a_trivial_submission_may_not_pass_one_test(checkout: Checkout) -> None:
    header = HEADER.replace("4, the tail is dropped", "trivial: zeros")
    mutant(checkout, CAUGHT + verdict_line(), header)
    assert "a trivial submission passes Demo.Case/1" in checkout.lab("lint").out
    mutant(checkout, CAUGHT + CAUGHT, header)
    assert checkout.lab("lint").status == 0


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("// expect: failed wrong_result\n", "", "the header lacks '// expect: ...'"),
        ("wrong_result", "bad_luck", "'bad_luck' is not a valid FindingKind"),
        ("01_first", "09_none", "no rung of 01-demo called '09_none'"),
    ],
)
def test_a_malformed_mutant_names_its_file(
    checkout: Checkout, old: str, new: str, complaint: str
) -> None:
    mutant(checkout, header=HEADER.replace(old, new))
    said = checkout.refusal("lint", status=3)
    assert "tail_dropped.cu" in said
    assert complaint in said


EDIT = f"{HEADER}@@\n-// solved\n+{CAUGHT}"


def test_an_edit_is_judged_as_the_solution_with_its_changes(checkout: Checkout) -> None:
    checkout.write(f"solutions/{LAB}/mutants/tail_dropped.edit", EDIT)
    ran = checkout.lab("lint")
    assert ran.status == 0, ran.out
    assert [LAB, "mutants", "1", "0", "0"] in [line.split() for line in ran.out.splitlines()]


def test_a_solution_that_moved_is_a_breach_of_each_edit_and_the_others_are_proved(
    checkout: Checkout,
) -> None:
    mutant(checkout)
    for name in ("first", "second"):
        checkout.write(
            f"solutions/{LAB}/mutants/{name}.edit", EDIT.replace("-// solved", "-// before")
        )
    ran = checkout.lab("lint")
    assert ran.status == 1
    assert [LAB, "mutants", "1", "2", "0"] in [line.split() for line in ran.out.splitlines()]
    assert (
        f"{LAB} mutant first: solutions/{LAB}/mutants/first.edit: block 1 is not in "
        f"solutions/{LAB}/01_first.cu: the solution moved; run ./lab mutant edit {LAB}/first"
    ) in ran.out


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (HEADER, "there is no block, so nothing differs from the solution"),
        (f"{HEADER}#include <cmath>\n@@\n-// solved\n", "line 5: the header has only lines"),
        (f"{HEADER}@@\n-// solved\nsolved\n", "line 7 begins with none of ' ', '-', '+'"),
        (f"{HEADER}@@\n // solved\n", "block 1 changes nothing"),
        (f"{HEADER}\xff".encode("latin-1"), "invalid start byte"),
    ],
)
def test_a_malformed_edit_names_its_file(
    checkout: Checkout, text: str | bytes, complaint: str
) -> None:
    checkout.write(f"solutions/{LAB}/mutants/tail_dropped.edit", text)
    said = checkout.refusal("lint", status=3)
    assert f"solutions/{LAB}/mutants/tail_dropped.edit: " in said
    assert complaint in said


def test_a_name_is_an_edit_or_a_whole_file(checkout: Checkout) -> None:
    mutant(checkout)
    checkout.write(f"solutions/{LAB}/mutants/tail_dropped.edit", EDIT)
    assert "tail_dropped.edit has the same name" in checkout.refusal("lint", status=3)


def test_a_solution_beyond_the_ladder_names_its_rung(checkout: Checkout) -> None:
    checkout.write(f"solutions/{LAB}/beyond/99_faster.cu", CAUGHT)
    ran = checkout.lab("lint", LAB)
    assert ran.status == 2
    assert f"solutions/{LAB}/beyond/99_faster.cu: begin its name with a rung's number" in ran.err


def test_a_solution_beyond_the_ladder_is_judged_as_its_rung(checkout: Checkout) -> None:
    solution = (checkout.root / "solutions" / LAB / "01_first.cu").read_text()
    checkout.write(f"solutions/{LAB}/beyond/01_faster.cu", solution)
    ran = checkout.lab("lint")
    assert ran.status == 0, ran.out
    assert [LAB, "solutions", "3", "0", "0"] in [line.split() for line in ran.out.splitlines()]

    checkout.write(f"solutions/{LAB}/beyond/01_faster.cu", CAUGHT)
    ran = checkout.lab("lint")
    assert ran.status == 1
    assert "beyond-01_faster" in ran.out
