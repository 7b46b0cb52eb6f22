# SPDX-License-Identifier: MIT
"""The class as numbers, to plan the next term: a page without names, and the same as JSON."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from lockstep_grader.model.grades import Lab
from lockstep_grader.pages.report.items import (
    LEAST_STUDENTS,
    RULES,
    Curve,
    FailedTest,
    Failures,
    Ladder,
    Repair,
    RungAttempts,
    curves,
    failed_tests,
    failures,
    ladders,
    read_history,
    repairs,
    rung_attempts,
)
from lockstep_grader.pages.report.render import Renderer
from lockstep_grader.results.graded import Results

JSON_VERSION = 1


@dataclass(frozen=True, slots=True)
class Analysis:
    ladders: tuple[Ladder, ...]
    failures: tuple[Failures, ...]
    tests: tuple[FailedTest, ...]
    attempts: tuple[RungAttempts, ...]
    repairs: tuple[Repair, ...]
    curves: tuple[Curve, ...]


def analyse(results: Results, labs: Sequence[Lab]) -> Analysis:
    """Reads earlier attempts from the results folder."""
    history = read_history(results)
    return Analysis(
        ladders(results.entries, labs),
        failures(results.entries),
        failed_tests(results.entries),
        rung_attempts(history),
        repairs(history),
        curves(history),
    )


def analysis_page(renderer: Renderer, results: Results, analysis: Analysis, index: str) -> str:
    """`index` is the file name of the class's page."""
    times = [at for curve in analysis.curves for at, _ in curve.points]
    return renderer.page(
        "analysis.html.j2",
        results=results,
        analysis=analysis,
        span=(min(times), max(times)) if times else (),
        curves={(curve.lab, curve.rung): curve for curve in analysis.curves},
        rules=RULES,
        least=LEAST_STUDENTS,
        index=index,
    )


def analysis_json(results: Results, analysis: Analysis) -> dict[str, Any]:
    """schemas/analysis.schema.json describes it."""
    return {
        "version": JSON_VERSION,
        "backend": results.backend.value,
        "graded_at": results.graded_at,
        "labs": [_ladder(ladder) for ladder in analysis.ladders],
        "failures": [
            {"lab": each.lab, "rung": rung, "cause": cause, "submissions": counts[column]}
            for each in analysis.failures
            for cause, counts in each.rows
            for column, rung in enumerate(each.rungs)
            if counts[column]
        ],
        "tests": [asdict(test) for test in analysis.tests],
        "attempts": [_attempts(each) for each in analysis.attempts],
        "repairs": [asdict(each) for each in analysis.repairs],
        "curves": [_curve(curve) for curve in analysis.curves],
    }


def _ladder(ladder: Ladder) -> dict[str, Any]:
    return {
        "lab": ladder.lab,
        "students": ladder.students,
        "finished": ladder.finished,
        "reliability": ladder.reliability,
        "rungs": [{**asdict(item), "advice": list(item.advice)} for item in ladder.items],
    }


def _attempts(attempts: RungAttempts) -> dict[str, Any]:
    return {**asdict(attempts), "rounds": [asdict(each) for each in attempts.rounds]}


def _curve(curve: Curve) -> dict[str, Any]:
    points = [{"at": _stamp(at), "right": count} for at, count in curve.points]
    return {**asdict(curve), "points": points}


def _stamp(at: datetime) -> str:
    return at.isoformat(timespec="seconds")
