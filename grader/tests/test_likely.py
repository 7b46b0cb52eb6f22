# SPDX-License-Identifier: MIT
"""A wrong result without a place is told with its likeliest cause, at the line of that."""

import pytest

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.grades import Finding, FindingKind, Outcome, Part, TestResult
from lockstep_grader.words.clang_log import clang_findings
from lockstep_grader.words.likely import with_likely_cause, with_names

FILE = "01_first.cu"
SHARED = "\nEach thread has its own tile, which no other thread sees."
WARNS = "\nThe compiler warns about this line: "

KERNELS = """\
template <int kSize>
__global__ void __launch_bounds__(kSize)
    first_kernel(float* d_out) {  // second_kernel comes next
}
__global__ void second_kernel(float* d_out);
__global__ void second_kernel(float* d_out) {
}
"""
RUN = "void run(float* d_out) {{ {}<<<1, 32>>>(d_out); }}\n"
TILE = """\
__global__ void sum(float* d_out) {{
  {}float tile[32];
  tile[threadIdx.x] = 1;
  {};
  d_out[0] = tile[0];
}}
void run(float* d_out) {{ sum<<<1, 32>>>(d_out); }}
"""


def told(kind: str, line: int, text: str, clang: str = "") -> tuple[int, str]:
    """The line of a finding, and what is added to it and to the test's message."""
    source = Source(FILE, text.encode())
    finding = Finding(FindingKind(kind), "it is wrong", FILE if line else "", line)
    said = "with 3 items: it is wrong"
    test = TestResult("A.B", Part.CORRECTNESS, Outcome.FAILED, said, findings=(finding,))
    _, warnings = clang_findings(clang, source)
    (after,) = with_likely_cause((test,), source, warnings)
    (found,) = after.findings
    assert found.message.startswith(finding.message)
    assert found.message in after.message
    return found.line, found.message.removeprefix(finding.message)


@pytest.mark.parametrize(
    ("kind", "launched", "line", "added"),
    [
        ("output_unwritten", "first_kernel<32>", 5, "\nsecond_kernel is never launched."),
        ("output_unwritten", "second_kernel", 3, "\nfirst_kernel is never launched."),
        ("output_unwritten", "auto* p = &second_kernel; first_kernel<32>", 0, ""),
        ("wrong_result", "second_kernel", 0, ""),
    ],
)
def test_a_kernel_that_is_never_launched(kind: str, launched: str, line: int, added: str) -> None:
    assert told(kind, 0, KERNELS + RUN.format(launched)) == (line, added)


@pytest.mark.parametrize(
    ("kind", "before", "barrier", "line"),
    [
        ("wrong_result", "", "__syncthreads()", 2),
        ("wrong_result", "", "__syncwarp()", 2),
        ("wrong_result", "", "tile[0] += tile[1]", 0),  # its own indeed
        ("wrong_result", "__shared__ ", "__syncthreads()", 0),
        ("race", "", "__syncthreads()", 0),
    ],
)
def test_an_array_that_is_not_shared(kind: str, before: str, barrier: str, line: int) -> None:
    where, added = told(kind, 0, TILE.format(before, barrier))
    assert where == line
    assert added.startswith(SHARED) if line else not added


def test_an_element_is_no_array_of_the_thread() -> None:
    kernel = (
        "__global__ void k(int* d) {\n  __syncthreads();\n  if (d[1]) d[0] = 1; else d[2] = 2;\n}\n"
    )
    assert told("wrong_result", 0, kernel) == (0, "")


@pytest.mark.parametrize(
    ("kind", "line", "option", "warned"),
    [
        ("wrong_result", 0, "uninitialized", 4),
        ("output_unwritten", 0, "empty-body", 4),
        ("forbidden", 0, "unused-value", 4),  # the kernel did nothing
        ("crash", 4, "return-type", 4),
        ("crash", 5, "return-type", 5),  # about another line
        ("wrong_result", 0, "unused-variable", 0),
        ("wrong_result", 0, "conditional-uninitialized", 0),
        ("race", 4, "uninitialized", 4),
    ],
)
def test_a_compilers_warning(kind: str, line: int, option: str, warned: int) -> None:
    clang = f"{FILE}:4:1: warning: odd [-W{option}]\n{FILE}:4:9: warning: also odd [-W{option}]\n"
    where, added = told(kind, line, TILE.format("__shared__ ", "__syncthreads()"), clang)
    explains = warned == 4 and kind != "race"
    assert (where, added) == (warned, f"{WARNS}odd; also odd." if explains else "")


@pytest.mark.parametrize("kind", ["deadlock", "race", "out_of_bounds"])
def test_a_missing_return_explains_whatever_happens_elsewhere(kind: str) -> None:
    clang = f"{FILE}:4:1: warning: non-void function does not return a value [-Wreturn-type]\n"
    where, added = told(kind, 2, TILE.format("__shared__ ", "__syncthreads()"), clang)
    assert where == 2
    assert added == "\nLine 4: the compiler warns: non-void function does not return a value."


@pytest.mark.parametrize(
    ("numbers", "named"),
    [
        ("kThreadsPerBlock, num_blocks", "kThreadsPerBlock"),
        ("block, grid, 0, stream", "block"),
        ("threads, ceil_div(n, threads)", "threads"),
        ("num_blocks, kThreadsPerBlock", ""),
        ("grid, block", ""),
        ("1, threads", ""),
    ],
)
def test_a_launch_with_its_numbers_swapped(numbers: str, named: str) -> None:
    launch = f"__global__ void k();\nvoid run() {{\n  k<<<{numbers}>>>();\n}}\n"
    where, added = told("wrong_result", 0, launch)
    assert where == (3 if named else 0)
    assert named in added
    assert bool(added) == bool(named)


def test_swapped_numbers_explain_what_the_kernel_does_elsewhere() -> None:
    launch = "__global__ void k();\nvoid run() {\n  k<<<threads, blocks>>>();\n}\n"
    where, added = told("out_of_bounds", 1, launch)
    assert where == 1
    assert added.startswith("\nLine 3: A launch is <<<blocks, threads per block>>>")
    assert told("race", 1, launch) == (1, "")


@pytest.mark.parametrize(
    ("before", "offset", "warns"),
    [
        ("", "32", True),
        ("", "warpSize", True),
        ("constexpr int kLanes = 32;", "kLanes", True),
        ("constexpr int kLanes = 32; for (int d = kLanes; d > 0; d /= 2)", "d", True),
        ("for (int d = 32 / 2; d > 0; d /= 2)", "d", False),
        ("for (int d = 1; d < 32; d *= 2)", "d", False),
        ("", "16", False),
    ],
)
def test_a_shuffle_over_a_whole_warp(before: str, offset: str, warns: bool) -> None:
    kernel = (
        f"__global__ void k(int v) {{\n  {before}\n  v += __shfl_down_sync(~0u, (v), {offset});"
    )
    where, added = told("wrong_result", 0, kernel + "\n}\n")
    assert (where, "the lane's own value" in added) == ((3, True) if warns else (0, False))


@pytest.mark.parametrize(
    ("code", "said", "after"),
    [
        ("cudaMalloc(&d_x, 400);", "allocation 1 (400 bytes, {at})", "d_x (400 bytes, {at})"),
        ("check(cudaMalloc((void**)&d_x, 4));", "(allocation 12, {at})", "(d_x, {at})"),
        ("cudaMallocManaged(reinterpret_cast<T**>(&d_x), 4);", "allocation 1, {at}", "d_x, {at}"),
        ("d_x = make(4);", "allocation 1 (4 bytes, {at})", "allocation 1 (4 bytes, {at})"),
        ("cudaMalloc(&d_x, 4);", "allocation 1 (4 bytes)", "allocation 1 (4 bytes)"),
        ("cudaMalloc(&a, 4); cudaMalloc(&b, 4);", "allocation 2, {at}", "allocation 2, {at}"),
    ],
)
def test_memory_has_the_name_of_its_variable(code: str, said: str, after: str) -> None:
    at = "allocated in line 2 of scan.cu"
    assert with_names(said.format(at=at), {"scan.cu": ["", code]}) == after.format(at=at)
