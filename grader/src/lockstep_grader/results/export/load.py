# SPDX-License-Identifier: MIT
"""Reads what export is made from: grade.json, the pictures in its folder, and a roster."""

import json
from functools import partial
from pathlib import Path

from lockstep_grader.machine.csv_rows import read_rows
from lockstep_grader.model.errors import InputError
from lockstep_grader.results.comments import read_comments
from lockstep_grader.results.export.gradebooks import Roster, roster_of, worksheet
from lockstep_grader.results.export.model import Gradebook, Submission, gradebook
from lockstep_grader.results.export.prairielearn import Pictures
from lockstep_grader.results.export.table import Import
from lockstep_grader.results.folder import kept_source
from lockstep_grader.results.schema import VersionError

_GRADE_JSON = "grade.json"
_MAX_PICTURE_BYTES = 1 << 20


def load_gradebook(path: Path) -> Gradebook:
    """The gradebook of a results folder, or in a file that `grade --json` wrote."""
    file = path / _GRADE_JSON if path.is_dir() else path
    try:
        book = gradebook(json.loads(file.read_text("utf-8")))
    except FileNotFoundError as error:
        hint = "grade --results makes one" if path.is_dir() else "no such file"
        raise InputError(f"{file}: {hint}") from error
    except VersionError as error:
        raise InputError(f"{file} {error}") from error
    except ValueError as error:
        raise InputError(f"{file} is not what `grade --json` writes ({error})") from error
    comments = [each.comment for each in read_comments(file.parent)]
    return book.commented(comments, partial(kept_source, file.parent))


def load_pictures(path: Path, submission: Submission) -> Pictures:
    """The pictures of a submission's rungs; those that are not there are left out."""
    if not path.is_dir():
        return {}
    found = {}
    for lab in submission.labs:
        folder = path / submission.id / lab.id
        for rung in lab.rungs:
            for _, name in (image for test in rung.tests for image in test.images):
                file = folder / Path(name).name
                if file.is_file() and file.stat().st_size <= _MAX_PICTURE_BYTES:
                    found[lab.id, name] = file.read_bytes()
    return found


def load_roster(path: Path) -> Roster:
    """A gradebook exported from Canvas. Raises InputError."""
    rows = read_rows(path)
    try:
        return roster_of(rows)
    except ValueError as error:
        raise InputError(f"{path} is not a gradebook exported from Canvas: {error}") from error


def load_worksheet(path: Path, book: Gradebook) -> Import:
    """Moodle's grading worksheet with the book's grades. Raises InputError."""
    rows = read_rows(path)
    try:
        return worksheet(book, rows)
    except ValueError as error:
        raise InputError(f"{path} is not a grading worksheet of Moodle: {error}") from error
