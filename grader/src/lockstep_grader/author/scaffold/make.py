# SPDX-License-Identifier: MIT
"""Writes the files of a new lab, and its line in the editors' flags."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from string import Template

from lockstep_grader.author.scaffold.names import LabNames
from lockstep_grader.machine.files import write_whole
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.quiz.file import FILE as QUIZ

_TEMPLATES = Path(__file__).parent / "templates"
EDITOR_FLAGS = "common/cuda/editor/compile_flags.txt"
_JUDGE = (
    "main.cpp",
    "fixture.h",
    "reference.h",
    "reference.cpp",
    "workload.h",
    "workload.cpp",
)
_CXX_SUFFIXES = frozenset({".cu", ".cuh", ".cpp", ".h"})
_FLAG = "-iquote../../../labs/"


def scaffold(workspace: Workspace, names: LabNames) -> list[Path]:
    """Writes the lab, and returns its files and the shared ones that now name it."""
    files = {workspace.root / path: text for path, text in _files(names)}
    for file, text in files.items():
        write_whole(file, text.encode())
    _lay_out(workspace.root, [file for file in files if file.suffix in _CXX_SUFFIXES])
    written = list(files)
    flags = workspace.root / EDITOR_FLAGS
    if flags.is_file():
        write_whole(flags, with_editor_flag(flags.read_text("utf-8"), names.id).encode())
        written.append(flags)
    return written


def with_editor_flag(text: str, lab: str) -> str:
    """The editors' compile_flags.txt with the lab's folder, where its solutions' contract is."""
    return "".join(sorted([*text.splitlines(keepends=True), f"{_FLAG}{lab}\n"], key=_place))


def _place(flag: str) -> str:
    return flag if flag.startswith(_FLAG) else ""


def _files(names: LabNames) -> Iterator[tuple[str, str]]:
    lab, solutions = f"labs/{names.id}", f"solutions/{names.id}"
    first, *_ = names.rungs
    rows = "\n".join(f"| `{rung}` | TODO(author) | one launch |" for rung in names.rungs)
    common = {
        "id": names.id,
        "number": names.number,
        "slug": names.slug,
        "suite": names.suite,
        "title": names.title,
        "rows": rows,
        "rung": first,
    }

    def filled(template: str, **more: str) -> str:
        text = (_TEMPLATES / f"{template}.in").read_text("utf-8")
        return Template(text).substitute(common | more)

    yield f"{lab}/README.md", filled("README.md")
    yield f"{lab}/{names.slug}.cuh", filled("contract.cuh")
    for name in _JUDGE:
        yield f"{lab}/judge/{name}", filled(name)
    yield f"{lab}/judge/{names.slug}_test.cpp", filled("test.cpp")
    model = filled("lab.toml")
    for rung in names.rungs:
        name = rung.partition("_")[2]
        words = name.replace("_", " ")
        model += filled("rung.toml", rung=rung, rung_title=words[0].upper() + words[1:])
        yield f"{lab}/{rung}.cu", filled("starter.cu", rung=rung, name=name)
        yield f"{solutions}/{rung}.cu", filled("solution.cu", rung=rung, name=name)
    yield f"{lab}/lab.toml", model
    yield f"{lab}/{QUIZ}", filled("quiz.toml")
    yield f"{solutions}/{QUIZ}", filled("quiz_key.toml")
    yield f"{solutions}/README.md", filled("solutions.md")
    yield f"{solutions}/mutants/zeros.cu", filled("mutant.cu")


def _lay_out(root: Path, files: list[Path]) -> None:
    """Names differ in length, so lines break elsewhere. Without the tool, `test` reports it."""
    program = shutil.which("clang-format")
    if program:
        style = f"--style=file:{root / '.clang-format'}"
        subprocess.run([program, "-i", style, *map(str, files)], check=False)
