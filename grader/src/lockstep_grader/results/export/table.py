# SPDX-License-Identifier: MIT
"""CSV for spreadsheets, gradebooks and a mail merge: a table is its columns, each with what makes a
cell of a record. `written` writes them all.

Canvas and Moodle: an empty cell would erase a score that is there already (Canvas:
lib/gradebook_importer.rb; Moodle: https://docs.moodle.org/en/Grade_import), so a student with
anything not graded has no row there.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import TypeVar

from lockstep_grader.model.grades import Part, RungResult
from lockstep_grader.model.quiz import Answered
from lockstep_grader.model.text import joined_lines, one_line
from lockstep_grader.results.export.words import LeftOut, headline, number
from lockstep_grader.results.graded import Entry, LabEntry, Results

# A cell that begins with one of these is a formula to a spreadsheet; an apostrophe before it makes
# it text: https://owasp.org/www-community/attacks/CSV_Injection. Where numbers have commas,
# spreadsheets take semicolons for the ends of cells.
_FORMULA = re.compile(r"(^|; *)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
_CAUSE_CHARS = 300
_LOST_CHARS = 150
_ANSWER_CHARS = _SUMMARY_CHARS = 4000

Record = TypeVar("Record")
Columns = Mapping[str, Callable[[Record], str]]
Judged = tuple[Entry, LabEntry, RungResult]
Asked = tuple[Entry, LabEntry, Answered]


@dataclass(frozen=True, slots=True)
class Import:
    """The file, and the students that it leaves out, with the reason."""

    text: str
    left_out: tuple[LeftOut, ...]
    warnings: tuple[str, ...] = ()


def _part(part: Part, record: Judged) -> str:
    rung = record[2]
    return score(rung.parts[part].score) if part in rung.parts else ""


_WHO: Columns[Entry] = {
    "id": lambda entry: cell(entry.id),
    "name": lambda entry: cell(entry.student.name),
    "email": lambda entry: cell(entry.student.email),
    "login": lambda entry: cell(entry.student.login),
    "lms_id": lambda entry: cell(entry.student.lms_id),
    "section": lambda entry: cell(entry.student.section),
}
_TOTALS: Columns[Entry] = {
    "score": lambda entry: score(entry.score),
    "max_score": lambda entry: number(entry.max_score),
}
_BY_RULES: Columns[Entry] = {
    "percent": lambda entry: score(entry.mark.percent) if entry.mark else "",
    "notes": lambda entry: cell("; ".join(entry.rules)),
}
_RUNG: Columns[Judged] = {
    "lab": lambda record: record[1].id,
    "rung": lambda record: record[2].id,
    **{part.value: partial(_part, part) for part in Part},
    "score": lambda record: score(record[2].score),
    "max_score": lambda record: number(record[2].max_score),
    "outcome": lambda record: record[2].outcome.value,
    "cause": lambda record: cell(record[2].judgement.fault or _first_cause(record[2])),
}
_QUIZ: Columns[Asked] = {
    "lab": lambda record: record[1].id,
    "question": lambda record: record[2].id,
    "kind": lambda record: record[2].kind.value,
    "ask": lambda record: cell(record[2].ask),
    "answer": lambda record: cell(record[2].answer, _ANSWER_CHARS),
    "counted": lambda record: cell(record[2].counted),
    "mark": lambda record: record[2].mark.value,
    "score": lambda record: number(record[2].score),
    "max_score": lambda record: number(record[2].max_score),
    "reason": lambda record: cell(record[2].reason),
}
_MOODLE: Columns[Entry] = {
    "Username": _WHO["login"],
    "ID number": _WHO["lms_id"],
    "Email address": _WHO["email"],
}


def students(book: Results) -> str:
    """A row per student: points by lab, the total, the full mark, whether it is graded."""
    by_rules = _BY_RULES if any(entry.mark for entry in book.entries) else {}
    return _table({**_WHO, **labs(book), **_TOTALS, "status": _status, **by_rules}, book.entries)


def rungs(book: Results) -> str:
    """A row per student and rung: points by part, the outcome, the first cause."""
    records = [(entry, lab, rung) for entry in book.entries for lab, rung in entry.rungs]
    return _table({**_of_first(_WHO), **_RUNG}, records)


def quiz(book: Results) -> str:
    """A row per student and question: the answer, its mark, and why; texts are there to be read."""
    records = [
        (entry, lab, answer)
        for entry in book.entries
        for lab in entry.labs
        for sheet in lab.sheets.values()
        for answer in sheet.answers
    ]
    return _table({**_of_first(_WHO), **_QUIZ}, records)


def moodle(book: Results) -> Import:
    """Username, ID number, Email address, a column per lab; any one of the three may be mapped."""
    kept, left_out = [], []
    for entry in book.entries:
        who = entry.student
        known = who.login or who.lms_id or who.email
        unknown = "" if known else "neither login, number nor email is known; use a roster"
        if reason := ungraded(book, entry) or unknown:
            left_out.append(LeftOut(entry.id, reason))
        else:
            kept.append(entry)
    return Import(_table({**_MOODLE, **labs(book)}, kept), tuple(left_out))


def mail_merge(book: Results, pages: PurePosixPath, page_of: dict[str, str]) -> Import:
    """A row per student with an address: points, a summary, and the page to attach.

    `page_of` has the names of students' pages by id, which lie in the folder `pages`.
    """
    columns: Columns[Entry] = {
        "email": _WHO["email"],
        "name": lambda entry: cell(entry.student.name or entry.id),
        "id": _WHO["id"],
        **_TOTALS,
        "summary": summary,
        "page": lambda entry: str(pages / page_of[entry.id]),
    }
    lacking = "no email is known; grade with a roster that has one"
    left_out = [LeftOut(each.id, lacking) for each in book.entries if not each.student.email]
    kept = [entry for entry in book.entries if entry.student.email]
    return Import(_table(columns, kept), tuple(left_out))


def labs(book: Results) -> Columns[Entry]:
    """A column for each of the book's labs; empty where there are no points to give."""

    def points(lab: str, entry: Entry) -> str:
        return score({each.id: each.score for each in entry.labs}.get(lab))

    return {lab: partial(points, lab) for lab, _ in book.labs}


def ungraded(book: Results, entry: Entry) -> str:
    missing = [lab for lab, points in labs(book).items() if not points(entry)]
    return f"{', '.join(missing)} not graded" if missing else ""


def summary(entry: Entry) -> str:
    """One line: the points, each lab's, what the course's rules changed, where points are lost."""
    points = "; ".join(
        f"{lab.id}: {score(lab.score) or 'not graded'} of {number(lab.max_score)}"
        for lab in entry.labs
    )
    said = [one_line(each.said) for each in entry.shown.comments]
    head = map(one_line, headline(entry).splitlines())
    lost = () if entry.problem else _lost(entry.shown)
    return cell("; ".join([*head, points, *entry.rules, *said, *lost]), _SUMMARY_CHARS)


def _lost(entry: Entry) -> Iterator[str]:
    """Each rung that lost points, with the first cause."""
    for lab, rung in entry.rungs:
        if rung.score is not None and rung.score < rung.max_score:
            why = joined_lines(_first_cause(rung))[:_LOST_CHARS] or rung.outcome.value
            yield f"{lab.id}/{rung.id} {number(rung.score)} of {number(rung.max_score)}: {why}"


def score(points: float | None) -> str:
    return "" if points is None else number(points)


def cell(text: str, most: int = _CAUSE_CHARS) -> str:
    """Text of others as one cell: on one line, bounded, never a formula."""
    line = joined_lines(text)
    line = line if len(line) <= most else f"{line[:most]} [...]"
    return _FORMULA.sub(r"\1'", line)


def written(rows: Iterable[Sequence[str]]) -> str:
    """CSV as RFC 4180 has it; every cell is made by `cell`, `score` or us."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue()


def _table(columns: Columns[Record], records: Iterable[Record]) -> str:
    return written([[*columns], *([made(each) for made in columns.values()] for each in records)])


def _of_first(columns: Columns[Entry]) -> Columns[tuple[Entry, LabEntry, object]]:
    def of_first(made: Callable[[Entry], str], record: tuple[Entry, LabEntry, object]) -> str:
        return made(record[0])

    return {title: partial(of_first, made) for title, made in columns.items()}


def _first_cause(rung: RungResult) -> str:
    return next((finding.said for finding in rung.findings), "")


def _status(entry: Entry) -> str:
    if entry.is_missing:
        return "missing"
    if entry.problem:
        return "nothing taken"
    return "not graded" if entry.score is None else "graded"
