# SPDX-License-Identifier: MIT
"""Folders on disk and folders inside archives, seen in one way."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from lockstep_grader.intake.archives import Member
from lockstep_grader.intake.submission import SubmittedFile
from lockstep_grader.model.grades import FindingKind
from lockstep_grader.model.text import visible

_MAX_ENTRIES = 2_000_000  # of one folder of a submission; what is beyond is not looked at

_MAX_DEPTH = 16  # of folders in an archive; far more than labs lie in


@dataclass(frozen=True, slots=True)
class DiskFolder:
    """Names that begin with a dot, and what macOS adds to archives, are left out."""

    path: Path
    boundary: Path  # links must not leave this folder

    @property
    def name(self) -> str:
        return visible_name(Path(os.path.abspath(self.path)))

    def apart(self) -> "DiskFolder":
        """The same folder, but no link in it may leave it."""
        return DiskFolder(self.path, self.path)

    def folders(self) -> Mapping[str, "DiskFolder"]:
        """Raises OSError when the folder cannot be read."""
        return {
            name: DiskFolder(self.path / name, self.boundary)
            for name in self._names(of_folders=True)
        }

    def files(self) -> Mapping[str, SubmittedFile]:
        return {name: self._file(name) for name in self._names(of_folders=False)}

    def file(self, name: str) -> SubmittedFile | None:
        """What is there under `name`, a folder or a broken link too; None: nothing is."""
        return self._file(name) if os.path.lexists(self.path / name) else None

    def _file(self, name: str) -> SubmittedFile:
        return SubmittedFile(self.path / name, self.boundary)

    def _names(self, of_folders: bool) -> list[str]:
        with os.scandir(self.path) as entries:
            listed = (entry for entry, _ in zip(entries, range(_MAX_ENTRIES), strict=False))
            chosen = [entry.name for entry in listed if _is_folder(entry) == of_folders]
        return sorted(name for name in chosen if not is_ignored(name))


@dataclass(frozen=True, slots=True)
class ArchiveFolder:
    """The same names are left out."""

    name: str
    _folders: dict[str, "ArchiveFolder"] = field(default_factory=dict)
    _files: dict[str, SubmittedFile] = field(default_factory=dict)

    def apart(self) -> "ArchiveFolder":
        return self

    def folders(self) -> Mapping[str, "ArchiveFolder"]:
        return self._folders

    def files(self) -> Mapping[str, SubmittedFile]:
        return self._files

    def file(self, name: str) -> SubmittedFile | None:
        return self._files.get(name)

    def add(self, member: Member) -> None:
        parts = member.path.parts
        if len(parts) > _MAX_DEPTH or any(map(is_ignored, parts)):
            return
        folder = self
        for part in parts if member.is_folder else parts[:-1]:
            folder = folder._folders.setdefault(part, ArchiveFolder(part))
        if not member.is_folder and parts:
            folder._files[parts[-1]] = _submitted(member)


Tree = DiskFolder | ArchiveFolder


def archive_tree(name: str, members: Iterable[Member]) -> ArchiveFolder:
    """The folders in an archive called `name`. Paths that lead out of it are dropped."""
    root = ArchiveFolder(name)
    for member in members:
        if not member.is_outside:
            root.add(member)
    return root


def outside_file(path: PurePosixPath) -> SubmittedFile:
    """Stands for a rung's file that an archive wants to have put elsewhere."""
    return SubmittedFile(
        None, problem=f"is at {path}, outside of the archive", kind=FindingKind.FORBIDDEN
    )


def is_ignored(name: str) -> bool:
    return name.startswith(".") or name == "__MACOSX"


def visible_name(path: Path) -> str:
    name = path.name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return visible(name)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a loop of links
        return False


def _submitted(member: Member) -> SubmittedFile:
    is_link = member.problem == "is a link"
    kind = FindingKind.FORBIDDEN if is_link else FindingKind.COMPILE_ERROR
    stored = Path(member.stored) if member.stored else None
    return SubmittedFile(stored, problem=member.problem, kind=kind)
