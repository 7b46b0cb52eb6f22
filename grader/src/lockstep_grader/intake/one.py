# SPDX-License-Identifier: MIT
"""The lab folders of one student, out of a folder, an archive or the export of a class."""

import difflib
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lockstep_grader.intake.archives import Spool
from lockstep_grader.intake.roster import KEYS, Roster
from lockstep_grader.intake.submission import Source, Submission
from lockstep_grader.intake.take import take_in
from lockstep_grader.machine.progress import say
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Lab

_NAMED = 5  # students, in a message


@contextmanager
def lab_folders(given: Path, lab: Lab, labs: Sequence[Lab]) -> Iterator[Path]:
    """A folder of lab folders: `given` itself, or what it holds of `lab`, for as long as needed.

    `given` may be an archive, one student's folder of an export, or EXPORT/STUDENT. Raises
    InputError where it is none of these, or holds the work of several students.
    """
    if given.is_dir() and any((given / each.id).is_dir() for each in labs):
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="lockstep-from-") as temp:
        submission = _taken(given, lab, labs, Spool(Path(temp) / "spool"))
        target = Path(temp) / "taken"
        (target / lab.id).mkdir(parents=True)
        for rung in lab.rungs:
            file = submission.read(lab, rung)
            if isinstance(file, Source):
                (target / lab.id / rung.file_name).write_bytes(file.data)
        for note in (submission.dispute, *submission.notes):
            if note:
                say(note)
        yield target


def _taken(given: Path, lab: Lab, labs: Sequence[Lab], spool: Spool) -> Submission:
    export, name = (given, "") if given.exists() else (given.parent, given.name)
    if not export.exists() or (name and export == Path()):
        raise InputError(f"{given}: no such folder or archive")
    found = take_in(export, labs, [lab], Roster(), spool).submissions
    if name:
        submission = _named(name, export, found)
    elif len(found) == 1:
        (submission,) = found
    else:
        raise InputError(
            f"{export} holds the work of {len(found)} students; add the name of one, as in "
            f"{export / found[0].id}"
        )
    if submission.problem:
        raise InputError(f"{given}: {submission.problem}")
    return submission


def _named(name: str, export: Path, submissions: Sequence[Submission]) -> Submission:
    """By id, login, email or number, or else by name."""
    folded = name.casefold()
    fits = [each for each in submissions if name == each.id] or [
        each
        for each in submissions
        if folded in {getattr(each.student, key).casefold() for key in (*KEYS, "name")}
    ]
    if len(fits) == 1:
        return fits[0]
    if fits:
        ids = ", ".join(each.id for each in fits[:_NAMED])
        raise InputError(f"{name!r} fits {len(fits)} submissions in {export}; choose one: {ids}")
    if all(each.problem for each in submissions):  # then it is no export
        raise InputError(f"{export / name}: no such folder or archive")
    known = [who for each in submissions for who in (each.id, each.student.name) if who]
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(known[:_NAMED])}"
    raise InputError(f"{export} has nothing of {name!r}; {hint}")
