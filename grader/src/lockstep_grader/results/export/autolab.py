# SPDX-License-Identifier: MIT
"""Autolab's feedback, one text per submission: words, then two lines of JSON that it reads.

https://docs.autolabproject.com/lab/ : the last line gives each problem, here each rung, its score.
https://docs.autolabproject.com/features/formatted-feedback/ : the line before it lists stages.
An autoresult without scores becomes a zero in Autolab (assessment_autograde_core.rb), a score of
null does not: that is what an ungraded rung gets.
"""

import json
from typing import Any

from lockstep_grader.results.export.model import QUIZ, LabGrade, Rung, Submission
from lockstep_grader.results.export.words import (
    clip,
    explanation,
    headline,
    items,
    points,
    quiz_words,
)

_HINT_CHARS = 1_000


def feedback(submission: Submission) -> str:
    """Words for the student, the stages, the autoresult; the last line has no newline inside."""
    words = [headline(submission), ""]
    for name, rung in submission.rungs:
        words.append(f"{name}  {points(rung.score, rung.max_score)}  {rung.outcome}")
        words += [f"    {line}" for line in explanation(rung).splitlines()]
    for name, lab in submission.quizzes:
        worth = f"  {points(lab.quiz_score, lab.quiz_points)}" if lab.quiz_points else ""
        words += [f"{name}{worth}", *(f"    {line}" for line in quiz_words(lab).splitlines())]
    lines = [*words, json.dumps(_stages(submission)), json.dumps(_autoresult(submission))]
    return "\n".join(lines) + "\n"


def problem_name(lab_id: str, rung_id: str) -> str:
    """A problem's name; without a colon, which Autolab's parser would trip over."""
    return f"{lab_id}/{rung_id}"


def _autoresult(submission: Submission) -> dict[str, Any]:
    scores = {
        item.name: item.score for item in items(submission) if item.max_score or item.tag != QUIZ
    }
    result: dict[str, Any] = {"scores": scores}
    if submission.score is not None:
        result["scoreboard"] = [submission.score]
    return result


def _stages(submission: Submission) -> dict[str, Any]:
    stages: dict[str, Any] = {
        "_presentation": "semantic",
        "stages": [lab.id for lab in submission.labs],
    }
    for lab in submission.labs:
        stages[lab.id] = {rung.id: _case(rung) for rung in lab.rungs}
        if lab.quiz_points:
            stages[lab.id][QUIZ] = _quiz_case(lab)
    return stages


def _quiz_case(lab: LabGrade) -> dict[str, Any]:
    if lab.quiz and lab.quiz.share == 1.0:
        return {"passed": True}
    return {"passed": False, "hint": quiz_words(lab, _HINT_CHARS)}


def _case(rung: Rung) -> dict[str, Any]:
    if rung.full:
        return {"passed": True}
    return {"passed": False, "hint": clip(explanation(rung), _HINT_CHARS)}
