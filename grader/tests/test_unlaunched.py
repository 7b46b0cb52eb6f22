# SPDX-License-Identifier: MIT
"""A kernel that nothing launches explains an output without a value."""

import pytest

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.grades import Finding, FindingKind, Outcome, Part, TestResult
from lockstep_grader.words.beginners import with_forgotten_launch

KERNELS = """\
template <int kSize>
__global__ void __launch_bounds__(kSize)
    first_kernel(float* d_out) {  // second_kernel comes next
}
__global__ void second_kernel(float* d_out);
__global__ void second_kernel(float* d_out) {
}
"""
LAUNCH = "void run(float* d_out) {{ {}<<<1, 32>>>(d_out); }}\n"
UNWRITTEN = Finding(FindingKind.OUTPUT_UNWRITTEN, "d_out[0] was never written", "x.cu")


def found(text: str, finding: Finding = UNWRITTEN) -> Finding:
    test = TestResult("A.B", Part.CORRECTNESS, Outcome.FAILED, findings=(finding,))
    (told,) = with_forgotten_launch((test,), Source("x.cu", text.encode()))
    return told.findings[0]


@pytest.mark.parametrize(
    ("launched", "forgotten", "line"),
    [("first_kernel<32>", "second_kernel", 5), ("second_kernel", "first_kernel", 3)],
)
def test_the_kernel_that_is_never_launched_is_named(
    launched: str, forgotten: str, line: int
) -> None:
    told = found(KERNELS + LAUNCH.format(launched))
    assert told.line == line
    assert told.message == f"d_out[0] was never written; {forgotten} is never launched"


def test_a_kernel_that_is_named_in_any_way_may_be_launched() -> None:
    both = LAUNCH.format("first_kernel<32>") + "auto* kernel = &second_kernel;\n"
    assert found(KERNELS + both) == UNWRITTEN


def test_other_findings_stay_as_they_are() -> None:
    other = Finding(FindingKind.WRONG_RESULT, "expected 1, got 2", "x.cu")
    assert found(KERNELS, other) == other
