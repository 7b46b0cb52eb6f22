# SPDX-License-Identifier: MIT
"""Finds the labs in what one student handed in: folders, archives, loose files.

Of several uploads the latest counts for each rung: by the platform's number where it has one, or
else by the time of the newest file in an archive, which is when the student last worked on it. An
unpacked folder counts before an archive next to it.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property

from lockstep_grader.intake.archives import (
    READ_KINDS,
    STUDENT_BOUNDS,
    ArchiveError,
    Member,
    is_foreign,
    stem,
)
from lockstep_grader.intake.confined import ArchiveReader, Names
from lockstep_grader.intake.platforms import first_name
from lockstep_grader.intake.submission import (
    BESIDES,
    SubmittedFile,
    Tree,
    archive_tree,
    misnamed,
    outside_file,
)
from lockstep_grader.model.errors import system_error_line
from lockstep_grader.model.grades import Lab
from lockstep_grader.model.text import visible

FileId = tuple[str, str]  # lab and rung


@dataclass(slots=True)
class Upload:
    """One thing that a student handed in: a folder, an archive, or a file by itself."""

    name: str
    order: int = 0  # the platform's, which grows with time
    modified: float = 0.0  # of the newest file in an archive; infinity of what is unpacked
    files: dict[FileId, SubmittedFile] = field(default_factory=dict)


def counting(
    uploads: Sequence[Upload],
) -> tuple[Mapping[FileId, SubmittedFile], tuple[str, ...]]:
    """The file that counts for each rung, and a note for each lab that came more than once."""
    files: dict[FileId, SubmittedFile] = {}
    owners: dict[FileId, list[Upload]] = {}
    for upload in sorted(uploads, key=_by_time):
        for file_id, file in upload.files.items():
            files[file_id] = file
            owners.setdefault(file_id, []).append(upload)
    notes: dict[str, None] = {}  # in order, each once
    for lab in sorted({lab for lab, _ in owners}):
        for ordered in (found for (of, _), found in owners.items() if of == lab):
            if len(ordered) > 1:
                notes[_note(lab, ordered)] = None
    return files, tuple(notes)


def _by_time(upload: Upload) -> tuple[int, float]:
    return upload.order, upload.modified


def _note(lab: str, ordered: Sequence[Upload]) -> str:
    *others, chosen = ordered
    names = [f"{item.name} (upload {item.order})" if item.order else item.name for item in ordered]
    why = "the latest"
    if _by_time(others[-1]) == _by_time(chosen):
        why = "the last by name, as their times are equal"
    return f"{lab}: {names[-1]} counts ({why}), not {', '.join(names[:-1])}"


_WRAPPERS = 5  # how many folders may lie around the lab folders
_MAX_FOLDERS = 1000  # looked through for them, of one submission
_MAX_ARCHIVES = 20  # opened, of one submission
_LOOSE = (
    "its rung files are in no lab folder, and several labs have files of their names: grade one "
    "lab alone, with --lab"
)


@dataclass(frozen=True)
class Wanted:
    """The labs that are graded. Files that only one of them has may lie flat, without a folder."""

    labs: Sequence[Lab]
    flat: Lab | None = None
    others: Sequence[Lab] = ()

    @property
    def names(self) -> Names:
        rungs = (rung.file_name for lab in self.labs for rung in lab.rungs)
        return Names((*rungs, *BESIDES))

    @cached_property
    def loose(self) -> Mapping[str, Lab]:
        """The lab of each rung file that is found without a folder."""
        names = [(rung.file_name, lab) for lab in self.labs for rung in lab.rungs]
        count = Counter(name for name, _ in names)
        return {name: lab for name, lab in names if count[name] == 1}

    def any_rung(self, names: Iterable[str]) -> bool:
        """Whether a rung of any lab has one of these names."""
        rungs = {rung.file_name for lab in self.labs for rung in lab.rungs}
        return not rungs.isdisjoint(names)


@dataclass(slots=True)
class Gathered:
    """What was found of one submission so far."""

    uploads: list[Upload] = field(default_factory=list)
    labs: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    misnamed: dict[FileId, str] = field(default_factory=dict)  # of a missing rung: what is there
    misplaced: list[str] = field(default_factory=list)  # files of one lab in the folder of another
    fault: str = ""

    @property
    def files(self) -> Mapping[FileId, SubmittedFile]:
        """Of each rung the file that counts."""
        return counting(self.uploads)[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """Which of several uploads count, and which files are in the wrong folder."""
        return (*counting(self.uploads)[1], *dict.fromkeys(self.misplaced))

    @property
    def problem(self) -> str:
        """Why no file could be taken; empty when one was."""
        if self.labs:
            return ""
        return "; ".join(self.problems) or "there is no lab folder and no rung file in it"


class Gatherer:
    """Gathers the files of one submission after the other."""

    def __init__(self, wanted: Wanted, reader: ArchiveReader) -> None:
        self._wanted, self._reader = wanted, reader

    def from_folder(self, folder: Tree, found: Gathered, order: int = 0) -> None:
        """Adds what `folder` holds: lab folders, flat files, or else archives with these.

        Of several uploads those of a higher `order` are later.
        """
        if self._from_tree(
            folder, Upload(f"the folder {visible(folder.name)}", order, math.inf), found
        ):
            return
        archives = [name for name in folder.files() if stem(name)]
        for name in archives[:_MAX_ARCHIVES]:
            self.from_archive(name, folder.files()[name], found, order)
        foreign = [name for name in folder.files() if is_foreign(name)]
        found.problems += map(unread, [] if archives else foreign[:1])
        if self._wanted.any_rung(folder.files()):
            found.problems.append(_LOOSE)
        elif not archives and not foreign:
            found.problems.append(_only(folder, self._wanted))

    def from_archive(self, name: str, file: SubmittedFile, found: Gathered, order: int = 0) -> None:
        """Adds what an archive holds; a damaged one is a problem, an unreadable one our fault."""
        shown = visible(name)
        if file.path is None or file.problem:
            found.problems.append(f"{shown} {file.problem}")
            return
        try:
            leaves = file.boundary and not file.path.resolve(strict=True).is_relative_to(
                file.boundary.resolve()
            )
        except (OSError, RuntimeError):  # which of them a loop raises depends on Python's version
            found.problems.append(f"{shown} is a link that leads nowhere")
            return
        if leaves:
            found.problems.append(f"{shown} is a link that leaves the submission")
            return
        if not file.path.is_file():
            found.problems.append(f"{shown} is not a regular file")
            return
        try:
            members = self._reader.read(file.path, self._wanted.names, STUDENT_BOUNDS)
        except ArchiveError as error:
            found.problems.append(f"{shown} {error}")
            return
        except OSError as error:
            found.fault = system_error_line(error)
            return
        modified = max((member.modified for member in members if member.stored), default=0.0)
        upload = Upload(shown, order, modified)
        taken = self._from_tree(archive_tree(name, members), upload, found)
        outside = self._add_outside(members, upload, found)
        if not (taken or outside):
            labs = {lab.id for lab in self._wanted.labs}
            loose = (item.path.name for item in members if item.path.parent.name not in labs)
            is_loose = self._wanted.any_rung(loose)
            others = {lab.id for lab in self._wanted.others}
            said = _LOOSE if is_loose else _nothing_in(shown, members, labs, others)
            found.problems.append(said)

    def from_file(self, name: str, file: SubmittedFile, found: Gathered, order: int = 0) -> None:
        """Adds an archive, or a single rung file, if the lab is known."""
        own = name if name in self._wanted.loose else first_name(name)
        lab = self._wanted.loose.get(own)
        if stem(name):
            self.from_archive(name, file, found, order)
        elif is_foreign(name):
            found.problems.append(unread(name))
        elif lab:
            rung = next(rung for rung in lab.rungs if rung.file_name == own)
            upload = Upload(visible(name), order, math.inf, {(lab.id, rung.id): file})
            found.uploads.append(upload)
            found.labs.add(lab.id)
        elif self._wanted.any_rung([name, first_name(name)]):
            if _LOOSE not in found.problems:
                found.problems.append(_LOOSE)
        else:
            found.problems.append(f"{visible(name)} is neither an archive nor a rung file")

    def _from_tree(self, tree: Tree, upload: Upload, found: Gathered) -> bool:
        folders = lab_folders(tree, self._wanted)
        for lab in self._wanted.labs:
            if lab.id in folders:
                upload.files.update(_files_of(lab, folders[lab.id]))
                found.misnamed.update(_misnamed_of(lab, folders[lab.id]))
                found.misplaced += self._misplaced_in(lab, folders[lab.id])
                found.labs.add(lab.id)
        if folders:
            found.uploads.append(upload)
        return bool(folders)

    def _misplaced_in(self, lab: Lab, folders: Sequence[Tree]) -> Iterator[str]:
        """A note for each other lab that has rung files there."""
        own = {rung.file_name for rung in lab.rungs}
        names = {name for folder in folders for name in folder.files()} - own
        for other in (*self._wanted.labs, *self._wanted.others):
            if there := sorted(names.intersection(rung.file_name for rung in other.rungs)):
                yield f"{lab.id}: not read, as it belongs to {other.id}: {', '.join(there)}"
                names -= {*there}

    def _add_outside(self, members: Sequence[Member], upload: Upload, found: Gathered) -> bool:
        """A wanted file at a path such as ../../x is named in the place of the missing one."""
        paths = {m.path.name: m.path for m in members if m.is_outside and not m.is_folder}
        added = False
        for lab in self._wanted.labs:
            for rung in lab.rungs:
                path = paths.get(rung.file_name)
                if path and (lab.id in path.parts or rung.file_name in self._wanted.loose):
                    upload.files.setdefault((lab.id, rung.id), outside_file(path))
                    found.labs.add(lab.id)
                    added = True
        if added and upload not in found.uploads:
            found.uploads.append(upload)
        return added


def lab_folders(tree: Tree, wanted: Wanted) -> dict[str, list[Tree]]:
    """The folders of each lab, by its id, at the least depth that has any.

    A folder that holds rung files flat is a folder of each lab that alone has these files.
    """
    level: list[Tree] = [tree]
    for _ in range(_WRAPPERS + 1):
        below = [folder.folders() for folder in level]
        found: dict[str, list[Tree]] = {}
        below_names = {name for folders in below for name in folders}
        for lab in wanted.labs:
            if here := [folders[lab.id] for folders in below if lab.id in folders]:
                found[lab.id] = here
        for folder in level:
            for lab in _flat_labs(folder, wanted):
                if lab.id not in below_names:
                    found.setdefault(lab.id, []).append(folder)
        if found:
            return found
        level = [folder for folders in below for folder in folders.values()][:_MAX_FOLDERS]
    return {}


def is_flat(folder: Tree, wanted: Wanted) -> bool:
    return any(folder.file(name) for name in wanted.loose)


def _flat_labs(folder: Tree, wanted: Wanted) -> list[Lab]:
    return list(dict.fromkeys(lab for name, lab in wanted.loose.items() if folder.file(name)))


def unread(name: str) -> str:
    return f"{visible(name)} is of a kind that is not read; {READ_KINDS}"


def _files_of(lab: Lab, folders: Sequence[Tree]) -> Mapping[FileId, SubmittedFile]:
    found: dict[FileId, SubmittedFile] = {}
    wanted = {rung.id: rung.file_name for rung in lab.rungs} | {name: name for name in BESIDES}
    for file_id, name in wanted.items():
        files = [file for folder in folders if (file := folder.file(name))]
        if len(files) > 1:
            files = [
                SubmittedFile(files[0].path, problem=f"is in {len(files)} folders of {lab.id}")
            ]
        if files:
            found[lab.id, file_id] = files[0]
    return found


def _misnamed_of(lab: Lab, folders: Sequence[Tree]) -> Mapping[FileId, str]:
    names = [name for folder in folders for name in folder.files()]
    said = {(lab.id, rung.id): misnamed(lab, rung, names) for rung in lab.rungs}
    return {file_id: text for file_id, text in said.items() if text}


def _only(folder: Tree, wanted: Wanted) -> str:
    """What a folder holds instead of a lab."""
    names = sorted([*folder.folders(), *folder.files()])
    if not names:
        return "the folder is empty"
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    lab = wanted.labs[0].id
    return (
        f"there is no lab folder, such as {lab}, and no rung file in it, "
        f"only {visible(names[0])}{more}"
    )


def _nothing_in(archive: str, members: Sequence[Member], labs: Set[str], others: Set[str]) -> str:
    names = [member.path.name for member in members if not member.is_folder]
    if not names:
        return f"{archive} is empty"
    if link := next((member for member in members if member.problem == "is a link"), None):
        return f"{archive} contains no lab folder, but {visible(str(link.path))}, which is a link"
    if nested := next((name for name in names if stem(name) or is_foreign(name)), ""):
        return f"{archive} holds another archive, {visible(nested)}, which is not opened"
    depths = [(m.path.parts.index(lab), lab) for m in members for lab in labs & {*m.path.parts}]
    depth, lab = min(depths, default=(0, ""))
    if depth > _WRAPPERS:
        return (
            f"{archive} contains {lab} under {depth} other folders: "
            f"take it out of them, or leave at most {_WRAPPERS} around it"
        )
    if other := min((part for m in members for part in others & {*m.path.parts}), default=""):
        return f"{archive} contains {other}, which is not graded now, and no {min(labs)}"
    return f"{archive} contains no lab folder and no rung file"
