# SPDX-License-Identifier: MIT
"""A missing or superfluous brace is blamed on the line that has it, not on the end of the file."""

import pytest

from lockstep_grader.model.grades import Finding, FindingKind
from lockstep_grader.words.beginners import in_beginners_words, unbalanced

from conftest import DATA

TEXT = (DATA / "braces.cu").read_text("utf-8")
LINES = TEXT.splitlines()


def without(number: int) -> list[str]:
    return LINES[: number - 1] + LINES[number:]


def test_a_text_whose_braces_have_partners_is_not_blamed() -> None:
    assert unbalanced(LINES) is None


@pytest.mark.parametrize(
    ("missing", "blamed", "shown"),
    [
        (8, 6, 8),  # the inner block: the next '}' is further left
        (9, 5, 9),
        (10, 4, 11),  # the kernel: a struct begins in the first column
        (21, 19, 22),  # the last function: the '}' says that it ends a namespace
    ],
)
def test_the_brace_that_is_not_closed_is_named(missing: int, blamed: int, shown: int) -> None:
    found = unbalanced(without(missing))
    assert found
    assert found[0] == blamed
    assert f"missing before line {shown}" in found[1]


def test_the_last_brace_is_missed_at_the_end_of_the_file() -> None:
    found = unbalanced(LINES[:-1])
    assert found
    assert found == (
        1,
        "a '}' is missing before the end of the file: the '{' of this line is not closed",
    )


def test_a_brace_too_many_is_named_where_it_is_out_of_line() -> None:
    found = unbalanced([*LINES[:8], "    }", *LINES[8:]])
    assert found
    assert (found[0], "one too many" in found[1]) == (9, True)


def test_braces_in_either_branch_of_a_condition_are_not_counted() -> None:
    assert unbalanced(["#if A", "void f() {", "#else", "void g() {", "#endif", "}"]) is None


def said(message: str, line: int, lines: list[str]) -> Finding:
    return in_beginners_words(Finding(FindingKind.COMPILE_ERROR, message, "x.cu", line), lines)


def test_an_error_at_the_end_of_the_file_is_moved_to_the_brace() -> None:
    assert said("expected '}' at end of input", 22, without(10)).line == 4
    assert said('expected a "}"', 0, without(10)).line == 4
    assert said("'x' was not declared in this scope", 7, without(10)).line == 7


LAUNCH = [
    "__global__ void kernel(float* d_out);",
    "void run(float* d_out) {",
    "  kernel<<1,",
    "           32>>(d_out);",
    "  const int i = threadldx.x + __syncthread + d_out2;",
    "  float* p = scratch.allocate(3);",
    "  std::cout << kernel >> (3);",
    "}",
]


@pytest.mark.parametrize(
    "message",
    [
        "invalid operands of types 'void(float*)' and 'int' to binary 'operator<<'",  # g++
        "expression must have integral or unscoped enum type",  # nvcc
    ],
)
def test_a_launch_with_two_angle_brackets_is_recognised(message: str) -> None:
    assert "kernel<<<blocks, threads>>>(...)" in said(message, 3, LAUNCH).message
    assert said(message, 7, LAUNCH).message == message  # a shift


@pytest.mark.parametrize(
    "message",
    [
        "no matching function for call to 'lab::Scratch::allocate(const int&)'",  # g++
        'no instance of function template "lab::Scratch::allocate" matches the argument list',
    ],
)
def test_scratch_without_a_type_is_recognised(message: str) -> None:
    assert "allocate<float>(count)" in said(message, 6, LAUNCH).message
    assert said(message, 5, LAUNCH).message == message


@pytest.mark.parametrize(
    ("name", "meant"),
    [("threadldx", "threadIdx"), ("__syncthread", "__syncthreads"), ("d_out2", "")],
)
def test_a_misspelt_name_of_cuda_is_recognised(name: str, meant: str) -> None:
    message = f'identifier "{name}" is undefined'
    expected = f"{message}: did you mean {meant}?" if meant else message
    assert said(message, 5, LAUNCH).message == expected
