# SPDX-License-Identifier: MIT
"""Feedback back to a class: Moodle's grading worksheet filled in, and a CSV for a mail merge.

Moodle reads a worksheet by the column names Identifier, Grade and Last modified (grade)
(mod/assign/feedback/offline). An empty grade would change nothing, so what is not graded keeps its
cell.
"""

from collections.abc import Sequence
from pathlib import PurePosixPath

from lockstep_grader.machine.csv_rows import Row
from lockstep_grader.model.text import one_line
from lockstep_grader.results.export.gradebooks import Import
from lockstep_grader.results.export.left_out import LeftOut
from lockstep_grader.results.export.model import Gradebook, Submission
from lockstep_grader.results.export.table import cell, score, written
from lockstep_grader.results.export.words import headline, number

_ID, _GRADE, _MODIFIED = "Identifier", "Grade", "Last modified (grade)"
_COMMENTS = "Feedback comments"
_PARTICIPANT = "Participant "
_MAIL = ("email", "name", "id", "score", "max_score", "summary", "page")


def worksheet(book: Gradebook, rows: Sequence[Row]) -> Import:
    """Moodle's worksheet `rows` with grades and comments. Raises ValueError when it is none."""
    columns = list(rows[0][1]) if rows else []
    if not {_ID, _GRADE, _MODIFIED} <= set(columns):
        raise ValueError(f"it lacks one of the columns {_ID}, {_GRADE}, {_MODIFIED}")
    by_id = {f"{_PARTICIPANT}{entry.student.participant}": entry for entry in book.submissions}
    made: list[Sequence[str]] = [columns]
    left_out = []
    for _, row in rows[1:]:
        cells = [*row, *[""] * (len(columns) - len(row))]
        entry = by_id.pop(cells[columns.index(_ID)], None)
        if entry is not None and entry.score is None:
            left_out.append(LeftOut(entry.id, "not graded"))
        elif entry is not None:
            cells[columns.index(_GRADE)] = number(entry.score or 0.0)
            if _COMMENTS in columns:
                cells[columns.index(_COMMENTS)] = _summary(entry)
        made.append(cells)  # Moodle's own go back as they came
    left_out += [LeftOut(entry.id, "not in the worksheet") for entry in by_id.values()]
    return Import(written(made), tuple(left_out))


def mail_merge(book: Gradebook, pages: PurePosixPath, page_of: dict[str, str]) -> Import:
    """A row per student with an address: points, a summary, and the page to attach.

    `page_of` has the names of students' pages by id, which lie in the folder `pages`.
    """
    rows: list[Sequence[str]] = [_MAIL]
    left_out = []
    for entry in book.submissions:
        if not entry.student.email:
            left_out.append(
                LeftOut(entry.id, "no email is known; grade with a roster that has one")
            )
            continue
        who = entry.student
        rows.append(
            [
                cell(who.email),
                cell(who.name or entry.id),
                cell(entry.id),
                score(entry.score),
                number(entry.max_score),
                _summary(entry),
                str(pages / page_of[entry.id]),
            ]
        )
    return Import(written(rows), tuple(left_out))


def _summary(entry: Submission) -> str:
    """One line: the points, each lab's, and what the course's rules changed."""
    labs = "; ".join(
        f"{lab.id}: {score(lab.score) or 'not graded'} of {number(lab.max_score)}"
        for lab in entry.labs
    )
    notes = [note for lab in entry.labs if lab.mark for note in lab.mark.notes]
    said = [one_line(each.said) for each in entry.comments]
    return cell("; ".join([*map(one_line, headline(entry).splitlines()), labs, *notes, *said]))
