# SPDX-License-Identifier: MIT
"""PrairieLearn's results.json, one per submission.

https://prairielearn.readthedocs.io/en/latest/externalGrading/ : a score in [0, 1], at most 1 MB in
all, and `gradable: false`, which costs the student no attempt, for what is our own fault.
"""

import base64
import json
from collections.abc import Mapping
from typing import Any

from lockstep_grader.results.export.model import QUIZ, Submission
from lockstep_grader.results.export.words import RUNG_CHARS, Item, headline, items

MAX_BYTES = 1_000_000
_LEAST_CHARS = 50

Pictures = Mapping[tuple[str, str], bytes]  # (lab, file) -> PNG


def results(submission: Submission, pictures: Pictures | None = None) -> dict[str, Any]:
    """The document: words first, each shorter if it must be, then pictures as far as they fit."""
    max_chars = RUNG_CHARS
    document = _document(submission, max_chars)
    while _size(document) > MAX_BYTES and max_chars > _LEAST_CHARS:
        max_chars //= 2
        document = _document(submission, max_chars)
    _add_pictures(document, submission, pictures or {})
    return document


def _document(submission: Submission, max_chars: int) -> dict[str, Any]:
    graded = submission.score is not None
    document: dict[str, Any] = {"gradable": graded, "message": headline(submission)}
    if submission.score is not None:
        document["score"] = _share(submission.score, submission.max_score)
        listed = items(submission)
        counted = [item for item in listed if item.max_score or item.tag != QUIZ]
        document["tests"] = [_test(item, max_chars) for item in counted]
        said = [f"{n.name}: {n.said(max_chars)}" for n in listed if n not in counted]
        if said:
            document["output"] = "\n\n".join(said)
    else:
        rungs = (item for item in items(submission) if item.score is None)
        faults = [f"{item.name}: {item.said(max_chars)}" for item in rungs]
        document["format_errors"] = [headline(submission), *faults]
    return document


def _share(score: float, max_score: float) -> float:
    return score / max_score if max_score else 1.0


def _test(item: Item, max_chars: int) -> dict[str, Any]:
    return {
        "name": item.name,
        "points": item.score,
        "max_points": item.max_score,
        "message": item.said(max_chars),
    }


def _add_pictures(document: dict[str, Any], submission: Submission, pictures: Pictures) -> None:
    if "tests" not in document:
        return
    room = MAX_BYTES - _size(document)
    rungs = [(lab.id, rung) for lab in submission.labs for rung in lab.rungs]
    for test, (lab_id, rung) in zip(document["tests"], rungs, strict=False):  # quizzes come last
        for label, file in (image for judged in rung.tests for image in judged.images):
            if not (png := pictures.get((lab_id, file))):
                continue
            url = f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"
            image = {"label": label, "url": url}
            room -= _size(image) + len('"images": [], ')
            if room < 0:
                return
            test.setdefault("images", []).append(image)


def _size(value: Any) -> int:
    return len(json.dumps(value, indent=2))
