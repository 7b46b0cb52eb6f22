# SPDX-License-Identifier: MIT
"""CSV for spreadsheets and scripts: a row per student, or a row per student and rung."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

from lockstep_grader.model.grades import Part
from lockstep_grader.model.policy import CourseMark
from lockstep_grader.model.text import joined_lines
from lockstep_grader.results.export.model import Gradebook, Submission
from lockstep_grader.results.export.words import number

# A cell that begins with one of these is a formula to a spreadsheet; an apostrophe before it makes
# it text: https://owasp.org/www-community/attacks/CSV_Injection. Where numbers have commas,
# spreadsheets take semicolons for the ends of cells.
_FORMULA = re.compile(r"(^|; *)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
_CAUSE_CHARS = 300
_ANSWER_CHARS = 4000
_WHO = ("id", "name", "email", "login", "lms_id", "section")


def students(book: Gradebook) -> str:
    """A row per student: points by lab, the total, the full mark, whether it is graded."""
    by_rules = any(entry.mark for entry in book.submissions)
    header = [*_WHO, *(lab for lab, _ in book.labs), "score", "max_score", "status"]
    header += ["percent", "notes"] if by_rules else []
    rows = [
        [
            *_who(entry),
            *by_lab(book, entry),
            score(entry.score),
            number(entry.max_score),
            _status(entry),
            *(_by_rules(entry.mark) if entry.mark else []),
        ]
        for entry in book.submissions
    ]
    return written([header, *rows])


def rungs(book: Gradebook) -> str:
    """A row per student and rung: points by part, the outcome, the first cause."""
    parts = [part.value for part in Part]
    header = [*_WHO, "lab", "rung", *parts, "score", "max_score", "outcome", "cause"]
    rows = []
    for entry in book.submissions:
        for lab in entry.labs:
            for rung in lab.rungs:
                causes = [finding.said for finding in rung.findings]
                rows.append(
                    [
                        *_who(entry),
                        lab.id,
                        rung.id,
                        *(
                            score(rung.parts[part][0]) if part in rung.parts else ""
                            for part in Part
                        ),
                        score(rung.score),
                        number(rung.max_score),
                        rung.outcome.value,
                        cell(rung.fault or next(iter(causes), "")),
                    ]
                )
    return written([header, *rows])


def quiz(book: Gradebook) -> str:
    """A row per student and question: the answer, its mark, and why; texts are there to be read."""
    header = [*_WHO, "lab", "question", "kind", "ask", "answer", "mark", "score", "max_score"]
    rows = [
        [
            *_who(entry),
            lab.id,
            each.id,
            each.kind.value,
            cell(each.ask),
            cell(each.answer, _ANSWER_CHARS),
            each.mark.value,
            number(each.score),
            number(each.max_score),
            cell(each.reason),
        ]
        for entry in book.submissions
        for lab in entry.labs
        for each in (lab.quiz.answers if lab.quiz else ())
    ]
    return written([[*header, "reason"], *rows])


def by_lab(book: Gradebook, entry: Submission) -> list[str]:
    """The points of each of the book's labs; empty where there are none to give."""
    scores = {lab.id: lab.score for lab in entry.labs}
    return [score(scores.get(lab)) for lab, _ in book.labs]


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


def _status(entry: Submission) -> str:
    if entry.is_missing:
        return "missing"
    if entry.problem:
        return "nothing taken"
    return "not graded" if entry.score is None else "graded"


def _by_rules(mark: CourseMark) -> list[str]:
    notes = [f"{each.lab}: {note}" for each in mark.labs for note in each.notes]
    notes += [f"{each.lab}: left out as one of the lowest" for each in mark.labs if each.is_dropped]
    return [score(mark.percent), cell("; ".join(notes))]


def _who(entry: Submission) -> list[str]:
    who = entry.student
    texts = (entry.id, who.name, who.email, who.login, who.lms_id, who.section)
    return [cell(text) for text in texts]
