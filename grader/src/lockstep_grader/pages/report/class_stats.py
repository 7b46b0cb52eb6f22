# SPDX-License-Identifier: MIT
"""The class in figures: distribution, success rung by rung, causes, extremes. No I/O."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median

from lockstep_grader.model.grades import FindingKind, Lab, RungResult
from lockstep_grader.model.text import joined_lines
from lockstep_grader.pages.report.gauges import Gauge, gauges
from lockstep_grader.pages.report.words import State, is_right, is_unwritten, kind_words, state_of
from lockstep_grader.results.graded import Entry, Results

_BINS = 10
_COMMON = 15  # causes listed
_LEAST_VALUES = 2  # of a measure, or there is no slowest and fastest


@dataclass(frozen=True, slots=True)
class Bin:
    """Submissions whose share of the points is in [low, high) percent; the last holds 100 too."""

    low: int
    high: int
    count: int

    @property
    def label(self) -> str:
        return f"{self.low} to {self.high} %"


@dataclass(frozen=True, slots=True)
class RungStat:
    lab: str
    rung: str
    title: str
    counts: Mapping[State, int]
    mean: float | None  # points, of those graded
    max_score: float

    @property
    def total(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class CommonCause:
    kind: str
    lab: str
    rung: str
    entries: tuple[Entry, ...]
    example: str  # what the most of them were told


@dataclass(frozen=True, slots=True)
class Extreme:
    """The best and the worst of one measure at one rung, of those whose results are right."""

    lab: str
    rung: str
    words: str
    best: str
    best_entries: tuple[Entry, ...]
    middle: str
    worst: str
    worst_entries: tuple[Entry, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Summary:
    graded: int
    ungraded: int
    mean: float | None
    median: float | None
    full: int
    max_score: float


def share(entry: Entry) -> float | None:
    """In percent; None when the entry was not graded."""
    if entry.score is None or not entry.max_score:
        return None
    return 100 * entry.score / entry.max_score


def summarise(entries: Sequence[Entry]) -> Summary:
    scores = [entry.score for entry in entries if entry.score is not None]
    return Summary(
        graded=len(scores),
        ungraded=len(entries) - len(scores),
        mean=round(mean(scores), 2) if scores else None,
        median=round(median(scores), 2) if scores else None,
        full=sum(entry.score == entry.max_score for entry in entries),
        max_score=max([entry.max_score for entry in entries] or [0.0]),
    )


def distribution(entries: Iterable[Entry]) -> tuple[Bin, ...]:
    width = 100 // _BINS
    counts = Counter(
        min(_BINS - 1, int(part // width))
        for entry in entries
        if (part := share(entry)) is not None
    )
    return tuple(Bin(i * width, (i + 1) * width, counts[i]) for i in range(_BINS))


def rung_stats(entries: Sequence[Entry], labs: Sequence[Lab]) -> list[RungStat]:
    titles = {(lab.id, rung.id): rung.title for lab in labs for rung in lab.rungs}
    stats = []
    for (lab_id, rung_id), found in _by_rung(entries).items():
        states = Counter(state_of(result) for _, result in found)
        scores = [result.score for _, result in found if result.score is not None]
        stats.append(
            RungStat(
                lab_id,
                rung_id,
                titles.get((lab_id, rung_id), ""),
                {state: states[state] for state in State},
                round(mean(scores), 2) if scores else None,
                found[0][1].max_score,
            )
        )
    return stats


def common_causes(entries: Sequence[Entry]) -> list[CommonCause]:
    """Kinds of findings at a rung, by how many submissions have them, without those to do."""
    groups: dict[tuple[FindingKind, str, str], dict[str, tuple[Entry, str]]] = defaultdict(dict)
    order: dict[tuple[str, str], int] = {}
    for (lab_id, rung_id), found in _by_rung(entries).items():
        order[lab_id, rung_id] = len(order)
        for entry, result in found:
            if is_unwritten(result):
                continue
            for finding in result.findings:
                of_kind = groups[finding.kind, lab_id, rung_id]
                of_kind.setdefault(entry.id, (entry, finding.message))
    causes = []
    for (kind, lab_id, rung_id), found_in in groups.items():
        messages = Counter(message for _, message in found_in.values())
        example = min(messages, key=lambda message: (-messages[message], message))
        who = tuple(entry for entry, _ in found_in.values())
        words = joined_lines(example)
        causes.append(CommonCause(kind_words(kind), lab_id, rung_id, who, words))
    causes.sort(key=lambda each: (-len(each.entries), order[each.lab, each.rung], each.kind))
    return causes[:_COMMON]


def extremes(results: Results, labs: Sequence[Lab]) -> list[Extreme]:
    """For each rung the measure at which those who have it right differ most."""
    models = {(lab.id, rung.id): rung for lab in labs for rung in lab.rungs}
    found_extremes = []
    for (lab_id, rung_id), found in _by_rung(results.entries).items():
        measured: dict[str, list[tuple[Entry, Gauge]]] = defaultdict(list)
        for entry, result in found:
            if is_right(result) and (rung := models.get((lab_id, rung_id))):
                for bar in gauges(rung, result, results.backend):
                    measured[bar.name].append((entry, bar))
        comparable = [bars for bars in measured.values() if len(bars) >= _LEAST_VALUES]
        if comparable:
            found_extremes.append(_extreme(lab_id, rung_id, max(comparable, key=_spread)))
    return found_extremes


def _spread(measured: Sequence[tuple[Entry, Gauge]]) -> float:
    """How far apart the values are, as a share of what the first one's bar spans."""
    values = [bar.value for _, bar in measured]
    return (max(values) - min(values)) / measured[0][1].end


def _extreme(lab_id: str, rung_id: str, measured: Sequence[tuple[Entry, Gauge]]) -> Extreme:
    bar = measured[0][1]
    values = [each.value for _, each in measured]
    best, worst = max(values), min(values)
    if bar.lower_is_better:
        best, worst = worst, best

    def at(value: float) -> tuple[Entry, ...]:
        return tuple(entry for entry, each in measured if each.value == value)

    return Extreme(
        lab_id,
        rung_id,
        bar.words,
        bar.said(best),
        at(best),
        bar.said(median(values)),
        bar.said(worst),
        at(worst) if worst != best else (),
        len(values),
    )


def _by_rung(entries: Iterable[Entry]) -> dict[tuple[str, str], list[tuple[Entry, RungResult]]]:
    """Every judged rung, in order, with its submissions."""
    found: dict[tuple[str, str], list[tuple[Entry, RungResult]]] = defaultdict(list)
    for entry in entries:
        for lab, result in entry.rungs:
            found[lab.id, result.id].append((entry, result))
    return dict(sorted(found.items()))
