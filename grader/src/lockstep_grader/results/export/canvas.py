# SPDX-License-Identifier: MIT
"""Grades and comments to Canvas through its documented API, in one request for the class.

POST /api/v1/courses/:course/assignments/:assignment/submissions/update_grades takes grades and
comments by the students' numbers (https://canvas.instructure.com/doc/api/submissions.html). Canvas
adds a comment each time, so `export` sends nothing without --send.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.text import one_line
from lockstep_grader.results.export.left_out import LeftOut
from lockstep_grader.results.export.model import Gradebook, Submission
from lockstep_grader.results.export.words import explanation, headline, number

INSTALL = ".venv/bin/python -m pip install -r grader/requirements-canvas.txt"
_MAX_COMMENT_CHARS = 8_000
_ADDRESS = re.compile(
    r"(?P<url>https?://[^/\s]+)/courses/(?P<course>\d+)/assignments/(?P<id>\d+)/?"
)


@dataclass(frozen=True, slots=True)
class Target:
    """Where grades go: the site, and what Canvas shows in the addresses of its pages."""

    url: str
    course: int
    assignment: int


@dataclass(frozen=True, slots=True)
class Post:
    """What one student gets."""

    id: str
    user: str  # Canvas's number of the student
    points: float
    comment: str


def target_of(address: str) -> Target:
    """The assignment whose page has this address in a browser. Raises InputError."""
    match = _ADDRESS.fullmatch(address)
    if match is None:
        example = "https://canvas.example.edu/courses/12/assignments/345"
        raise InputError(f"{address!r} is not the address of an assignment, as in {example}")
    if not match["url"].startswith("https://") and urlsplit(address).hostname != "127.0.0.1":
        raise InputError(f"{match['url']}: the token may only travel by https")
    return Target(match["url"], int(match["course"]), int(match["id"]))


def posts(book: Gradebook) -> tuple[tuple[Post, ...], tuple[LeftOut, ...]]:
    """What there is to send, and the students that are left out, with the reason."""
    made, left_out = [], []
    for entry in book.submissions:
        user = entry.student.lms_id
        if entry.score is None:
            left_out.append(LeftOut(entry.id, "not graded"))
        elif entry.is_missing:
            left_out.append(LeftOut(entry.id, "handed in nothing"))
        elif not user.isdecimal():
            left_out.append(LeftOut(entry.id, "Canvas's number is not known; use a roster"))
        else:
            made.append(Post(entry.id, user, entry.score, _comment(entry)))
    return tuple(made), tuple(left_out)


def preview(made: Sequence[Post], target: Target) -> Iterator[str]:
    """What would be sent, a line per student."""
    yield f"to {target.url} course {target.course}, assignment {target.assignment}:"
    for post in made:
        first = one_line(post.comment.partition("\n")[0])[:80]
        yield f"{post.id} ({post.user}): {number(post.points)} points; {first}"


def send(made: Sequence[Post], target: Target, token: str) -> None:
    """Sends all in one request. Raises InputError or FaultError; then nothing was changed."""
    try:
        from canvasapi import Canvas
        from canvasapi.exceptions import CanvasException
        from requests.exceptions import RequestException
    except ImportError as error:
        raise InputError(f"Canvas's API takes the package canvasapi: {INSTALL}") from error
    grades: dict[str, Any] = {
        post.user: {"posted_grade": number(post.points), "text_comment": post.comment}
        for post in made
    }
    try:
        course = Canvas(target.url, token).get_course(target.course)
        course.get_assignment(target.assignment).submissions_bulk_update(grade_data=grades)
    except CanvasException as error:
        raise FaultError(f"Canvas refuses: {one_line(str(error))[:300]}") from error
    except RequestException as error:
        raise FaultError(f"cannot reach {target.url}: {one_line(str(error))[:300]}") from error


def _comment(entry: Submission) -> str:
    """The points, what the course's rules changed, and why each rung lacks points."""
    lines = [headline(entry)]
    if entry.mark:
        lines += [note for lab in entry.mark.labs for note in lab.notes]
    lines += [each.said for each in entry.comments]
    for lab in entry.labs:
        shown = (rung for rung in lab.rungs if rung.id not in lab.hidden and not rung.full)
        lines += [f"{lab.id}/{rung.id}\n{explanation(rung)}" for rung in shown]
    text = "\n\n".join(lines)
    return text if len(text) <= _MAX_COMMENT_CHARS else f"{text[:_MAX_COMMENT_CHARS]}\n[...]"
