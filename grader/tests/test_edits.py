# SPDX-License-Identifier: MIT
"""Edits of a text: each block has one place or is refused, and edits made from texts re-apply."""

import random

import pytest

from lockstep_grader.author.edits import (
    EditError,
    MovedError,
    apply_edits,
    apply_fitting,
    edits_between,
    read_blocks,
    text_of,
)

from conftest import DATA

SOLUTION = (DATA / "edited.cu").read_text("utf-8")


def edited(blocks: str, text: str = SOLUTION) -> str:
    return apply_edits(text, read_blocks(blocks))


def written(old: str, new: str) -> str:
    return "".join(map(str, edits_between(old, new)))


def test_a_line_is_replaced() -> None:
    assert "sum -= a[i];" in edited("@@\n-  sum += a[i];\n+  sum -= a[i];\n")


def test_kept_lines_give_a_repeated_line_its_place() -> None:
    text = edited("@@\n   b[i] = sum;\n-  __syncthreads();\n")
    assert text.count("__syncthreads") == 1
    assert "b[i] = sum;\n}" in text


def test_every_block_is_searched_for_in_the_text_as_it_was() -> None:
    text = "one\ntwo\n"
    assert edited("@@\n-one\n+two\n@@\n-two\n+one\n", text) == "two\none\n"


def test_a_hunk_of_git_diff_is_a_block() -> None:
    hunk = "@@ -1,2 +1,2 @@ f()\n int sum = 0;\n-for (int i = 0; i < n; ++i) {\n+for (;;) {\n"
    assert "for (;;) {\n  sum" in edited(hunk)


def test_blank_lines_are_kept_lines_and_at_the_end_layout() -> None:
    text = edited("@@\n }\n\n-for (int i = 0; i < n; ++i) {\n+for (;;) {\n\n\n")
    assert "}\n\nfor (;;) {\n  b[i]" in text


@pytest.mark.parametrize("line", ["@@", "--- a", "+++ b", "\\", "\t", " ", "\f", "\r", "a\u2028b"])
def test_any_text_is_carried_as_it_is(line: str) -> None:
    new = f"{SOLUTION}{line}\n{line}\n"
    assert edited(written(SOLUTION, new)) == new
    assert edited(written(new, SOLUTION), new) == SOLUTION


@pytest.mark.parametrize(
    ("blocks", "problem"),
    [
        ("@@\n-  sum *= a[i];\n", "block 1 is not in"),
        ("@@\n-int sum = 0;\n@@\n-  __syncthreads();\n", "block 2 matches 2 places of"),
        ("@@\n-int sum = 0;\n@@\n int sum = 0;\n+\n", "block 2 overlaps an earlier block in"),
    ],
)
def test_a_block_without_one_place_of_its_own_is_refused(blocks: str, problem: str) -> None:
    with pytest.raises(MovedError) as error:
        edited(blocks)
    assert str(error.value) == problem


@pytest.mark.parametrize(
    ("blocks", "problem"),
    [
        ("sum\n@@\n", "line 1: expected @@, which begins a block"),
        ("@@\nsum\n", "line 2 begins with none of ' ', '-', '+'"),
        ("@@\n", "block 1 changes nothing"),
        ("@@\n-sum\n+sum\n", "block 1 changes nothing"),
        ("@@\n+sum\n", "block 1 has no line of the original to find its place by"),
    ],
)
def test_a_malformed_block_says_its_line_or_its_number(blocks: str, problem: str) -> None:
    with pytest.raises(EditError) as error:
        read_blocks(blocks)
    assert str(error.value) == problem


def test_blocks_that_fit_are_applied_beside_those_that_do_not() -> None:
    changed, misfits = apply_fitting(
        SOLUTION, read_blocks("@@\n-gone\n+here\n@@\n-int sum = 0;\n+int sum = 1;\n")
    )
    assert changed == SOLUTION.replace("= 0;\nfor", "= 1;\nfor")
    assert misfits == [(1, "is not in")]


def test_a_block_is_as_short_as_it_can_be() -> None:
    assert written(SOLUTION, SOLUTION.replace("sum += a", "sum -= a")) == (
        "@@\n-  sum += a[i];\n+  sum -= a[i];\n"
    )
    without = SOLUTION.replace("b[i] = sum;\n  __syncthreads();\n", "b[i] = sum;\n")
    assert written(SOLUTION, without) == "@@\n   b[i] = sum;\n-  __syncthreads();\n"


def test_an_insertion_is_placed_by_code_rather_than_by_a_comment() -> None:
    assert written("// words\nint a;\n", "// words\nint b;\nint a;\n") == "@@\n+int b;\n int a;\n"


def test_an_empty_text_has_no_place() -> None:
    assert edits_between("", "") == ()
    with pytest.raises(EditError):
        edits_between("", "int a;\n")


@pytest.mark.parametrize("seed", range(200))
def test_edits_made_from_a_random_change_give_exactly_that_text(seed: int) -> None:
    """Few different lines, so that most are in many places, and a third of them blank."""
    chance = random.Random(seed)
    words = ["", "", "{", "}", "  a();", "  b();", "// c"]
    old = [chance.choice(words) for _ in range(chance.randrange(1, 40))]
    new = list(old)
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(new) + 1)
        new[at : at + chance.randrange(3)] = chance.choices(words, k=chance.randrange(3))
    before, after = text_of(old), text_of(new)
    assert edited(written(before, after), before) == after
