# SPDX-License-Identifier: MIT
"""Finds submissions in a folder and takes from them the rung files, and nothing else."""

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.errors import InputError
from lockstep_grader.model import Finding, FindingKind, Lab, Rung
from lockstep_grader.text import visible

MAX_SOURCE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Submission:
    id: str
    folder: Path
    labs: tuple[Lab, ...]  # those to be graded, whether their folders are there or not


@dataclass(frozen=True, slots=True)
class Source:
    """A rung's file as it was read, once: what is hashed is what is compiled."""

    file_name: str
    data: bytes


def find_submissions(path: Path, labs: Sequence[Lab], only: Lab | None) -> tuple[Submission, ...]:
    """The submissions under `path`: itself when it holds lab folders, else one a subfolder.

    The submissions of a class are all graded on the same labs: `only`, or every lab that any
    of them has. Raises InputError when there is nothing to grade.
    """
    _require_folder(path)
    wanted = (only,) if only else tuple(labs)
    present = _labs_in(path, wanted)
    if present:
        return (Submission(_shown_id(path), path, present),)
    if _shown_id(path) in {lab.id for lab in labs}:
        raise InputError(f"{path} is a lab folder; grade its parent, with --lab {path.name}")
    folders = [entry for entry in _subfolders(path) if not entry.name.startswith(".")]
    union = {lab.id for folder in folders for lab in _labs_in(folder, wanted)}
    if not union:
        raise InputError(f"{path} holds no lab folder, such as {path / wanted[0].id}")
    graded = tuple(lab for lab in wanted if lab.id in union)
    return tuple(Submission(_shown_id(folder), folder, graded) for folder in folders)


def read_source(folder: Path, lab: Lab, rung: Rung) -> Source | Finding:
    """The rung's file in the submission `folder`, or what is wrong with it."""
    return _read(folder / lab.id / rung.file_name, folder, rung.file_name)


def read_file(path: Path) -> Source | Finding:
    """The file at `path`, held to the same rules as a submitted one."""
    return _read(path, path.parent, path.name)


def _read(path: Path, boundary: Path, name: str) -> Source | Finding:
    def wrong(problem: str, kind: FindingKind = FindingKind.COMPILE_ERROR) -> Finding:
        return Finding(kind, f"{name} {problem}", name)

    try:
        if not path.resolve().is_relative_to(boundary.resolve()):
            return wrong("is a link that leaves the submission", FindingKind.FORBIDDEN)
        data = _bytes_of(path, wrong)
    except (FileNotFoundError, NotADirectoryError):
        return wrong("is missing from the submission")
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links
        return wrong(f"cannot be read: {getattr(error, 'strerror', None) or error}")
    if isinstance(data, Finding):
        return data
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{name} is not UTF-8: byte {data[error.start]:#04x} on line {line}"
        return Finding(FindingKind.COMPILE_ERROR, message, name, line)
    return Source(name, data)


def _bytes_of(path: Path, wrong: Callable[[str], Finding]) -> bytes | Finding:
    # Not blocking: a named pipe in a submission must not hold up the class.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            return wrong("is not a regular file")
        data = stream.read(MAX_SOURCE_BYTES + 1)
    if len(data) > MAX_SOURCE_BYTES:
        return wrong(f"is larger than {MAX_SOURCE_BYTES >> 20} MiB ({status.st_size} bytes)")
    return data


def _require_folder(path: Path) -> None:
    try:
        if not path.exists():
            raise InputError(f"{path}: no such folder")
        if not path.is_dir():
            raise InputError(f"{path} is not a folder; grade takes a folder of lab folders")
        if not any(path.iterdir()):
            raise InputError(f"{path} is empty; grade takes a folder of lab folders")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error


def _labs_in(folder: Path, labs: Iterable[Lab]) -> tuple[Lab, ...]:
    return tuple(lab for lab in labs if (folder / lab.id).is_dir())


def _subfolders(path: Path) -> list[Path]:
    return sorted(entry for entry in path.iterdir() if entry.is_dir())


def _shown_id(folder: Path) -> str:
    name = Path(os.path.abspath(folder)).name
    return visible(name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
