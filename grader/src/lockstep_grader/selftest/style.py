# SPDX-License-Identifier: MIT
"""Layout and lint of our own sources: clang-format, clang-tidy, ruff and mypy."""

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lockstep_grader.build import build_backend
from lockstep_grader.catalog import read_labs
from lockstep_grader.errors import FaultError
from lockstep_grader.files import write_whole
from lockstep_grader.model import Backend
from lockstep_grader.selftest.sections import Context, Tally
from lockstep_grader.selftest.tools import capture, report, run_tool
from lockstep_grader.toolchain import digest
from lockstep_grader.workspace import Workspace

_CXX_FOLDERS = ("common", "labs", "solutions")
_CXX_SUFFIXES = frozenset({".h", ".hpp", ".cpp", ".cu", ".cuh"})
_FORMAT_ERROR = re.compile(r"^(.+?):\d+:\d+: error: ", re.MULTILINE)
# Flags that only g++ knows stand in compile_commands.json; clang need not mind them.
_TIDY_ARGUMENTS = (
    "--quiet",
    "--warnings-as-errors=*",
    "--extra-arg=-Wno-unknown-warning-option",
    "--extra-arg=-Wno-unknown-attributes",
    "--extra-arg=-Wno-ignored-optimization-argument",
    "--extra-arg=-Wno-unused-command-line-argument",
    "--extra-arg=-O0",  # or the C library inlines functions that the emulator replaces
)


def check_format(context: Context) -> Tally:
    workspace = context.workspace
    students = set() if workspace.solutions.is_dir() else _rung_files(workspace)
    files = [str(file) for file in _cxx_files(workspace.root) if file not in students]
    if not files:
        raise FaultError("no C++ files found to check")
    root = workspace.root
    done = capture(["clang-format", "--dry-run", "-Werror", *files], root)
    wrong = dict.fromkeys(Path(name) for name in _FORMAT_ERROR.findall(done.stdout))
    for file in wrong:
        report(context, f"{workspace.shown(file)}: run clang-format -i on it", False)
    if done.returncode != 0 and not wrong:
        report(context, "clang-format", False, done.stdout)
        return Tally(failed=1)
    report(context, f"clang-format on {len(files)} files", not wrong)
    return Tally(len(files) - len(wrong), len(wrong))


def check_python(context: Context) -> Tally:
    grader = context.workspace.root / "grader"
    python = [sys.executable, "-m"]
    return (
        run_tool(context, "ruff check", [*python, "ruff", "check", "."], grader)
        + run_tool(context, "ruff format", [*python, "ruff", "format", "--check", "."], grader)
        + run_tool(context, "mypy --strict", [*python, "mypy"], grader)
    )


def check_tidy(context: Context) -> Tally:
    """clang-tidy on each of our sources; one that passed is not checked again until it changes."""
    workspace = context.workspace
    build = build_backend(workspace, Backend.CPU, "all", context.jobs).parent
    commands = json.loads((build / "compile_commands.json").read_bytes())
    files = sorted({Path(entry["directory"], entry["file"]).resolve() for entry in commands})
    ours = [
        file
        for file in files
        if file.is_relative_to(workspace.root) and not file.is_relative_to(workspace.build_root)
    ]
    headers = [file for file in _cxx_files(workspace.root) if file.suffix in (".h", ".cuh", ".hpp")]
    settings = sorted((workspace.root / "common").rglob(".clang-tidy"))
    settings.append(workspace.root / ".clang-tidy")
    common = digest([*settings, build / "compile_commands.json", *headers])

    gcc_headers = capture(["g++", "-print-file-name=include"], build).stdout.strip()  # backtrace.h
    arguments = [*_TIDY_ARGUMENTS, f"--extra-arg=-idirafter{gcc_headers}"]

    def check(file: Path) -> Tally:
        key = hashlib.sha256(f"{common} {file} {digest([file])}".encode()).hexdigest()
        stamp = build / "tidy" / key
        if stamp.exists():
            return Tally(passed=1)
        done = capture(["clang-tidy", "-p", str(build), *arguments, str(file)], build)
        good = done.returncode == 0
        if good:
            write_whole(stamp, b"")
        report(context, f"clang-tidy {workspace.shown(file)}", good, done.stdout)
        return Tally(passed=1) if good else Tally(failed=1)

    with ThreadPoolExecutor(context.jobs) as pool:
        return sum(pool.map(check, ours), Tally())


def _rung_files(workspace: Workspace) -> set[Path]:
    return {
        workspace.labs / lab.id / rung.file_name
        for lab in read_labs(workspace)
        for rung in lab.rungs
    }


def _cxx_files(root: Path) -> Iterator[Path]:
    for folder in _CXX_FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in _CXX_SUFFIXES and file.is_file():
                yield file
