# SPDX-License-Identifier: MIT
"""A submission, and how the rung files are taken from it: those and nothing else.

Folders on disk and folders inside archives are seen in one way.
"""

import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from lockstep_grader.intake.archives import Member
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import NOBODY_KNOWN, Finding, FindingKind, Lab, Rung, Student
from lockstep_grader.model.quiz import ANSWER_FILES
from lockstep_grader.model.text import visible

_MAX_ENTRIES = 2_000_000  # of one folder of a submission; what is beyond is not looked at

_MAX_DEPTH = 16  # of folders in an archive; far more than labs lie in


MAX_SOURCE_BYTES = 256 << 10
_CHECKPOINT = re.compile(rb"^// checkpoint: ([a-z0-9/_-]{1,100})", re.MULTILINE)
_CALL_OF_TODO = re.compile(rb"^[^/\n]*\btodo\(", re.MULTILINE)  # and not in a comment of one line


# Next to the rungs:
REQUESTS = "regrade.txt"  # lines RUNG: REASON, by which a student asks again
EFFORT = "effort.toml"  # minutes and hints, if the student sends them
BESIDES = (*ANSWER_FILES, REQUESTS, EFFORT)


@dataclass(frozen=True, slots=True)
class Source:
    """A rung's file as it was read, once: what is hashed is what is compiled."""

    file_name: str
    data: bytes

    @property
    def calls_todo(self) -> bool:
        """Whether some of it is not written yet. TODO in a comment is the student's own affair."""
        return _CALL_OF_TODO.search(self.data) is not None

    @property
    def checkpoint(self) -> str:
        """The rung whose solution, given out by the course, it was built on; empty: none."""
        found = _CHECKPOINT.search(self.data)
        return found[1].decode() if found else ""


@dataclass(frozen=True, slots=True)
class SubmittedFile:
    """Where a submitted file lies before it is read, or why it cannot be taken."""

    path: Path | None
    boundary: Path | None = None  # a link must not leave this folder
    problem: str = ""
    kind: FindingKind = FindingKind.COMPILE_ERROR
    is_missing: bool = False  # `problem` may say more


@dataclass(frozen=True, slots=True)
class Submission:
    id: str
    labs: tuple[Lab, ...]  # those to be graded, whether they were handed in or not
    files: Mapping[tuple[str, str], SubmittedFile] = field(default_factory=dict)  # by lab, rung
    student: Student = NOBODY_KNOWN
    problem: str = ""  # why nothing could be taken from it
    fault: str = ""  # why we, not the student, failed to take something from it
    notes: tuple[str, ...] = ()  # such as which of several uploads counts
    handed_in: str = ""  # when, as ISO 8601 in UTC; empty where no platform says it
    is_late: bool = False  # as the platform says
    is_missing: bool = False  # of a student of the roster: nothing was handed in
    dispute: str = ""  # why it is not clear whose this is; then it is left out of exports

    @property
    def name(self) -> str:
        return self.student.name

    @property
    def names(self) -> frozenset[str]:
        """What no two students share."""
        who = self.student
        return frozenset({self.id, who.email, who.lms_id, who.login, who.participant}) - {""}

    def read(self, lab: Lab, rung: Rung) -> Source | Finding:
        """The rung's file, or what is wrong with it. Raises FaultError when that is our doing."""
        if self.fault:
            raise FaultError(self.fault)
        file = self.files.get((lab.id, rung.id))
        return read_submitted(file or SubmittedFile(None, is_missing=True), rung.file_name)


def read_submitted(file: SubmittedFile, name: str) -> Source | Finding:
    """The file, which should be called `name`, or what is wrong with it."""
    if file.is_missing:
        return Finding.of_missing_file(name, visible(file.problem), file.kind)
    if file.path is None or file.problem:
        return Finding(file.kind, f"{name} {visible(file.problem)}", name)
    return _read(file.path, file.boundary or file.path.parent, name)


def read_source(folder: Path, lab: Lab, rung: Rung) -> Source | Finding:
    """The rung's file in `folder`, a folder of lab folders, or what is wrong with it."""
    found = _read(folder / lab.id / rung.file_name, folder, rung.file_name)
    if isinstance(found, Finding) and found.is_of_missing_file:
        return Finding.of_missing_file(
            rung.file_name, misnamed(lab, rung, _names_in(folder / lab.id))
        )
    return found


def misnamed(lab: Lab, rung: Rung, names: Iterable[str]) -> str:
    """Says which of `names` may be the rung's file under a wrong name; empty when none may."""
    known = {each.file_name for each in lab.rungs}
    begin = rung.id.casefold()
    like = sorted(name for name in names if name not in known and name.casefold().startswith(begin))
    return f"{visible(like[0])} is there, and is not read under this name" if like else ""


def _names_in(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in folder.iterdir() if not entry.is_dir()]
    except OSError:
        return []


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
        return Finding.of_missing_file(name)
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links
        return wrong(f"cannot be read: {getattr(error, 'strerror', None) or error}")
    if isinstance(data, Finding):
        return data
    if not data.strip():
        return wrong("is empty")
    if b"\0" in data:  # as half of the bytes of UTF-16 are
        return wrong("is not UTF-8: it has a byte of zero. Save it as UTF-8 in your editor")
    return Source(name, _in_utf8(data))


def _in_utf8(data: bytes) -> bytes:
    """The text as most editors write it. Older ones on Windows write a byte per letter."""
    for encoding in ("utf-8", "cp1252"):
        with contextlib.suppress(UnicodeDecodeError):
            return data.decode(encoding).encode("utf-8")
    return data.decode("latin-1").encode("utf-8")


def _bytes_of(path: Path, wrong: Callable[[str], Finding]) -> bytes | Finding:
    # Not blocking: a named pipe in a submission must not hold up the class.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            return wrong("is not a regular file")
        data = stream.read(MAX_SOURCE_BYTES + 1)
    if len(data) > MAX_SOURCE_BYTES:
        return wrong(f"is larger than {MAX_SOURCE_BYTES >> 10} KiB ({status.st_size} bytes)")
    return data


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
