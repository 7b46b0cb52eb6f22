# SPDX-License-Identifier: MIT
"""Layout of our own sources, lint of the grader, and the wording of all texts."""

import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lockstep_grader.author.selftest.sections import Context, Tally
from lockstep_grader.author.selftest.tools import capture, report, run_tool, tool
from lockstep_grader.author.selftest.wording import check_wording
from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError

_PYTHON_FOLDERS = (".", "../docs/bench/scripts")  # a students' copy has no measurements
_CXX_FOLDERS = ("common", "grader/tests/quiz_programs", "labs", "solutions")
_CXX_SUFFIXES = frozenset({".h", ".hpp", ".cpp", ".cu", ".cuh"})
_FORMAT_ERROR = re.compile(r"^(.+?):\d+:\d+: error: ", re.MULTILINE)


def check_format(context: Context) -> Tally:
    workspace = context.workspace
    students = set() if workspace.solutions.is_dir() else _rung_files(workspace)
    files = [str(file) for file in _cxx_files(workspace.root) if file not in students]
    if not files:
        raise FaultError("no C++ files found to check")
    root = workspace.root
    done = capture([tool("clang-format"), "--dry-run", "-Werror", *files], root)
    wrong = dict.fromkeys(Path(name) for name in _FORMAT_ERROR.findall(done.stdout))
    for file in wrong:
        report(context, f"{workspace.shown(file)}: run clang-format -i on it", good=False)
    if done.returncode != 0 and not wrong:
        report(context, "clang-format", good=False, output=done.stdout)
        return Tally(failed=1)
    report(context, f"clang-format on {len(files)} files", not wrong)
    return Tally(len(files) - len(wrong), len(wrong))


def check_python(context: Context) -> Tally:
    grader = context.workspace.root / "grader"
    python = [sys.executable, "-m"]
    folders = [folder for folder in _PYTHON_FOLDERS if (grader / folder).is_dir()]
    check, layout = ["check", "--config"], ["format", "--check", "--config"]
    with ThreadPoolExecutor(1) as beside:  # mypy takes most of the time, on one core
        types = beside.submit(run_tool, context, "mypy --strict", [*python, "mypy"], grader)
        others = check_wording(context)
        for name, verb in (("ruff check", check), ("ruff format", layout)):
            argv = [*python, "ruff", *verb, "pyproject.toml", *folders]
            others += run_tool(context, name, argv, grader)
        return others + types.result()


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
