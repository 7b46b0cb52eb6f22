# SPDX-License-Identifier: MIT
"""clang's messages about a rung: at the student's line, in words that say what to do."""

import subprocess
from pathlib import Path

import pytest

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.compat import tomllib
from lockstep_grader.model.grades import FindingKind
from lockstep_grader.toolchain.clang import find_clang
from lockstep_grader.words.clang_log import clang_findings

from conftest import DATA

FILE = "01_first.cu"
VECTOR = "/usr/include/c++/12/bits/stl_vector.h"


BLANK = f"{' ' * 20}\n" * 10


def errors(output: str, source: str = BLANK) -> list[tuple[int, int, str]]:
    found, _ = clang_findings(output, Source(FILE, source.encode()))
    assert all(item.kind is FindingKind.COMPILE_ERROR and item.file == FILE for item in found)
    return [(item.line, item.column, item.message) for item in found]


# ---- its words: as clang 22.1.8 writes them


def test_what_both_passes_say_is_told_once_and_the_devices_first() -> None:
    device = f"/w/{FILE}:9:3: error: only here\n/w/{FILE}:2:1: error: in both\n"
    host = f"/w/{FILE}:2:1: error: in both\n/w/{FILE}:1:1: error: of the host\n"
    assert errors(device + host) == [
        (9, 3, "only here"), (2, 1, "in both"), (1, 1, "of the host"),
    ]  # fmt: skip


def test_columns_are_characters_and_not_bytes() -> None:
    source = "/* gr\u00f6\u00dfe */\tint i = foo;\n"
    ((_, column, _),) = errors(f"{FILE}:1:23: error: use of undeclared identifier 'foo'\n", source)
    assert source[column - 1 :].startswith("foo")


def test_five_errors_are_enough_and_a_line_is_blamed_once() -> None:
    said = "".join(f"{FILE}:{line}:1: error: e{line}\n" for line in range(1, 10))
    assert [line for line, _, _ in errors(f"{FILE}:1:9: error: first\n{said}")] == [1, 2, 3, 4, 5]


def test_an_error_in_a_header_is_blamed_on_the_line_that_led_there() -> None:
    output = (
        f"In file included from {FILE}:1:\n"
        "/l/demo.cuh:7:3: error: member reference base type 'int' is not a structure or union\n"
        "/l/demo.cuh:9:3: note: in instantiation of function template 'g<int>' requested here\n"
        f"{FILE}:5:9: note: in instantiation of function template 'f<int>' requested here\n"
        f"{FILE}:3:9: note: candidate template ignored\n"
    )
    message = "member reference base type 'int' is not a structure or union (in demo.cuh:7)"
    assert errors(output) == [(5, 9, message)]


def test_an_error_that_no_line_led_to_is_at_the_include() -> None:
    output = f"In file included from /w/{FILE}:4:\n/l/demo.cuh:7:3: error: no\n"
    assert errors(output) == [(4, 0, "demo.cuh:7: no")]
    assert errors("/l/demo.cuh:7:3: error: no\n") == [(0, 0, "demo.cuh:7: no")]
    assert errors(f"{output}{FILE}:9:1: error: mine\n") == [(9, 1, "mine")]


def test_an_error_without_a_place_is_told() -> None:
    crash = (
        "zig: error: clang frontend command failed with exit code 139 (use -v to see invocation)"
    )
    ((*place, message),) = errors(crash)
    assert (place, "clang, the compiler, crashed" in message) == ([0, 0], True)


def test_a_library_that_only_the_caller_leads_to_is_found_by_the_caller() -> None:
    source = "__global__ void scale() {\n  int n = 3;\n  std::vector<float> v(n);\n}\n"
    output = (
        "/usr/include/c++/12/bits/stl_construct.h:196:2: error: reference to __host__ function "
        "'__destroy<float *>' in __host__ __device__ function\n"
        f"{VECTOR}:730:7: note: called by '~vector'\n"
        f"{VECTOR}:728:7: note: called by 'scale'\n"
        f"{VECTOR}:172:9: note: '__destroy<float *>' declared here\n"
    )
    told = "scale runs on the GPU and cannot use std::vector, which exists only on the host"
    assert errors(output, source) == [(3, 3, told)]


def test_a_use_of_a_librarys_object_is_blamed_on_the_line_that_names_its_class() -> None:
    source = "__global__ void scale() {\n  std::vector<float> v(3);\n  v[0] = 1;\n}\n"
    output = (
        f"{VECTOR}:1282:2: error: reference to __host__ function '__glibcxx_assert_fail' in "
        f"__host__ __device__ function\n{FILE}:3:4: note: called by 'scale'\n"
    )
    named = "scale runs on the GPU and cannot use std::vector, which exists only on the host"
    assert errors(output, source) == [(2, 3, named)]


def test_a_kernel_with_a_function_as_a_templates_argument_is_called_by_its_name() -> None:
    source = "template <float (*f)(float)>\n__global__ void map(float* v) {\n  v[0] = f(v[0]);\n}\n"
    output = f"{FILE}:3:10: error: reference to __host__ function 'mine' in __global__ function\n"
    ((_, _, message),) = errors(output, source)
    assert message == (
        "map runs on the GPU and cannot call mine, a host function: pass a __device__ function of "
        "your own that calls mine"
    )


def test_a_missing_brace_is_told_alone() -> None:
    source = "__global__ void k(int i) {\n  if (i) {\n    i = 1;\n}\nvoid run() {\n}\n"
    output = (
        f"{FILE}:5:12: error: function definition is not allowed here\n"
        f"{FILE}:6:2: error: expected '}}'\n{FILE}:1:26: note: to match this '{{'\n"
    )
    told = "a '}' is missing before line 4: the '{' of this line is not closed"
    assert errors(output, source) == [(2, 0, told)]


def test_warnings_of_the_students_file_are_kept_once_and_others_dropped() -> None:
    warning = f"{FILE}:2:7: warning: variable 'i' is uninitialized [-Wuninitialized]\n"
    other = f"/usr/x.h:2:1: warning: odd\n{FILE}:1:1: note: in instantiation requested here\n"
    _, found = clang_findings(warning * 2 + other, Source(FILE, b"void f() {\n  int i = i;"))
    ((text, line, column),) = [(item.message, item.line, item.column) for item in found]
    assert (text, line, column) == ("variable 'i' is uninitialized", 2, 7)


# ---- the real one

PRELUDE = (DATA / "prelude.h").read_text("utf-8")
MISTAKES = tomllib.loads((DATA / "mistakes.toml").read_text("utf-8"))


@pytest.mark.parametrize("mistake", [name for name in MISTAKES if "clang" in MISTAKES[name]])
def test_a_mistake_of_the_language_is_named_at_its_place(mistake: str, tmp_path: Path) -> None:
    clang = find_clang()
    if clang is None:
        pytest.skip("clang has not been fetched: ./lab doctor")
    source, told = MISTAKES[mistake]["source"], tuple(MISTAKES[mistake]["clang"])
    rung = tmp_path / FILE
    rung.write_text(source)
    (tmp_path / "prelude.h").write_text(PRELUDE)
    argv = [*clang.command, "-x", "cuda", "--cuda-gpu-arch=sm_90", "--cuda-path=/nonexistent"]
    argv += ["-nocudainc", "-nocudalib", "-nostdinc", "-Xclang", "-target-sdk-version=12.9"]
    argv += ["-std=c++20", "-fno-caret-diagnostics", "-include", str(tmp_path / "prelude.h")]
    said = ""
    for side in ("--cuda-device-only", "--cuda-host-only"):
        done = subprocess.run(
            [*argv, side, "-fsyntax-only", str(rung)], capture_output=True, text=True
        )
        said += done.stderr
    assert errors(said, source)[0] == told, said
