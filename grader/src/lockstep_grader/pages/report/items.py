# SPDX-License-Identifier: MIT
"""Rungs as the items of a test: where students stop, how hard each is, what attempts change.

Discrimination is the correlation of a rung's points with those of the lab's other rungs
(Henrysson 1963, Psychometrika 28, 211-218); reliability is coefficient alpha (Cronbach 1951,
Psychometrika 16, 297-334).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import correlation, fmean, median, pvariance

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
from lockstep_grader.pages.report.words import is_right, is_unwritten, kind_words
from lockstep_grader.results.graded import Entry, LabEntry, Results
from lockstep_grader.results.others import Attempt, read_attempts

LEAST_STUDENTS = 10  # fewer, and a correlation is an accident
EASY, WEAK, CROWDED = 0.95, 0.1, 0.25
_MOST_TESTS = 15  # listed
RULES = (
    f"nearly all have it: the mean is {EASY:.0%} of the points or more",
    f"it does not separate students: the discrimination is below {WEAK:g}",
    f"many stop here: it is the first rung without right results for {CROWDED:.0%} or more",
)
_EASY, _WEAK, _CROWDED = (rule.partition(":")[0] for rule in RULES)


@dataclass(frozen=True, slots=True)
class Item:
    """One rung. Counts are of students with a grade for it; each is at most the one before."""

    rung: str
    title: str
    graded: int
    written: int  # changed the starter
    right: int  # results are correct
    clean: int  # and no checker found anything
    full: int
    stuck: int  # their first rung without right results is this one
    share: float | None  # the mean share of the points: high is easy; None: no grade
    discrimination: float | None  # None: too few students, or all have the same points
    advice: tuple[str, ...]  # the rules above that hold


@dataclass(frozen=True, slots=True)
class Ladder:
    lab: str
    title: str
    students: int  # who handed in
    finished: int  # have right results in all rungs
    reliability: float | None
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Failures:
    """How many submissions fail at each rung of a lab, by the first cause."""

    lab: str
    rungs: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]  # cause, and a count per rung


@dataclass(frozen=True, slots=True)
class FailedTest:
    lab: str
    rung: str
    test: str
    failed: int
    ran: int


def ladders(entries: Sequence[Entry], labs: Iterable[Lab]) -> tuple[Ladder, ...]:
    known = {lab.id: lab for lab in labs}
    return tuple(
        _ladder(lab_id, known.get(lab_id), found) for lab_id, found in _by_lab(entries).items()
    )


def _ladder(lab_id: str, lab: Lab | None, found: Sequence[LabEntry]) -> Ladder:
    titles = {rung.id: rung.title for rung in lab.rungs} if lab else {}
    by_rung = _by_rung(found)
    stuck = Counter(_first_wrong(each) for each in found)
    # Only students with a grade for every rung can be compared.
    whole = [each.rungs for each in found if len(each.rungs) == len(by_rung)]
    table = [
        {result.id: _share(result) for result in results}
        for results in whole
        if all(result.score is not None for result in results)
    ]
    items = []
    for rung, results in by_rung.items():
        graded = [result for result in results if result.score is not None]
        share = fmean(map(_share, graded)) if graded else None
        discrimination = _discrimination(rung, table)
        right = [result for result in graded if is_right(result)]
        items.append(
            Item(
                rung,
                titles.get(rung, ""),
                len(graded),
                sum(not is_unwritten(result) for result in graded),
                len(right),
                sum(_is_clean(result) for result in right),
                sum(result.score == result.max_score for result in graded),
                stuck[rung],
                _rounded(share),
                _rounded(discrimination),
                tuple(_advice(share, discrimination, stuck[rung], len(graded))),
            )
        )
    title = lab.title if lab else lab_id
    reliability = _rounded(_alpha(table))
    return Ladder(lab_id, title, len(found), stuck[""], reliability, tuple(items))


def failures(entries: Sequence[Entry]) -> tuple[Failures, ...]:
    """For each lab; rungs that are as they were handed out do not count."""
    made = []
    for lab, found in _by_lab(entries).items():
        by_rung = _by_rung(found)
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for rung, results in by_rung.items():
            for result in results:
                if cause := _cause(result):
                    counts[cause][rung] += 1
        order = sorted(counts, key=lambda cause: (-counts[cause].total(), cause))
        rows = tuple((cause, tuple(counts[cause][rung] for rung in by_rung)) for cause in order)
        made.append(Failures(lab, tuple(by_rung), rows))
    return tuple(made)


def failed_tests(entries: Sequence[Entry]) -> tuple[FailedTest, ...]:
    """The tests that most submissions fail, of rungs that were written."""
    made = []
    for lab, found in _by_lab(entries).items():
        for rung, results in _by_rung(found).items():
            failed: Counter[str] = Counter()
            ran: Counter[str] = Counter()
            for result in results:
                if not is_unwritten(result):
                    for test in result.judgement.tests:
                        failed[test.name] += test.outcome is Outcome.FAILED
                        ran[test.name] += test.outcome is not Outcome.ERROR
            made += [FailedTest(lab, rung, test, failed[test], ran[test]) for test in +failed]
    made.sort(key=lambda each: (-each.failed, each.lab, each.rung, each.test))
    return tuple(made[:_MOST_TESTS])


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


_MOST_ROUNDS = 5
_HOUR = 3600
_BARE = Points(1, 1, 0)  # gates change over a term; whether results are right does not


@dataclass(frozen=True, slots=True)
class Seen:
    """One attempt of one student at one rung."""

    at: datetime | None
    is_written: bool
    is_right: bool
    kinds: frozenset[FindingKind]


History = Mapping[tuple[str, str], Sequence[Sequence[Seen]]]  # by lab and rung, a list per student


@dataclass(frozen=True, slots=True)
class Round:
    """Of the students who came to this attempt: how many had right results after it."""

    number: int
    students: int
    right: int


@dataclass(frozen=True, slots=True)
class RungAttempts:
    lab: str
    rung: str
    rounds: tuple[Round, ...]
    until_right: float | None  # the median number of attempts of those who got there
    hours_between: float | None  # the median; None: no student came twice, or no times are known


@dataclass(frozen=True, slots=True)
class Repair:
    """A kind of finding: how often a student handed in again after it, and it was gone."""

    kind: str
    again: int
    gone: int


@dataclass(frozen=True, slots=True)
class Curve:
    """How many students had right results for a rung by each time, which grows."""

    lab: str
    rung: str
    students: int
    points: tuple[tuple[datetime, int], ...]


def read_history(results: Results) -> History:
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


def rung_attempts(history: History) -> tuple[RungAttempts, ...]:
    made = []
    for (lab, rung), students in history.items():
        until = [number for each in students if (number := _until_right(each))]
        gaps = [gap for each in students for gap in _gaps(each)]
        made.append(
            RungAttempts(
                lab,
                rung,
                tuple(_rounds(students)),
                median(until) if until else None,
                round(median(gaps) / _HOUR, 1) if gaps else None,
            )
        )
    return tuple(made)


def repairs(history: History) -> tuple[Repair, ...]:
    again: Counter[FindingKind] = Counter()
    gone: Counter[FindingKind] = Counter()
    for students in history.values():
        for seen in students:
            for before, after in pairwise(seen):
                again.update(before.kinds)
                gone.update(before.kinds - after.kinds)
    order = sorted(again, key=lambda kind: (-again[kind], kind))
    return tuple(Repair(kind_words(kind), again[kind], gone[kind]) for kind in order)


def curves(history: History) -> tuple[Curve, ...]:
    """Only where times are known for all who got there, and differ."""
    made = []
    for (lab, rung), students in history.items():
        first = [next((each.at for each in seen if each.is_right), None) for seen in students]
        times = sorted(at for at in first if at)
        right = sum(any(each.is_right for each in seen) for seen in students)
        if len(times) == right and len(set(times)) > 1:
            counts = {at: number for number, at in enumerate(times, start=1)}  # the last of equals
            made.append(Curve(lab, rung, len(students), tuple(counts.items())))
    return tuple(made)


def _rounds(students: Sequence[Sequence[Seen]]) -> Iterator[Round]:
    for number in range(1, _MOST_ROUNDS + 1):
        came = [seen[number - 1] for seen in students if len(seen) >= number]
        if came:
            yield Round(number, len(came), sum(each.is_right for each in came))


def _until_right(seen: Iterable[Seen]) -> int | None:
    return next((number for number, each in enumerate(seen, start=1) if each.is_right), None)


def _gaps(seen: Iterable[Seen]) -> Iterator[float]:
    """Seconds between an attempt and the next."""
    for before, after in pairwise(seen):
        if before.at and after.at and after.at > before.at:
            yield (after.at - before.at).total_seconds()
