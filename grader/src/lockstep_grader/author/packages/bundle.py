# SPDX-License-Identifier: MIT
"""The part of this repository that grades one lab on the cpu backend: no solution, no mutant.

The judge computes expected results itself, so it needs no solutions. Only speed ratios on a GPU
would need them.
"""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from lockstep_grader.author.release.contents import sealed_keys
from lockstep_grader.machine.files import Files, Packed
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.compat import StrEnum
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Lab

TIME_LIMIT_SECONDS = 600  # Gradescope's default, PrairieLearn's most; Autolab's as we ask for it


class Platform(StrEnum):
    GRADESCOPE = "gradescope"
    GITHUB = "github"
    AUTOLAB = "autolab"
    PRAIRIELEARN = "prairielearn"


_FILES = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "grader/bootstrap.py", "lab")
_TREES = ("common", "grader/src/lockstep_grader")
_REQUIREMENTS = (
    "grader/requirements.txt",
    "grader/requirements-clang.txt",
    "grader/requirements-nvcc.txt",
)
# Our own tests and benchmarks, which contain kernels that students must write.
_LEFT_OUT = ("tests", "bench", "selftest", "__pycache__")
# Not needed to grade one lab.
_NEW_LABS = "grader/src/lockstep_grader/author/scaffold/templates"
_HEADERS = "common/cuda/"
_INCLUDE = re.compile(rb'^\s*#\s*include\s+["<](lab/[a-z0-9_]+\.cuh)[">]', re.MULTILINE)


def bundle(workspace: Workspace, lab: Lab) -> Files:
    """The files by their path in the repository. Raises FaultError when one is missing."""
    root = workspace.root
    paths = {root / name for name in (*_FILES, *_REQUIREMENTS)}
    for tree in (*_TREES, f"labs/{lab.id}"):
        paths.update(_files_under(root / tree))
    paths.difference_update(_files_under(root / _NEW_LABS))
    if missing := [path for path in sorted(paths) if not path.is_file()]:
        raise FaultError(f"{missing[0]} is missing: is this a whole checkout?")
    files = {
        path.relative_to(root).as_posix(): Packed(path.read_bytes(), os.access(path, os.X_OK))
        for path in paths
    }
    sealed = {path: Packed(data) for path, data in sealed_keys(workspace, [lab]).items()}
    return {**_without_other_headers(files, lab), **sealed}


def _files_under(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        hidden = any(part.startswith(".") or part in _LEFT_OUT for part in parts)
        if path.is_file() and not hidden and path.suffix != ".pyc":
            yield path


def _without_other_headers(files: dict[str, Packed], lab: Lab) -> Files:
    """Less the headers of common/cuda that only other labs include: one may solve this lab."""
    given = {path: file for path, file in files.items() if path.startswith(f"{_HEADERS}lab/")}
    kept = {path: file for path, file in files.items() if path not in given}
    wanted = _included(kept.values()) | set(lab.headers)
    while wanted:
        path = f"{_HEADERS}{wanted.pop()}"
        if path in given:
            kept[path] = given.pop(path)
            wanted |= _included([kept[path]])
    return kept


def _included(files: Iterable[Packed]) -> set[str]:
    return {name.decode() for file in files for name in _INCLUDE.findall(file.data)}
