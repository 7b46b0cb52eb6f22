# SPDX-License-Identifier: MIT
"""The class as numbers, to plan the next term: a page without names, and the same as JSON.

Rungs are the items of a test. Discrimination is the correlation of a rung's points with those of
the lab's other rungs (Henrysson 1963, Psychometrika 28, 211-218); reliability is coefficient alpha
(Cronbach 1951, Psychometrika 16, 297-334). schemas/analysis.schema.json describes each field.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import correlation, fmean, median, pvariance
from typing import Any

from lockstep_grader.model.grades import (
    Backend,
    FindingKind,
    Lab,
    Outcome,
    Part,
    Points,
    Rung,
    RungResult,
)
from lockstep_grader.model.score import score_rung
from lockstep_grader.pages.report.render import Renderer
from lockstep_grader.pages.report.words import is_right, is_unwritten, kind_words
from lockstep_grader.results.graded import Entry, LabEntry, Results
from lockstep_grader.results.others import Attempt, read_attempts

JSON_VERSION = 1
LEAST_STUDENTS = 10  # fewer, and a correlation is an accident
EASY, WEAK, CROWDED = 0.95, 0.1, 0.25
_MOST_TESTS = 15  # listed
RULES = (
    f"nearly all have it: the mean is {EASY:.0%} of the points or more",
    f"it does not separate students: the discrimination is below {WEAK:g}",
    f"many stop here: it is the first rung without right results for {CROWDED:.0%} or more",
)
_EASY, _WEAK, _CROWDED = (rule.partition(":")[0] for rule in RULES)
_MOST_ROUNDS = 5
_HOUR = 3600
_BARE = Points(1, 1, 0)  # gates change over a term; whether results are right does not

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Seen:
    """One attempt of one student at one rung."""

    at: datetime | None
    is_written: bool
    is_right: bool
    kinds: frozenset[FindingKind]


History = Mapping[tuple[str, str], Sequence[Sequence[Seen]]]  # by lab and rung, a list per student


def analyse(results: Results, labs: Sequence[Lab]) -> Record:
    """The JSON. Reads earlier attempts from the results folder."""
    titles = {(lab.id, rung.id): rung.title for lab in labs for rung in lab.rungs}
    by_lab = _by_lab(results.entries)
    history = _read_history(results)
    return {
        "version": JSON_VERSION,
        "backend": results.backend.value,
        "graded_at": results.graded_at,
        "labs": [_ladder(lab, titles, found) for lab, found in by_lab.items()],
        "failures": [each for lab, found in by_lab.items() for each in _failures(lab, found)],
        "tests": _failed_tests(by_lab),
        "attempts": [_attempts(lab, rung, seen) for (lab, rung), seen in history.items()],
        "repairs": _repairs(history),
        "curves": list(_curves(history)),
    }


def analysis_page(
    renderer: Renderer, results: Results, labs: Sequence[Lab], analysis: Record, index: str
) -> str:
    """`index` is the file name of the class's page."""
    curves = {
        (each["lab"], each["rung"]): (
            each["students"],
            [(datetime.fromisoformat(step["at"]), step["right"]) for step in each["points"]],
        )
        for each in analysis["curves"]
    }
    times = [at for _, points in curves.values() for at, _ in points]
    return renderer.page(
        "analysis.html.j2",
        results=results,
        analysis=analysis,
        titles={lab.id: lab.title for lab in labs},
        span=(min(times), max(times)) if times else (),
        curves=curves,
        rules=RULES,
        least=LEAST_STUDENTS,
        index=index,
    )


def _ladder(
    lab_id: str, titles: Mapping[tuple[str, str], str], found: Sequence[LabEntry]
) -> Record:
    """How far students came. Counts are of those with a grade for a rung, each at most the last."""
    by_rung = _by_rung(found)
    stuck = Counter(_first_wrong(each) for each in found)
    # Only students with a grade for every rung can be compared.
    whole = [each.rungs for each in found if len(each.rungs) == len(by_rung)]
    table = [
        {result.id: _share(result) for result in results}
        for results in whole
        if all(result.score is not None for result in results)
    ]
    rungs = []
    for rung, results in by_rung.items():
        graded = [result for result in results if result.score is not None]
        share = fmean(map(_share, graded)) if graded else None
        discrimination = _discrimination(rung, table)
        right = [result for result in graded if is_right(result)]
        rungs.append(
            {
                "rung": rung,
                "title": titles.get((lab_id, rung), ""),
                "graded": len(graded),
                "written": sum(not is_unwritten(result) for result in graded),
                "right": len(right),
                "clean": sum(_is_clean(result) for result in right),
                "full": sum(result.score == result.max_score for result in graded),
                "stuck": stuck[rung],
                "share": _rounded(share),
                "discrimination": _rounded(discrimination),
                "advice": list(_advice(share, discrimination, stuck[rung], len(graded))),
            }
        )
    return {
        "lab": lab_id,
        "students": len(found),
        "finished": stuck[""],
        "reliability": _rounded(_alpha(table)),
        "rungs": rungs,
    }


def _failures(lab: str, found: Sequence[LabEntry]) -> Iterator[Record]:
    """The most frequent first causes; rungs that are as they were handed out do not count."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    by_rung = _by_rung(found)
    for rung, results in by_rung.items():
        for cause in filter(None, map(_cause, results)):
            counts[cause][rung] += 1
    for cause in sorted(counts, key=lambda cause: (-counts[cause].total(), cause)):
        for rung in by_rung:
            if number := counts[cause][rung]:
                yield {"lab": lab, "rung": rung, "cause": cause, "submissions": number}


def _failed_tests(by_lab: Mapping[str, Sequence[LabEntry]]) -> list[Record]:
    """The tests that most submissions fail, of rungs that were written."""
    failed: Counter[tuple[str, str, str]] = Counter()
    ran: Counter[tuple[str, str, str]] = Counter()
    for lab, found in by_lab.items():
        for rung, results in _by_rung(found).items():
            for result in results:
                if not is_unwritten(result):
                    for test in result.judgement.tests:
                        failed[lab, rung, test.name] += test.outcome is Outcome.FAILED
                        ran[lab, rung, test.name] += test.outcome is not Outcome.ERROR
    most = sorted(+failed, key=lambda place: (-failed[place], place))[:_MOST_TESTS]
    return [
        dict(zip(("lab", "rung", "test"), place, strict=True))
        | {"failed": failed[place], "ran": ran[place]}
        for place in most
    ]


def _by_lab(entries: Iterable[Entry]) -> Mapping[str, list[LabEntry]]:
    """The labs of everyone who handed in something."""
    found: dict[str, list[LabEntry]] = defaultdict(list)
    for entry in entries:
        if not entry.is_missing and not entry.problem:
            for lab in entry.labs:
                found[lab.id].append(lab)
    return dict(sorted(found.items()))


def _by_rung(found: Iterable[LabEntry]) -> Mapping[str, list[RungResult]]:
    by_rung: dict[str, list[RungResult]] = defaultdict(list)
    for lab in found:
        for result in lab.rungs:
            by_rung[result.id].append(result)
    return dict(sorted(by_rung.items()))


def _first_wrong(lab: LabEntry) -> str:
    """The first rung without right results; empty where all are right."""
    graded = (result for result in lab.rungs if result.score is not None)
    return next((result.id for result in graded if not is_right(result)), "")


def _is_clean(result: RungResult) -> bool:
    part = result.parts[Part.CLEANLINESS]
    return part.score == part.max_score


def _cause(result: RungResult) -> str:
    """The first cause in a few words; empty for a rung that has none, or that is not written."""
    if result.score is None or is_unwritten(result):
        return ""
    if result.findings:
        return kind_words(result.findings[0].kind)
    failed = any(test.outcome is Outcome.FAILED for test in result.judgement.tests)
    return "failed test" if failed else ""


def _share(result: RungResult) -> float:
    return (result.score or 0.0) / result.max_score if result.max_score else 0.0


def _discrimination(rung: str, table: Sequence[Mapping[str, float]]) -> float | None:
    if len(table) < LEAST_STUDENTS:
        return None
    own = [row[rung] for row in table]
    rest = [sum(row.values()) - row[rung] for row in table]
    return correlation(own, rest) if min(own) < max(own) and min(rest) < max(rest) else None


def _alpha(table: Sequence[Mapping[str, float]]) -> float | None:
    count = len(table[0]) if table else 0
    if len(table) < LEAST_STUDENTS or count < 2:
        return None
    whole = pvariance([sum(row.values()) for row in table])
    parts = sum(pvariance([row[rung] for row in table]) for rung in table[0])
    return count / (count - 1) * (1 - parts / whole) if whole else None


def _advice(
    share: float | None, discrimination: float | None, stuck: int, graded: int
) -> Iterator[str]:
    if share is None or graded < LEAST_STUDENTS:
        return
    if share >= EASY:
        yield _EASY
    elif discrimination is not None and discrimination < WEAK:
        yield _WEAK
    if stuck >= CROWDED * graded:
        yield _CROWDED


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _read_history(results: Results) -> History:
    found: dict[tuple[str, str], list[list[Seen]]] = {}
    for entry in results.entries:
        for lab, result in entry.rungs if not entry.is_missing else ():
            tries = read_attempts(results.folder, entry.id, lab.id, result.id)
            seen = [_seen(result.id, each, results.backend) for each in tries]
            while seen and not seen[0].is_written:  # the starter, or no file, is no attempt
                del seen[0]
            if seen:
                found.setdefault((lab.id, result.id), []).append(seen)
    return dict(sorted(found.items()))


def _seen(rung: str, attempt: Attempt, backend: Backend) -> Seen:
    result = score_rung(Rung(rung, rung, _BARE), attempt.judgement, backend)
    kinds = frozenset(each.kind for each in result.findings)
    return Seen(attempt.at, not is_unwritten(result), is_right(result), kinds)


def _attempts(lab: str, rung: str, students: Sequence[Sequence[Seen]]) -> Record:
    """Medians: attempts of those who got there, and hours between them, if times are known."""
    until = [number for each in students if (number := _until_right(each))]
    gaps = [gap for each in students for gap in _gaps(each)]
    return {
        "lab": lab,
        "rung": rung,
        "rounds": list(_rounds(students)),
        "until_right": median(until) if until else None,
        "hours_between": round(median(gaps) / _HOUR, 1) if gaps else None,
    }


def _repairs(history: History) -> list[Record]:
    """How often a student handed in again after a kind of finding, and it was gone."""
    again: Counter[FindingKind] = Counter()
    gone: Counter[FindingKind] = Counter()
    for students in history.values():
        for seen in students:
            for before, after in pairwise(seen):
                again.update(before.kinds)
                gone.update(before.kinds - after.kinds)
    return [
        {"kind": kind_words(kind), "again": again[kind], "gone": gone[kind]}
        for kind in sorted(again, key=lambda kind: (-again[kind], kind))
    ]


def _curves(history: History) -> Iterator[Record]:
    """How many students had right results by each time.

    Only where times are known for all who got there, and differ.
    """
    for (lab, rung), students in history.items():
        first = [next((each.at for each in seen if each.is_right), None) for seen in students]
        times = sorted(at for at in first if at)
        right = sum(any(each.is_right for each in seen) for seen in students)
        if len(times) == right and len(set(times)) > 1:
            counts = {at: number for number, at in enumerate(times, start=1)}  # the last of equals
            points = [
                {"at": at.isoformat(timespec="seconds"), "right": number}
                for at, number in counts.items()
            ]
            yield {"lab": lab, "rung": rung, "students": len(students), "points": points}


def _rounds(students: Sequence[Sequence[Seen]]) -> Iterator[Record]:
    """Of the students who came to each attempt: how many had right results after it."""
    for number in range(1, _MOST_ROUNDS + 1):
        came = [seen[number - 1] for seen in students if len(seen) >= number]
        if came:
            right = sum(each.is_right for each in came)
            yield {"number": number, "students": len(came), "right": right}


def _until_right(seen: Iterable[Seen]) -> int | None:
    return next((number for number, each in enumerate(seen, start=1) if each.is_right), None)


def _gaps(seen: Iterable[Seen]) -> Iterator[float]:
    """Seconds between an attempt and the next."""
    for before, after in pairwise(seen):
        if before.at and after.at and after.at > before.at:
            yield (after.at - before.at).total_seconds()
