# SPDX-License-Identifier: MIT
"""Stores to __constant__ variables in LLVM's text: which are kept for the device to find."""

import pytest

from lockstep_grader.student.program.build import with_kept_stores

HEAD = """\
@table = dso_local addrspace(4) externally_initialized constant [32 x i32] zeroinitializer, align 4
@other = dso_local addrspace(1) externally_initialized global [32 x i32] zeroinitializer, align 4

define dso_local ptx_kernel void @fill(ptr noundef %0) #0 {
"""
TABLE = "addrspacecast (ptr addrspace(4) @table to ptr)"
THIRD = f"getelementptr inbounds ([32 x i32], ptr {TABLE}, i64 0, i64 3)"
ELEMENT = f"  %9 = getelementptr inbounds [32 x i32], ptr {TABLE}, i64 0, i64 %8\n"
MOVED = '  %kept.0 = call ptr asm "mov.b64 $0, $1;", "=l,l"(ptr {})\n'
COPY = "  call void @llvm.memcpy.p0.p0.i64(ptr align 4 {}, ptr align 4 {}, i64 8, i1 false)\n"
SET = "  call void @llvm.memset.p0.i64(ptr align 4 {}, i8 0, i64 20, i1 false)\n"
HELD = (
    f"  store ptr {TABLE}, ptr %3, align 8\n  %4 = load ptr, ptr %3, align 8\n"
    "  %5 = getelementptr i32, ptr %4, i64 2\n"
)


@pytest.mark.parametrize(
    ("before", "pointer", "store"),
    [
        (ELEMENT, "%9", "  store i32 1, ptr {}, align 4, !dbg !2\n"),
        ("", THIRD, "  store i32 7, ptr {}, align 4\n"),
        (HELD, "%5", "  store i32 1, ptr {}, align 4\n"),
        ("", TABLE, COPY.format("{}", "%1")),
        ("", THIRD, SET),
    ],
)
def test_a_store_to_a_constant_gets_a_pointer_that_llvm_does_not_know(
    before: str, pointer: str, store: str
) -> None:
    text = HEAD + before + "{}" + "  ret void\n}}\n"
    changed = with_kept_stores(text.replace("}}", "}").replace("{}", store.format(pointer), 1))
    kept = MOVED.format(pointer) + store.format("%kept.0")
    assert changed == HEAD + before + kept + "  ret void\n}\n"


@pytest.mark.parametrize(
    "lines",
    [
        ELEMENT + "  %10 = load i32, ptr %9, align 4\n  store i32 %10, ptr %0, align 4\n",
        f"  store ptr {TABLE}, ptr %3, align 8\n",
        "  store i32 1, ptr addrspacecast (ptr addrspace(1) @other to ptr), align 4\n",
        COPY.format("%1", TABLE),
    ],
)
def test_other_code_stays_as_it_is(lines: str) -> None:
    assert with_kept_stores(f"{HEAD}{lines}  ret void\n}}\n") is None


def test_a_pointer_is_followed_into_the_functions_that_get_it() -> None:
    put = (
        "define void @put(i32 noundef %0, ptr noundef %1) #1 {\n"
        "  store i32 %0, ptr %1, align 4\n  store i32 2, ptr @g, align 4\n  ret void\n}\n"
    )
    call = f"  call void @put(i32 noundef 3, ptr noundef {TABLE}) #5, !dbg !23\n  ret void\n}}\n"
    changed = with_kept_stores(f"{put}\n{HEAD}{call}")
    assert changed is not None
    assert changed.count("kept") == 2
    assert MOVED.format("%1") + "  store i32 %0, ptr %kept.0, align" in changed


def test_a_file_without_constants_has_none() -> None:
    assert with_kept_stores("define void @f(ptr %0) {\n  store i32 1, ptr %0, align 4\n}\n") is None
