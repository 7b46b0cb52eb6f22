# SPDX-License-Identifier: MIT
"""Chooses which of a student's uploads counts for each rung, and notes the others.

The latest counts: by the platform's number where it has one, or else by the time of the newest file
in an archive, which is when the student last worked on it. An unpacked folder counts before an
archive next to it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lockstep_grader.intake.submission import SubmittedFile

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
    why = "the latest"
    if _by_time(others[-1]) == _by_time(chosen):
        why = "the last by name, as their times are equal"
    return f"{lab}: {chosen.name} counts ({why}), not {', '.join(item.name for item in others)}"
