# SPDX-License-Identifier: MIT
"""Editors with clangd: no diagnostic on what students open; completion and hover know CUDA."""

import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from lockstep_grader.author.release.make import release

from clangd import ERROR, WARNING, Clangd
from repository import LABS, REPOSITORY, WORKSPACE

EDITOR = REPOSITORY / "common" / "cuda" / "editor"
FIRST = REPOSITORY / "labs" / LABS[0].id / LABS[0].rungs[0].file_name
SYSTEM_INCLUDE = re.compile(r"^#include <.*>$", re.MULTILINE)


@pytest.fixture(scope="module")
def editor() -> Iterator[Clangd]:
    with Clangd(REPOSITORY) as running:
        yield running


def test_no_starter_solution_or_contract_has_a_diagnostic(editor: Clangd) -> None:
    """A sample: clangd takes a second for a file, and `lint` shows clang's warnings of each."""
    files = [*rung_files(WORKSPACE.labs)[::60], *contracts()[::4]]
    if WORKSPACE.solutions.is_dir():
        files += rung_files(WORKSPACE.solutions)[14::60]
    assert faults(editor, FIRST, files) == []
    assert len(files) > len(LABS) / 4


def test_a_header_that_is_not_there_has_a_diagnostic(editor: Clangd) -> None:
    """Also below declarations, where the test above has them."""
    for name in ("<no_such_header>", '"no_such_header.cuh"'):
        (found,) = editor.diagnostics_of(FIRST, f"struct Declared;\n#include {name}\n")
        assert (found["severity"], found["range"]["start"]["line"]) == (ERROR, 1)


def test_a_mistake_has_a_diagnostic_at_its_line(editor: Clangd) -> None:
    text = '#include "threads.cuh"\n\nvoid wrong() { lab::no_such_function(); }\n'
    found = editor.diagnostics_of(FIRST, text)
    assert (found[0]["severity"], found[0]["range"]["start"]["line"]) == (ERROR, 2)
    host_call = "void host_only();\n__global__ void wrong() {\n  host_only();\n}\n"
    first, *_ = editor.diagnostics_of(FIRST, host_call)
    assert (first["severity"], "host_only" in first["message"]) == (ERROR, True)


def test_what_kernels_may_use_has_no_diagnostic(editor: Clangd) -> None:
    """More of CUDA than today's rungs use; `new` on both sides at once has gone wrong before."""
    assert (
        editor.diagnostics_of(FIRST, (Path(__file__).parent / "data/editor.cu").read_text()) == []
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("__global__ void kernel() { __syncth| }", {"__syncthreads_count", "__syncthreads_or"}),
        ("__global__ void kernel() { int i = threadIdx.|; }", {"x", "y", "z"}),
        ("void host() { cudaMem| }", {"cudaMemcpy", "cudaMemset", "cudaMemcpyAsync"}),
        ("void host() { cudaMemcpy(0, 0, 0, cudaMemcpyDev|); }", {"cudaMemcpyDeviceToHost"}),
        ("__global__ void kernel() { __shfl_d| }", {"__shfl_down_sync"}),
    ],
)
def test_names_of_cuda_are_completed(editor: Clangd, text: str, names: set[str]) -> None:
    offered: set[str] = set()
    for _ in range(20):  # clangd may still be reading the headers
        offered = set(editor.completions(FIRST, text))
        if names <= offered:
            return
        time.sleep(0.5)
    raise AssertionError(sorted(offered)[:20])


def test_a_call_of_a_contract_shows_the_contract(editor: Clangd) -> None:
    text = '#include "scan.cuh"\nauto* call = &lab::|up_sweep;\n'
    rung = WORKSPACE.labs / "02-scan" / "03_blelloch.cu"
    assert shown(editor, rung, text, "The first half of Blelloch's scan")
    assert shown(editor, rung, text, "num_items <= kMaxItemsInOneBlock")
    waiting = "void host() { cudaDevice|Synchronize(); }"
    assert shown(editor, FIRST, waiting, "Returns a kernel's fault")


def shown(editor: Clangd, file: Path, text: str, words: str) -> bool:
    for _ in range(20):  # clangd may still be reading the comments of the headers
        if words in editor.hover(file, text):
            return True
        time.sleep(0.5)
    return False


def test_a_toolkit_on_the_machine_makes_no_difference(tmp_path: Path) -> None:
    """As clang finds it: by ptxas on PATH. Its headers would each be an error."""
    toolkit = tmp_path / "cuda"
    for folder in ("bin", "include", "lib64", "nvvm/libdevice"):
        (toolkit / folder).mkdir(parents=True)
    for name in ("ptxas", "nvcc"):
        (toolkit / "bin" / name).write_text("#!/bin/sh\n")
        (toolkit / "bin" / name).chmod(0o755)
    (toolkit / "nvvm/libdevice/libdevice.10.bc").touch()
    (toolkit / "version.json").write_text('{"cuda": {"version": "13.0.0"}}')
    (toolkit / "include/cuda.h").write_text("#define CUDA_VERSION 13000\n")
    for name in ("cuda_runtime.h", "cuda_runtime_api.h", "host_defines.h", "device_functions.h"):
        (toolkit / "include" / name).write_text("#error this is the toolkit's\n")
    path = {"PATH": f"{toolkit / 'bin'}:/usr/bin:/bin", "CUDA_PATH": str(toolkit)}
    with Clangd(REPOSITORY, path) as editor:
        assert list(problems(editor, [FIRST])) == []


@pytest.mark.thorough
@pytest.mark.skipif(not WORKSPACE.solutions.is_dir(), reason="this is a students' copy")
def test_a_students_copy_opens_without_a_diagnostic(tmp_path: Path) -> None:
    """A few rungs: a copy has the same flags, which the test below compares with the labs."""
    copy = tmp_path / "students"
    release(WORKSPACE, LABS, LABS, copy, zipped=False)
    (copy / ".venv").symlink_to(REPOSITORY / ".venv")  # which its first command makes
    first, *others = [copy / "labs" / lab.id / lab.rungs[-1].file_name for lab in LABS[::8]]
    with Clangd(copy) as editor:
        assert list(problems(editor, [first])) == []
        assert faults(editor, first, others) == []


def test_every_lab_is_on_the_editors_include_path() -> None:
    """Solutions include the contracts of another folder; ./lab new adds the line of a new lab."""
    flags = (EDITOR / "compile_flags.txt").read_text().splitlines()
    listed = [flag for flag in flags if flag.startswith("-iquote../../../labs/")]
    assert listed == [f"-iquote../../../labs/{lab.id}" for lab in LABS]


def rung_files(folder: Path) -> list[Path]:
    return [folder / lab.id / rung.file_name for lab in LABS for rung in lab.rungs]


def contracts() -> list[Path]:
    shared = sorted((REPOSITORY / "common" / "cuda" / "lab").glob("*.cuh"))
    return [*sorted(WORKSPACE.labs.glob("*/*.cuh")), *shared]


def faults(editor: Clangd, opened: Path, files: Iterable[Path]) -> list[str]:
    """What is wrong with `files`, each shown as the content of `opened`.

    They are below all that they include of the system, so clangd reads those headers once and not
    for each file.
    """
    texts = {file: file.read_text() for file in files}
    shared = sorted({line for text in texts.values() for line in SYSTEM_INCLUDE.findall(text)})
    above = [*shared, "struct EndOfWhatIsReadOnce;"]
    return [
        f"{file}:{found['range']['start']['line'] + 1 - len(above)}: {found['message']}"
        for file, text in texts.items()
        for found in editor.diagnostics_of(opened, "\n".join([*above, text]))
        if found["severity"] in (ERROR, WARNING)
    ]


def problems(editor: Clangd, files: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    for file, found in editor.diagnostics(files):
        if found["severity"] in (ERROR, WARNING):
            line = found["range"]["start"]["line"] + 1
            yield file, f"{file}:{line}: {found['message']}"
