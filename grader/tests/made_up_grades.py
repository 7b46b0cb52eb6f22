# SPDX-License-Identifier: MIT
"""Grade documents as `grade --json` writes them, for the tests of exports."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lockstep_grader.results.graded import Results, results_of

NOWHERE = Path("no-results")
PARTS = ("correctness", "cleanliness", "efficiency")
# What a submission may put into a message, its output or a student into a name.
NASTY = (
    "<script>alert(1)</script> & \"quoted\", 'single' ]]>\n::set-output name=x::y\n"
    "  ::notice::you won\n##[error]no\n\x1b[31mred\x1b[0m \x00\x08\x0b\ufffe\uffff \u202egnp\u2028"
    " \U0001f600 \ud800 =cmd|' /C calc'!A0"
)

Points = tuple[float | None, float]


def finding(kind: str, message: str, line: int | None = 3) -> dict[str, Any]:
    return {"kind": kind, "file": "01_first.cu", "line": line, "message": message}


def judged(name: str, outcome: str = "passed", message: str = "", **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "part": "correctness",
        "outcome": outcome,
        "message": message,
        "seconds": 0.25,
        "findings": [],
        "output": "",
        "measures": {},
        "counters": {},
        "places": {},
        "images": [],
        **more,
    }


def rung(
    name: str,
    correctness: Points,
    cleanliness: Points = (0, 0),
    efficiency: Points = (0, 0),
    **more: Any,
) -> dict[str, Any]:
    parts = dict(zip(PARTS, (correctness, cleanliness, efficiency), strict=True))
    scores = [score for score, _ in parts.values()]
    graded = None not in scores
    most = round(sum(most for _, most in parts.values()), 2)
    score = round(sum(score or 0 for score in scores), 2) if graded else None
    outcome = "error" if not graded else "passed" if score == most else "failed"
    return {
        "id": name,
        "score": score,
        "max_score": most,
        "outcome": outcome,
        "parts": {part: {"score": s, "max_score": m} for part, (s, m) in parts.items()},
        "fault": "" if graded else "the judge ended with status -9",
        "findings": [],
        "counters": {},
        "tests": [judged("Demo.Case/1")],
        "seed": "1",
        "seconds": 1.5,
        **more,
    }


def total(entries: Sequence[dict[str, Any]], key: str = "score") -> float | None:
    values = [entry[key] for entry in entries]
    return None if None in values else round(sum(values), 2)


def lab(name: str, rungs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": name,
        "score": total(rungs),
        "max_score": total(rungs, "max_score"),
        "rungs": list(rungs),
    }


def submission(name: str, labs: Sequence[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "score": total(labs),
        "max_score": total(labs, "max_score"),
        "labs": list(labs),
        **more,
    }


def document(submissions: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "version": 1,
        "backend": "cpu",
        "toolchain": {"grader": "1", "compiler": {}, "digest": "0" * 64},
        "seed": None,
        "submissions": list(submissions),
    }


def graded(data: object) -> Results:
    return results_of(data, NOWHERE)


def who(name: str, number: int) -> dict[str, str]:
    first = name.split()[0].lower()
    return {
        "name": name,
        "email": f"{first}@example.edu",
        "lms_id": str(number),
        "login": first,
        "section": "A",
    }


def a_class() -> dict[str, Any]:
    """Four students of two labs: all right, partly right, hostile, and one not graded."""
    full = rung("01_first", (2, 2), (0.5, 0.5), (0.5, 0.5))
    scan = lab("02-scan", [rung("01_only", (4.25, 4.25))])
    partly = rung(
        "02_second",
        (1.29, 3),
        (0, 0.5),
        (0, 0.5),
        findings=[finding("race", "threads 3 and 4 both write tile[3]", 31)],
        tests=[judged("Demo.Case/1"), judged("Demo.Case/2", "failed", "the tail is missing")],
    )
    hostile = rung(
        "01_first",
        (0.07, 2),
        (0, 0.5),
        (0, 0.5),
        findings=[finding("crash", NASTY)],
        tests=[judged(NASTY, "failed", NASTY, output=NASTY * 500)],
    )
    unknown = rung("02_second", (None, 3), (None, 0.5), (None, 0.5), tests=[])
    right = rung("02_second", (3, 3), (0.5, 0.5), (0.5, 0.5))
    none = lab("02-scan", [rung("01_only", (0, 4.25))])
    demo = "01-demo"
    return document(
        [
            submission("ann", [lab(demo, [full, right]), scan], student=who("Ann Ames", 11)),
            submission("bob", [lab(demo, [full, partly]), none], student=who("Bob, Jr. Bee", 12)),
            submission(
                "=cmd",
                [lab(demo, [hostile, partly]), scan],
                student=who('=HYPERLINK("x") <script>', 13),
            ),
            submission("dan", [lab(demo, [full, unknown]), scan], student=who("Dan Dee", 14)),
        ]
    )


def made_up(seed: int) -> dict[str, Any]:
    """A lab of up to 23 points, with parts of points as odd as they come."""
    rand = random.Random(seed)
    rungs = []
    for index in range(rand.randint(1, 7)):
        points: list[Points] = []
        for most in (rand.choice((1, 1.5, 2)), 0.5, rand.choice((0, 0.5, 0.75))):
            share = rand.choice((0, 0, 1, 1, 1, rand.random()))
            points.append((round(most * share, 2), most))
        rungs.append(rung(f"{index:02}_rung", *points))
    return document([submission("someone", [lab("01-demo", rungs)])])


def demo(
    name: str, first: float | None = 4, second: float | None = 6, **more: Any
) -> dict[str, Any]:
    """A submission of conftest's lab, 4 and 6 points, without grading it."""
    todo = [finding("todo", "TODO: sum up")]
    rungs = [
        rung("01_first", (first, 4), findings=[] if first else todo),
        rung("02_second", (second, 6), findings=[] if second else todo),
    ]
    return submission(name, [lab("01-demo", rungs)], **more)


def write_results(folder: Path, *submissions: dict[str, Any]) -> Path:
    """A results folder with these."""
    folder.mkdir(parents=True)
    (folder / "grade.json").write_text(json.dumps(document(submissions)))
    return folder
