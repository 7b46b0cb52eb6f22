# SPDX-License-Identifier: MIT
"""Feedback back to a class: Moodle's grading worksheet filled in, and a CSV for a mail merge.

Moodle reads a worksheet by the column names Identifier, Grade and Last modified (grade), in its
user's language (mod/assign/feedback/offline). An empty grade would change nothing, so what is not
graded keeps its cell.
"""

from collections.abc import Sequence
from pathlib import PurePosixPath

from lockstep_grader.machine.csv_rows import Row
from lockstep_grader.model import moodle
from lockstep_grader.model.text import one_line
from lockstep_grader.results.export.gradebooks import Import
from lockstep_grader.results.export.left_out import LeftOut
from lockstep_grader.results.export.model import Gradebook, Submission
from lockstep_grader.results.export.table import cell, score, written
from lockstep_grader.results.export.words import headline, number

_NEEDED = (moodle.IDENTIFIER, moodle.GRADE, moodle.GRADE_MODIFIED)
_MAIL = ("email", "name", "id", "score", "max_score", "summary", "page")


def worksheet(book: Gradebook, rows: Sequence[Row]) -> Import:
    """Moodle's worksheet `rows` with grades and comments. Raises ValueError when it is none."""
    columns = list(rows[0][1]) if rows else []
    identifier, grade, modified = (moodle.column(columns, names) for names in _NEEDED)
    if identifier is None or grade is None or modified is None:
        lacking = ", ".join(names[0] for names in _NEEDED)
        raise ValueError(
            f"it lacks one of the columns {lacking}; if Moodle's language is not English, German, "
            "French or Spanish, choose English in the menu of your profile and download it again"
        )
    comments = moodle.column(columns, moodle.COMMENTS)
    known = [entry for entry in book.submissions if entry.student.participant]
    by_id = {entry.student.participant: entry for entry in known}
    made: list[Sequence[str]] = [columns]
    left_out = []
    for _, row in rows[1:]:
        cells = [*row, *[""] * (len(columns) - len(row))]
        entry = by_id.pop(moodle.participant(cells[identifier]), None)
        if entry is not None and entry.score is None:
            left_out.append(LeftOut(entry.id, "not graded"))
        elif entry is not None:
            cells[grade] = number(entry.score or 0.0)
            if comments is not None:
                cells[comments] = _summary(entry)
        made.append(cells)  # Moodle's own go back as they came
    unknown = [entry for entry in book.submissions if not entry.student.participant]
    left_out += [LeftOut(entry.id, "not in the worksheet") for entry in (*by_id.values(), *unknown)]
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
