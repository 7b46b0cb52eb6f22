# SPDX-License-Identifier: MIT
"""Which files the students' copy is made of, and what is cut out of them."""

import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path, PurePosixPath

from lockstep_grader.author.packages.pipelines import pipelines
from lockstep_grader.author.release.rewrite import (
    fit_examples,
    fit_links,
    only_lab_folders,
    without_cuts,
)
from lockstep_grader.intake.submission import Source
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import Lab
from lockstep_grader.quiz.file import read_quiz
from lockstep_grader.quiz.key import read_key
from lockstep_grader.quiz.sealed import FILE as SEALED
from lockstep_grader.quiz.sealed import sealed_json

# What a copy needs to work by itself; all other files are left out.
_TOP = (
    ".clang-format",
    ".clang-tidy",
    ".clangd",
    ".devcontainer/Dockerfile",
    ".devcontainer/devcontainer.json",
    ".dockerignore",
    ".editorconfig",
    ".gitignore",
    ".vscode/extensions.json",
    ".vscode/extensions/lockstep/adapter",
    ".vscode/extensions/lockstep/package.json",
    ".vscode/launch.json",
    ".vscode/settings.json",
    ".vscode/tasks.json",
    "CMakeLists.txt",
    "CMakePresets.json",
    "LICENSE",
    "README.md",
    "lab",
    "grader/bootstrap.py",
    "grader/pyproject.toml",
    "docs/README.md",
    "docs/students.md",
    "docs/memory-model.md",
    "docs/model.md",
    "docs/checkers.md",
    "docs/counters.md",
    "docs/editors.md",
    "docs/debugging.md",
    "docs/emulator.md",
    "docs/glossary.md",
    "docs/profiling.md",
    "docs/notebooks/lockstep.ipynb",
    "docs/figures/banks.svg",
    "docs/figures/roofline.svg",
)
_TREES = ("common", "docs/litmus", "grader/src")
_NOTEBOOK, _DOCKERFILE = "docs/notebooks/lockstep.ipynb", ".devcontainer/Dockerfile"
_INSTRUCTIONS = frozenset({"README.md", "docs/students.md", "docs/editors.md", "docs/profiling.md"})
_REQUIREMENTS = re.compile(r"grader/requirements[\w-]*\.txt")
# Whole programs, benchmarks and solutions: they solve tasks of the labs.
_LEFT_OUT = (
    "common/device/bench",
    "common/device/tests/corpus",
    "common/device/tests/programs",
    "common/judge/bench",
    "grader/src/lockstep_grader/author/scaffold/templates",
)
_HEADERS = "common/cuda/lab"


def release_files(
    workspace: Workspace, labs: Sequence[Lab], chosen: Sequence[Lab]
) -> dict[str, bytes]:
    """The files of the copy that brings the labs `chosen`, by path.

    Raises InputError when a starter is not one, or a file that the copy needs is missing.
    """
    paths = list(_paths(workspace.root, labs, chosen))
    files = {path: _read(workspace.root / path) for path in paths}
    for lab in chosen:
        require_starters(files, lab)
    kept = frozenset(files)
    left = {lab.id for lab in labs} - {lab.id for lab in chosen}
    made = {path: file.data for path, file in pipelines([lab.id for lab in chosen]).items()}
    made |= sealed_keys(workspace, chosen)
    return made | {path: _rewritten(path, data, kept, left, chosen) for path, data in files.items()}


def sealed_keys(workspace: Workspace, chosen: Iterable[Lab]) -> dict[str, bytes]:
    """The keys of the labs' quizzes, in a form that holds no readable answer."""
    found = {}
    for lab in chosen:
        if quiz := read_quiz(workspace, lab):
            key = read_key(workspace, quiz).all_cases()
            found[f"labs/{lab.id}/{SEALED}"] = sealed_json(quiz, key)
    return found


def headers_kept_back(labs: Iterable[Lab], chosen: Iterable[Lab]) -> frozenset[str]:
    """The headers of common/cuda that come only with labs that are not `chosen`."""
    brought = {header for lab in chosen for header in lab.headers}
    return frozenset(header for lab in labs for header in lab.headers) - brought


def _paths(root: Path, labs: Sequence[Lab], chosen: Sequence[Lab]) -> Iterator[str]:
    kept_back = {f"common/cuda/{name}" for name in headers_kept_back(labs, chosen)}
    trees = (*_TREES, *(f"labs/{lab.id}" for lab in chosen))
    known = _known_files(root)
    for lab in chosen:
        if f"labs/{lab.id}/lab.toml" not in known:
            raise InputError(f"labs/{lab.id} is not under version control: commit it first")
    for path in known:
        in_tree = path.startswith(tuple(f"{tree}/" for tree in trees))
        left_out = path.startswith(_LEFT_OUT) or path in kept_back or _draws(path)
        if path in _TOP or _REQUIREMENTS.fullmatch(path) or (in_tree and not left_out):
            yield path
    if missing := [path for path in _TOP if path not in known]:
        raise InputError(f"{missing[0]} is missing: is this the whole repository?")


def _draws(path: str) -> bool:
    """Whether it is a script of ours that made a figure or data of a handout."""
    return path.startswith("labs/") and path.endswith(".py")


def _known_files(root: Path) -> list[str]:
    """The files under version control, so that no stray note leaks; without git, all files."""
    if not (root / ".git").exists():
        found = (path for path in root.rglob("*") if path.is_file())
        names = sorted(path.relative_to(root).as_posix() for path in found)
        return [name for name in names if "__pycache__" not in PurePosixPath(name).parts]
    listed = _git(root, "ls-files", "-z").decode().split("\0")
    return sorted(name for name in listed if (root / name).is_file())


def _read(file: Path) -> bytes:
    if file.is_symlink():
        raise InputError(f"{file} is a link; a copy has files alone")
    return file.read_bytes()


def require_committed(root: Path, labs: Sequence[Lab]) -> None:
    """Checks that each rung file is as committed, without a student's work. Raises InputError."""
    if not (root / ".git").exists():
        return
    for lab in labs:
        for rung in lab.rungs:
            path = f"labs/{lab.id}/{rung.file_name}"
            if _git(root, "show", f"HEAD:{path}") != (root / path).read_bytes():
                raise InputError(f"{path} differs from the last commit: commit it, or put it back")


def require_starters(files: Mapping[str, bytes], lab: Lab) -> None:
    """Checks that each rung file still calls todo(). Raises InputError."""
    for rung in lab.rungs:
        path = f"labs/{lab.id}/{rung.file_name}"
        if path not in files:
            raise InputError(f"{path} is missing")
        if not Source(rung.file_name, files[path]).calls_todo:
            raise InputError(f"{path} calls todo() nowhere: is it solved? put the starter back")


def _git(root: Path, *arguments: str) -> bytes:
    try:
        argv = ["git", "-C", str(root), *arguments]
        return subprocess.run(argv, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise FaultError(f"git {arguments[0]} failed in {root}: {error}") from error


def _rewritten(
    path: str, data: bytes, kept: frozenset[str], left: Set[str], chosen: Sequence[Lab]
) -> bytes:
    name = PurePosixPath(path).name
    if name == "compile_flags.txt":
        return only_lab_folders(data.decode(), {lab.id for lab in chosen}).encode()
    if name == "CMakeLists.txt":
        return without_cuts(path, data.decode()).encode()
    if path in (_NOTEBOOK, _DOCKERFILE):
        return fit_examples(data.decode(), left, chosen).encode()
    if not name.endswith(".md"):
        return data
    text = without_cuts(path, data.decode())
    if path in _INSTRUCTIONS:
        text = fit_examples(text, left, chosen)
    return fit_links(path, text, kept).encode()
