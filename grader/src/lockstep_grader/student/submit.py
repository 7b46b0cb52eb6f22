# SPDX-License-Identifier: MIT
"""Packs a lab's rung files and answers into the zip that a student hands in."""

from pathlib import Path

from lockstep_grader.intake.submission import Source, read_file, read_source
from lockstep_grader.machine.files import Packed, write_whole, zipped
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Finding, Lab, Rung
from lockstep_grader.model.quiz import ANSWERS


def pack(folder: Path, lab: Lab, target: Path, force: bool) -> tuple[str, ...]:
    """Writes the lab's rung files under `folder` to `target`; the names of the packed files.

    Raises InputError for a file that is missing or cannot be read and, unless `force`, for one
    that still calls todo().
    """
    sources = [_source(folder, lab, rung) for rung in lab.rungs]
    unfinished = [source.file_name for source in sources if source.calls_todo]
    if unfinished and not force:
        raise InputError(
            f"still to do: {', '.join(unfinished)}; finish them and delete their calls of todo(), "
            "or hand in as it is with --force"
        )
    answers = folder / lab.id / ANSWERS
    if answers.is_file():
        found = read_file(answers)
        if isinstance(found, Finding):
            raise InputError(f"{folder / lab.id}: {found.message}")
        sources.append(found)
    files = {f"{lab.id}/{source.file_name}": Packed(source.data) for source in sources}
    write_whole(target, zipped(files))
    return tuple(source.file_name for source in sources)


def _source(folder: Path, lab: Lab, rung: Rung) -> Source:
    source = read_source(folder, lab, rung)
    if isinstance(source, Finding):
        raise InputError(f"{folder / lab.id}: {source.message}")
    return source
