# SPDX-License-Identifier: MIT
"""Gradescope's results.json, one per submission.

https://gradescope-autograders.readthedocs.io/en/latest/specs/ : a score at the top overrides the
tests' sum; a document without any score is an autograder that failed, which is just what an
ungraded submission is: it gets no number at all. Tests not visible hide the student's total.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from lockstep_grader.model.compat import StrEnum
from lockstep_grader.results.export.model import QUIZ, Submission
from lockstep_grader.results.export.words import RUNG_CHARS, Item, clip, headline, items, number

_HISTORY = 5  # earlier submissions that are listed


class Visibility(StrEnum):
    VISIBLE = "visible"
    AFTER_DUE_DATE = "after_due_date"
    AFTER_PUBLISHED = "after_published"
    HIDDEN = "hidden"


def results(
    submission: Submission,
    visibility: Visibility = Visibility.VISIBLE,
    previous: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The document; `previous` is submission_metadata.json's previous_submissions.

    An ungraded submission keeps the score of the last one that was graded, with a word about it.
    """
    comments = [f"Comment: {each.said}" for each in submission.comments]
    said = "\n".join([headline(submission), *_history(previous), *comments])
    if submission.score is None and (kept := _last_graded(previous)):
        note = f"{said}\nUntil then the results below, of your last graded submission, stand."
        return {**kept, "output": clip(note, 10_000), "output_format": "text"}
    document: dict[str, Any] = {
        "output": said,
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": visibility.value,
        "stdout_visibility": "hidden",  # the log is the instructor's
        "execution_time": submission.seconds,
        "extra_data": {"submission": submission.id, "graded": submission.score is not None},
        "tests": [
            _test(position, item, submission.score is not None)
            for position, item in enumerate(items(submission), start=1)
        ],
    }
    return document if submission.score is None else {"score": submission.score, **document}


def _test(position: int, item: Item, with_scores: bool) -> dict[str, Any]:
    """A quiz that adds no points is a test without a score: its words are shown, and no 0 / 0."""
    test: dict[str, Any] = {
        "name": item.name,
        "number": str(position),
        "output": item.said(RUNG_CHARS),
        "tags": [item.tag],
    }
    if with_scores and (item.max_score or item.tag != QUIZ):
        status = "passed" if item.is_full else "failed"
        test |= {"score": item.score, "max_score": item.max_score, "status": status}
    return test


def _history(previous: Sequence[Mapping[str, Any]]) -> list[str]:
    scored = [(_when(entry), score) for entry in previous if (score := _score(entry)) is not None]
    if not scored:
        return []
    shown = ", ".join(f"{number(score)} on {when}" for when, score in scored[-_HISTORY:])
    best = max(score for _, score in scored)
    return [f"Earlier submissions: {shown}; the best was {number(best)}."]


def _last_graded(previous: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    for entry in sorted(previous, key=_when, reverse=True):
        if isinstance(entry.get("results"), dict) and "score" in entry["results"]:
            return dict(entry["results"])
    return None


def _score(entry: Mapping[str, Any]) -> float | None:
    try:
        return float(entry["score"])
    except (KeyError, TypeError, ValueError):
        return None


def _when(entry: Mapping[str, Any]) -> str:
    """The day and minute; Gradescope writes ISO 8601, so that texts sort as times."""
    return str(entry.get("submission_time", ""))[:16].replace("T", " ")
