# SPDX-License-Identifier: MIT
"""What changes from attempt to attempt: right results, findings that stay or go, and the time."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import median

from lockstep_grader.model.grades import Backend, FindingKind, Points, Rung
from lockstep_grader.model.score import score_rung
from lockstep_grader.pages.report.words import is_right, is_unwritten, kind_words
from lockstep_grader.results.graded import Results
from lockstep_grader.results.others import Attempt, read_attempts

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
