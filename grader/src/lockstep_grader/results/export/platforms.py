# SPDX-License-Identifier: MIT
"""The documents of platforms that grade: Autolab, Gradescope, PrairieLearn, and any CI (JUnit).

Each of the first three is of one submission. What is not graded gets no number in any of them.
"""

import base64
import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lockstep_grader.model.compat import StrEnum
from lockstep_grader.model.grades import Outcome, RungResult, TestResult
from lockstep_grader.results.export.words import (
    RUNG_CHARS,
    Item,
    clip,
    explanation,
    headline,
    items,
    number,
    points,
    safe,
)
from lockstep_grader.results.folder import kept_picture
from lockstep_grader.results.graded import Entry, Results

# Autolab: https://docs.autolabproject.com/lab/ : the last line gives each problem, here each rung,
# its score. https://docs.autolabproject.com/features/formatted-feedback/ : the line before it lists
# stages. An autoresult without scores becomes a zero (assessment_autograde_core.rb), a score of
# null does not: that is what an ungraded rung gets.
_HINT_CHARS = 1_000


def autolab(submission: Entry) -> str:
    """Words for the student, the stages, the autoresult; the last line has no newline inside."""
    words = [headline(submission), ""]
    for item in items(submission):
        worth = f"  {points(item.score, item.max_score)}" if item.counts else ""
        outcome = "" if item.is_sheet else f"  {item.tag}"
        words.append(f"{item.name}{worth}{outcome}")
        words += [f"    {line}" for line in item.said(RUNG_CHARS).splitlines()]
    lines = [*words, json.dumps(_stages(submission)), json.dumps(_autoresult(submission))]
    return "\n".join(lines) + "\n"


def _autoresult(submission: Entry) -> dict[str, Any]:
    scores = {item.name: item.score for item in items(submission) if item.counts}
    result: dict[str, Any] = {"scores": scores}
    if submission.score is not None:
        result["scoreboard"] = [submission.score]
    return result


def _stages(submission: Entry) -> dict[str, Any]:
    stages: dict[str, Any] = {lab.id: {} for lab in submission.labs}
    for item in items(submission):
        if item.counts:
            hint = {} if item.is_full else {"hint": item.said(_HINT_CHARS)}
            stages[item.lab][item.id] = {"passed": item.is_full, **hint}
    return {"_presentation": "semantic", "stages": [lab.id for lab in submission.labs], **stages}


# Gradescope: https://gradescope-autograders.readthedocs.io/en/latest/specs/ : a score at the top
# overrides the tests' sum; a document without any score is an autograder that failed, which is just
# what an ungraded submission is. Tests not visible hide the student's total.
_HISTORY = 5  # earlier submissions that are listed


class Visibility(StrEnum):
    VISIBLE = "visible"
    AFTER_DUE_DATE = "after_due_date"
    AFTER_PUBLISHED = "after_published"
    HIDDEN = "hidden"


def gradescope(
    submission: Entry,
    visibility: Visibility = Visibility.VISIBLE,
    previous: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The document; `previous` is submission_metadata.json's previous_submissions.

    An ungraded submission keeps the score of the last one that was graded, with a word about it.
    """
    comments = [f"Comment: {each.said}" for each in submission.shown.comments]
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
        "execution_time": round(sum(r.judgement.seconds for _, r in submission.rungs), 3),
        "extra_data": {"submission": submission.id, "graded": submission.score is not None},
        "tests": [
            _gradescope_test(position, item, submission.score is not None)
            for position, item in enumerate(items(submission), start=1)
        ],
    }
    return document if submission.score is None else {"score": submission.score, **document}


def _gradescope_test(position: int, item: Item, with_scores: bool) -> dict[str, Any]:
    """A sheet that adds no points is a test without a score: its words are shown, and no 0 / 0."""
    test: dict[str, Any] = {
        "name": item.name,
        "number": str(position),
        "output": item.said(RUNG_CHARS),
        "tags": [item.tag],
    }
    if with_scores and item.counts:
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


# PrairieLearn: https://prairielearn.readthedocs.io/en/latest/externalGrading/ : a score in [0, 1],
# at most 1 MB in all, and `gradable: false`, which costs the student no attempt, for our own fault.
MAX_BYTES = 1_000_000
_LEAST_CHARS = 50


def prairielearn(submission: Entry, folder: Path) -> dict[str, Any]:
    """The document: words first, each shorter if it must be, then pictures as far as they fit.

    `folder` is the results folder with the pictures.
    """
    max_chars = RUNG_CHARS
    document = _document(submission, max_chars)
    while _size(document) > MAX_BYTES and max_chars > _LEAST_CHARS:
        max_chars //= 2
        document = _document(submission, max_chars)
    _add_pictures(document, submission, folder)
    return document


def _document(submission: Entry, max_chars: int) -> dict[str, Any]:
    graded = submission.score is not None
    document: dict[str, Any] = {"gradable": graded, "message": headline(submission)}
    if submission.score is not None:
        most = submission.max_score
        document["score"] = submission.score / most if most else 1.0
        listed = items(submission)
        counted = [item for item in listed if item.counts]
        document["tests"] = [
            {
                "name": item.name,
                "points": item.score,
                "max_points": item.max_score,
                "message": item.said(max_chars),
            }
            for item in counted
        ]
        said = [f"{n.name}: {n.said(max_chars)}" for n in listed if n not in counted]
        if said:
            document["output"] = "\n\n".join(said)
    else:
        rungs = (item for item in items(submission) if item.score is None)
        faults = [f"{item.name}: {item.said(max_chars)}" for item in rungs]
        document["format_errors"] = [headline(submission), *faults]
    return document


def _add_pictures(document: dict[str, Any], submission: Entry, folder: Path) -> None:
    if "tests" not in document:
        return
    room = MAX_BYTES - _size(document)
    rungs = submission.rungs
    for test, (lab, rung) in zip(document["tests"], rungs, strict=False):  # sheets come last
        for picture in rung.judgement.images:
            png = kept_picture(folder, submission.id, lab.id, picture.file)
            if not png:
                continue
            url = f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"
            image = {"label": picture.label, "url": url}
            room -= _size(image) + len('"images": [], ')
            if room < 0:
                return
            test.setdefault("images", []).append(image)


def _size(value: Any) -> int:
    return len(json.dumps(value, indent=2))


# JUnit has no standard; this is what https://github.com/testmoapp/junitxml describes and readers
# share: a suite per rung, a case per test, and one case for the points, which are also in the
# suite's properties `score` and `max_score`.
# Not characters in XML 1.0, https://www.w3.org/TR/xml/#charsets ; `safe` spells out the others.
_NO_XML = re.compile("[\ufffe\uffff]")


def junit(book: Results) -> str:
    """The whole class as one document."""
    root = ElementTree.Element("testsuites", name="lockstep")
    for submission in book.entries:
        for lab, rung in submission.rungs:
            root.append(_suite(f"{submission.id} {lab.id}/{rung.id}", rung))
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key, 0)) for suite in root)))
    root.set("time", f"{sum(float(suite.get('time', 0)) for suite in root):.3f}")
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _suite(name: str, rung: RungResult) -> ElementTree.Element:
    cases = [_case(name, test) for test in rung.judgement.tests]
    cases.append(_points_case(name, rung))
    suite = ElementTree.Element(
        "testsuite",
        name=_xml(name),
        tests=str(len(cases)),
        failures=_count(cases, "failure"),
        errors=_count(cases, "error"),
        skipped=_count(cases, "skipped"),
        time=f"{rung.judgement.seconds:.3f}",
    )
    properties = ElementTree.SubElement(suite, "properties")
    if rung.score is not None:
        ElementTree.SubElement(properties, "property", name="score", value=number(rung.score))
    ElementTree.SubElement(properties, "property", name="max_score", value=number(rung.max_score))
    suite.extend(cases)
    return suite


def _case(suite: str, test: TestResult) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase", name=_xml(test.name), classname=_xml(suite), time=f"{test.seconds:.3f}"
    )
    tag = {Outcome.FAILED: "failure", Outcome.ERROR: "error", Outcome.SKIPPED: "skipped"}
    if test.outcome in tag:
        kind = test.findings[0].kind.value if test.findings else test.outcome.value
        element = ElementTree.SubElement(
            case, tag[test.outcome], type=kind, message=_xml(test.message.partition("\n")[0])
        )
        element.text = _xml(test.message)
    if test.output.strip():
        ElementTree.SubElement(case, "system-out").text = _xml(test.output)
    return case


def _points_case(suite: str, rung: RungResult) -> ElementTree.Element:
    case = ElementTree.Element("testcase", name="points", classname=_xml(suite), time="0.000")
    if rung.score != rung.max_score:
        tag = "error" if rung.score is None else "failure"
        kind = rung.findings[0].kind.value if rung.findings else rung.outcome.value
        message = points(rung.score, rung.max_score)
        element = ElementTree.SubElement(case, tag, type=kind, message=message)
        element.text = _xml(explanation(rung))
    return case


def _count(cases: Iterable[ElementTree.Element], tag: str) -> str:
    return str(sum(case.find(tag) is not None for case in cases))


def _xml(text: str) -> str:
    return _NO_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", safe(text))
