# SPDX-License-Identifier: MIT
"""Finds a mutant by its name, compares it with its solution, rewrites it from an edited text."""

import difflib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.author.edits import (
    Block,
    EditError,
    apply_fitting,
    edits_between,
    lines_of,
    read_blocks,
    text_of,
)
from lockstep_grader.author.mutants import (
    EDIT,
    WHOLE,
    mutant_files,
    parse_mutant,
    read_fields,
    read_mutant,
    read_text,
    solution_of,
    split_edit,
    without_fields,
)
from lockstep_grader.intake.catalog import find_lab, find_rung, find_target
from lockstep_grader.machine.files import write_whole
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, InputError, LockstepError
from lockstep_grader.model.grades import Lab, Rung

_NAME = re.compile(r"[a-z0-9_]+")
_LICENSE = "// SPDX-License-Identifier: MIT"
_NOTE = "//!"  # in a draft: ours, and taken out again

Editor = Callable[[Path], None]  # lets a person change the file


@dataclass(frozen=True, slots=True)
class Place:
    """Where a mutant is, or will be."""

    lab: Lab
    file: Path

    @property
    def name(self) -> str:
        return f"{self.lab.id}/{self.file.stem}"


def find_mutant(workspace: Workspace, labs: Sequence[Lab], name: str) -> Place:
    """The mutant called NAME or LAB/NAME, or with that path. Raises InputError."""
    lab_name, _, stem = _short_name(name).rpartition("/")
    chosen = [find_lab(labs, lab_name)] if lab_name else labs
    known = [Place(lab, file) for lab in chosen for file in mutant_files(workspace, lab.id)]
    found = [place for place in known if place.file.stem == stem]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"several labs have it: say {' or '.join(place.name for place in found)}")
    by_stem = {place.file.stem: place.name for place in known}
    close = [by_stem[each] for each in difflib.get_close_matches(stem, list(by_stem), cutoff=0.75)]
    guess = f"did you mean {' or '.join(close)}? " if close else ""
    raise InputError(
        f"there is no mutant called {name!r}; {guess}"
        f"./lab mutant edit {stem} --of LAB/RUNG makes a new one"
    )


def submission_of(workspace: Workspace, place: Place) -> str:
    """The whole wrong submission. Raises FaultError when it does not fit today's solution."""
    return read_mutant(workspace, place.lab, place.file).source.data.decode()


def diff_of(workspace: Workspace, place: Place) -> list[str]:
    """A unified diff from the solution to the mutant, line by line."""
    mutant = read_mutant(workspace, place.lab, place.file)
    whole = mutant.source.data.decode()
    solution = solution_of(workspace, place.lab, mutant.rung)
    return list(
        difflib.unified_diff(
            lines_of(read_text(workspace, solution)),
            lines_of(without_fields(whole) if place.file.suffix == WHOLE else whole),
            workspace.shown(solution),
            workspace.shown(place.file),
            lineterm="",
        )
    )


def edit_mutant(workspace: Workspace, place: Place, editor: Editor) -> Path | None:
    """Rewrites a mutant from what `editor` makes of its draft; None: nothing changed."""
    text = read_text(workspace, place.file)
    return _edit(workspace, place, _shown(workspace, place, text), editor)


def new_mutant(
    workspace: Workspace, labs: Sequence[Lab], name: str, target: str, editor: Editor
) -> Path | None:
    """A mutant of the rung that `target`, LAB/RUNG, names, written as `edit_mutant` does."""
    lab, rungs = find_target(labs, target)
    if len(rungs) != 1:
        raise InputError(f"--of {target}: say which rung, as in {lab.id}/{rungs[0].id}")
    stem = _short_name(name).rpartition("/")[2]
    if not _NAME.fullmatch(stem):
        raise InputError(f"{name!r}: a mutant's name has small letters, digits and underscores")
    files = {file.stem: file for file in mutant_files(workspace, lab.id)}
    if stem in files:
        raise InputError(f"{workspace.shown(files[stem])} is there already; leave out --of")
    place = Place(lab, workspace.solutions / lab.id / "mutants" / f"{stem}{EDIT}")
    solution = read_text(workspace, solution_of(workspace, lab, rungs[0]))
    fields = {"mutant of": rungs[0].id, "mistake": "", "expect": "failed wrong_result"}
    return _edit(workspace, place, draft_of(solution, fields), editor)


def stored(solution: str, draft: str) -> tuple[str, str]:
    """How a mutant is kept, as (suffix, text): as blocks when these are clearly shorter.

    `draft` is the whole wrong submission with the header's fields. Raises EditError when it is
    the solution.
    """
    fields, body = read_fields(draft), without_fields(draft)
    blocks = edits_between(solution, body)
    if not blocks:
        raise EditError("nothing differs from the solution")
    if 2 * sum(len(block.lines) for block in blocks) > len(lines_of(body)):
        return WHOLE, text_of(lines_of(draft))
    return EDIT, text_of([_LICENSE, *_header(fields)]) + "".join(map(str, blocks))


def run_editor(file: Path) -> None:
    """Opens `file` in $VISUAL, $EDITOR or vi, and waits. Raises InputError."""
    words = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    if not words or not shutil.which(words[0]):
        raise InputError("there is no editor: set VISUAL or EDITOR to your editor")
    status = subprocess.run([*words, str(file)], check=False).returncode
    if status:
        raise InputError(f"{words[0]} ended with status {status}, so nothing was written")


def _edit(workspace: Workspace, place: Place, draft: str, editor: Editor) -> Path | None:
    folder = Path(tempfile.mkdtemp(prefix="lockstep-mutant-"))
    file = folder / f"{place.file.stem}.cu"
    file.write_bytes(draft.encode())
    edited = draft
    try:
        editor(file)
        edited = read_text(workspace, file)
        written = _write(workspace, place, edited) if edited != draft else None
    except LockstepError as error:
        if edited == draft:
            shutil.rmtree(folder)
            raise
        kept = f"run the command again and paste your text, which is kept in {file}"
        raise InputError(f"{error}; nothing was written; {kept}") from error
    shutil.rmtree(folder)
    return written


def _write(workspace: Workspace, place: Place, edited: str) -> Path:
    draft = text_of(line for line in lines_of(edited) if not line.startswith(_NOTE))
    rung = _rung_of(place, read_fields(draft))
    solution = read_text(workspace, solution_of(workspace, place.lab, rung))
    try:
        suffix, text = stored(solution, draft)
    except EditError as error:
        raise InputError(str(error)) from error
    file = place.file.with_suffix(suffix)
    mutant = parse_mutant(workspace, place.lab, file, text)
    if mutant.problem:
        raise InputError(mutant.problem.partition("; run ")[0])
    write_whole(file, text.encode())
    if file != place.file:
        place.file.unlink(missing_ok=True)
    return file


def _shown(workspace: Workspace, place: Place, text: str) -> str:
    """The whole submission with its header; blocks that no longer fit are notes in it."""
    if place.file.suffix == WHOLE:
        return text
    header, written = split_edit(text)
    fields = read_fields(header)
    rung = _rung_of(place, fields)
    solution = read_text(workspace, solution_of(workspace, place.lab, rung))
    try:
        blocks = read_blocks(written, header.count("\n") + 1)
    except EditError as error:
        raise FaultError(f"{workspace.shown(place.file)}: {error}") from error
    changed, misfits = apply_fitting(solution, blocks)
    notes = [
        note
        for number, problem in misfits
        for note in _notes(number, blocks[number - 1], f"{problem} {rung.file_name}")
    ]
    return draft_of(changed, fields, notes)


def draft_of(text: str, fields: Mapping[str, str], notes: Sequence[str] = ()) -> str:
    """What a person edits: the whole submission `text` with its header."""
    lines = lines_of(text)
    at = 1 if lines and lines[0].startswith("// SPDX") else 0
    return text_of([*lines[:at], *_header(fields), *notes, *lines[at:]])


def _header(fields: Mapping[str, str]) -> list[str]:
    return [f"// {name}: {value}".rstrip() for name, value in fields.items()]


def _notes(number: int, block: Block, problem: str) -> list[str]:
    asked = f"{_NOTE} Block {number} {problem}. Make its change by hand; this note goes by itself."
    return [asked, *(f"{_NOTE} {line}".rstrip() for line in block.lines)]


def _rung_of(place: Place, fields: Mapping[str, str]) -> Rung:
    try:
        return find_rung(place.lab, fields.get("mutant of", ""))
    except InputError as error:
        raise FaultError(f"{place.name}: its header's 'mutant of:': {error}") from error


def _short_name(name: str) -> str:
    """LAB/NAME or NAME, from a path as the shell completes it."""
    words = [word for word in name.strip("/").split("/") if word not in ("solutions", "mutants")]
    return "/".join(words).removesuffix(EDIT).removesuffix(WHOLE)
