# SPDX-License-Identifier: MIT
"""The files of a lab yet to be written, and its line in the editors' flags."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from lockstep_grader.machine.files import write_whole
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import InputError
from lockstep_grader.quiz.file import FILE as QUIZ
from lockstep_grader.quiz.predict import FILE as PREDICTIONS

_LAB_ID = re.compile(r"(?P<number>\d\d)-(?P<slug>[a-z][a-z0-9]*(-[a-z0-9]+)*)")
_RUNG_NAME = re.compile(r"(?:\d\d_)?(?P<name>[a-z][a-z0-9]*(_[a-z0-9]+)*)")
# Words of C++, and names of CMake targets that are taken: a slug names a function and targets.
_WORDS = """
and auto bool break case catch char class concept const continue default delete do double else
enum explicit export extern false final float for friend goto if inline int lab long module
mutable namespace new not operator or private protected public register requires return short
signed sizeof static struct switch template this throw true try typedef typename union
unsigned using virtual void volatile while xor
anchors device host judge lockstep misbehaving std
"""
_TAKEN = frozenset(_WORDS.split())


@dataclass(frozen=True, slots=True)
class LabNames:
    id: str
    number: str
    slug: str  # with underscores: a function and a file
    title: str
    rungs: tuple[str, ...]  # with their numbers: 01_simple

    @property
    def suite(self) -> str:
        """The name of the tests: gtest allows no underscore."""
        return "".join(part.capitalize() for part in self.slug.split("_"))


def lab_names(workspace: Workspace, lab_id: str, title: str, rung_names: Sequence[str]) -> LabNames:
    """Names that fit and are free. Raises InputError for any that does not, or is not."""
    match = _LAB_ID.fullmatch(lab_id)
    if not match:
        raise InputError(
            f"{lab_id!r} is not a lab name: use two digits and words, as in 08-histogram"
        )
    number, slug = match["number"], match["slug"].replace("-", "_")
    if slug in _TAKEN:
        raise InputError(f"{slug!r} names something else already; choose another word")
    for folder in (workspace.labs, workspace.solutions):
        if (folder / lab_id).exists():
            raise InputError(f"{workspace.shown(folder / lab_id)} is there already")
    for lab in sorted(path.name for path in workspace.labs.glob("[0-9][0-9]-*")):
        if lab.startswith(f"{number}-"):
            raise InputError(f"number {number} is taken by {lab}")
        if lab.partition("-")[2].replace("-", "_") == slug:
            raise InputError(f"the name {slug} is taken by {lab}")
    words = match["slug"].replace("-", " ")
    shown = title or words[0].upper() + words[1:]
    if not shown.isprintable() or '"' in shown or "\\" in shown:
        raise InputError(
            f"{shown!r} is not a title: leave out quotes, backslashes and control characters"
        )
    return LabNames(lab_id, number, slug, shown, _numbered(rung_names))


def _numbered(names: Sequence[str]) -> tuple[str, ...]:
    found: list[str] = []
    for name in names:
        match = _RUNG_NAME.fullmatch(name)
        if not match:
            raise InputError(f"{name!r} is not a rung name: use words, as in warp_shuffle")
        if match["name"] in found:
            raise InputError(f"the rung {match['name']} is there twice")
        found.append(match["name"])
    if len(found) > 99:
        raise InputError("a lab has at most 99 rungs")
    return tuple(f"{index:02}_{name}" for index, name in enumerate(found, start=1))


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
    model, forecast = filled("lab.toml"), filled("predict.toml")
    for rung in names.rungs:
        name = rung.partition("_")[2]
        words = name.replace("_", " ")
        model += filled("rung.toml", rung=rung, rung_title=words[0].upper() + words[1:])
        forecast += filled("predict_rung.toml", rung=rung)
        yield f"{lab}/{rung}.cu", filled("starter.cu", rung=rung, name=name)
        yield f"{solutions}/{rung}.cu", filled("solution.cu", rung=rung, name=name)
    yield f"{lab}/lab.toml", model
    yield f"{lab}/{QUIZ}", filled("quiz.toml")
    yield f"{lab}/{PREDICTIONS}", forecast
    yield f"{solutions}/{QUIZ}", filled("quiz_key.toml")
    yield f"{solutions}/README.md", filled("solutions.md")
    yield f"{solutions}/mutants/zeros.cu", filled("mutant.cu")


def _lay_out(root: Path, files: list[Path]) -> None:
    """Names differ in length, so lines break elsewhere. Without the tool, `test` reports it."""
    program = shutil.which("clang-format")
    if program:
        style = f"--style=file:{root / '.clang-format'}"
        subprocess.run([program, "-i", style, *map(str, files)], check=False)
