# SPDX-License-Identifier: MIT
"""The result of a GitHub Classroom runner: JSON in base64, one per submission.

What reads it is https://github.com/classroom-resources/autograding-grading-reporter . It takes the
result from an environment variable; its notice, which Classroom records, sums the tests' scores;
its tables show passed tests / all tests of the full mark. Both must show the same fraction, so
tests without a score make up for a rung with part of its points.
"""

import base64
import json
import math
from fractions import Fraction
from typing import Any

from lockstep_grader.results.export.model import Submission
from lockstep_grader.results.export.words import explanation, headline

# Linux takes no environment variable beyond 128 KiB, its name included.
MAX_BYTES = 125_000
_MESSAGE_CHARS = (4_000, 1_000, 200)
_COARSE = 1_000  # tests, where those that the exact fraction needs do not fit


def encoded(submission: Submission) -> str:
    """The result as one line of base64, bounded."""
    for max_chars in _MESSAGE_CHARS:
        text = _base64(result(submission, max_chars))
        if len(text) <= MAX_BYTES:
            return text
    return _base64(result(submission, _MESSAGE_CHARS[-1], _COARSE))


def result(
    submission: Submission, max_chars: int = _MESSAGE_CHARS[0], max_tests: int = 0
) -> dict[str, Any]:
    """The result; `max_tests` other than 0 bounds the tests and rounds the tables' fraction."""
    if submission.score is None:
        return _not_graded(submission, max_chars)
    tests = [
        {
            "name": name,
            "status": "pass" if rung.full else "fail",
            "score": rung.score or 0.0,
            "message": "" if rung.full else disarmed(explanation(rung, max_chars)),
            "test_code": "",
            "filename": f"{rung.id}.cu",
            "line_no": next((finding.line for finding in rung.findings if finding.line), 0),
            "duration": rung.seconds,
        }
        for name, rung in submission.rungs
    ]
    _settle(tests, submission.score)
    passed = sum(test["status"] == "pass" for test in tests)
    more_passed, more_failed = _made_up(submission, passed, len(tests) - passed, max_tests)
    tests += [{"name": "+", "status": "pass", "score": 0}] * more_passed
    tests += [{"name": "-", "status": "fail", "score": 0}] * more_failed
    full = submission.score == submission.max_score
    return {
        "version": 1,
        "status": "pass" if full else "fail",
        "max_score": submission.max_score,
        "tests": tests,
    }


def disarmed(text: str) -> str:
    """`text` whose lines are not commands to the workflow that prints them."""
    lines = text.replace("##[", "# #[").split("\n")
    return "\n".join(f"| {line}" if line.lstrip().startswith("::") else line for line in lines)


def _not_graded(submission: Submission, max_chars: int) -> dict[str, Any]:
    """Without a full mark the reporter records no points: what was there before stands."""
    tests = [
        {
            "name": name,
            "status": "error",
            "score": 0,
            "message": disarmed(explanation(rung, max_chars)),
        }
        for name, rung in submission.rungs
        if rung.score is None
    ]
    whole = {"name": "grading", "status": "error", "score": 0, "message": headline(submission)}
    return {"version": 1, "status": "error", "max_score": 0, "tests": [whole, *tests]}


def _settle(tests: list[dict[str, Any]], score: float) -> None:
    """Makes the sum, as the reporter adds it up in binary, exactly `score`."""
    for test in reversed(tests):
        if test["score"]:
            rest = math.fsum(-other["score"] for other in tests if other is not test)
            test["score"] = score + rest
            for _ in range(4):  # the last bits, if adding one after the other rounds differently
                test["score"] += score - _added_up(tests)
            return


def _added_up(tests: list[dict[str, Any]]) -> float:
    """The sum as JavaScript adds: one after the other. sum() compensates since Python 3.12."""
    points = 0.0
    for test in tests:
        points += test["score"]
    return points


def _made_up(submission: Submission, passed: int, failed: int, max_tests: int) -> tuple[int, int]:
    """How many tests of no score must pass and fail so that passed / all is score / full mark."""
    share = Fraction(round((submission.score or 0) * 100), round(submission.max_score * 100) or 1)
    if max_tests:
        share = share.limit_denominator(max_tests)
    good, bad = share.numerator, share.denominator - share.numerator
    times = max(-(-passed // good) if good else 0, -(-failed // bad) if bad else 0)
    return max(0, times * good - passed), max(0, times * bad - failed)


def _base64(value: dict[str, Any]) -> str:
    text = json.dumps(value, separators=(",", ":"))
    return base64.b64encode(text.encode("ascii")).decode("ascii")
