# SPDX-License-Identifier: MIT
"""The class in figures: distribution, rungs, causes, answers, extremes, who needs help. No I/O."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median

from lockstep_grader.model.grades import FindingKind, Lab, RungResult
from lockstep_grader.model.quiz import Answered, Kind, Mark, QuizResult, Sheet
from lockstep_grader.model.text import joined_lines
from lockstep_grader.pages.report.rung_view import Gauge, gauges
from lockstep_grader.pages.report.words import (
    State,
    is_right,
    is_unwritten,
    kind_words,
    points,
    state_of,
)
from lockstep_grader.results.graded import Entry, Results

_BINS = 10
_COMMON = 15  # causes listed
_LEAST_VALUES = 2  # of a measure, or there is no slowest and fastest


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
        full=sum(entry.is_full for entry in entries),
        max_score=max([entry.max_score for entry in entries] or [0.0]),
    )


def distribution(entries: Iterable[Entry]) -> list[int]:
    """How many have their share of the points in each tenth of it; the last has 100 percent too."""
    shares = [part for entry in entries if (part := share(entry)) is not None]
    counts = Counter(min(_BINS - 1, int(part * _BINS / 100)) for part in shares)
    return [counts[number] for number in range(_BINS)]


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
    """First causes at a rung, by how many submissions have them, without those to do."""
    groups: dict[tuple[FindingKind, str, str], dict[str, tuple[Entry, str]]] = defaultdict(dict)
    order: dict[tuple[str, str], int] = {}
    for (lab_id, rung_id), found in _by_rung(entries).items():
        order[lab_id, rung_id] = len(order)
        for entry, result in found:
            if is_unwritten(result):
                continue
            for finding in result.findings[:1]:  # others may follow from it
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


@dataclass(frozen=True, slots=True)
class QuestionStat:
    id: str
    kind: Kind
    counts: Mapping[Mark, int]
    mistake: str  # the explanation that most wrong answers got; empty: none has one
    mistakes: int  # how many got it

    @property
    def is_scored(self) -> bool:
        return self.kind is not Kind.EXPLAIN

    @property
    def share(self) -> float | None:
        """Of the answers that could be checked, in percent; None where there is none."""
        checked = self.counts[Mark.RIGHT] + self.counts[Mark.WRONG]
        return 100 * self.counts[Mark.RIGHT] / checked if checked else None


@dataclass(frozen=True, slots=True)
class QuizStat:
    """A lab's quiz or predictions; the counts are of those who handed in answers."""

    lab: str
    sheet: Sheet
    answered: int
    silent: int  # submissions without answers
    unreadable: tuple[Entry, ...]
    mean: float | None
    max_score: float
    questions: tuple[QuestionStat, ...]


def quiz_stats(entries: Sequence[Entry]) -> list[QuizStat]:
    """Of each lab's sheet that any of them answered."""
    found: dict[tuple[str, Sheet], list[tuple[Entry, QuizResult]]] = defaultdict(list)
    for entry in entries:
        for lab in entry.labs:
            for sheet, quiz in lab.sheets.items():
                found[lab.id, sheet].append((entry, quiz))
    return [
        _quiz(lab, sheet, quizzes)
        for (lab, sheet), quizzes in sorted(found.items())
        if any(quiz.seed is not None or quiz.problem for _, quiz in quizzes)
    ]


def _quiz(lab: str, sheet: Sheet, quizzes: Sequence[tuple[Entry, QuizResult]]) -> QuizStat:
    answered = [quiz for _, quiz in quizzes if quiz.seed is not None]
    unreadable = tuple(entry for entry, quiz in quizzes if quiz.problem)
    by_question: dict[str, list[Answered]] = defaultdict(list)
    for quiz in answered:
        for each in quiz.answers:
            by_question[each.id].append(each)
    return QuizStat(
        lab,
        sheet,
        len(answered),
        len(quizzes) - len(answered) - len(unreadable),
        unreadable,
        round(mean(quiz.score for quiz in answered), 2) if answered else None,
        max(quiz.max_score for _, quiz in quizzes),
        tuple(_question(name, answers) for name, answers in by_question.items()),
    )


def _question(name: str, answers: Sequence[Answered]) -> QuestionStat:
    marks = Counter(each.mark for each in answers)
    reasons = Counter(each.reason for each in answers if each.mark is Mark.WRONG and each.reason)
    mistake = min(reasons, key=lambda reason: (-reasons[reason], reason), default="")
    return QuestionStat(
        name, answers[0].kind, {mark: marks[mark] for mark in Mark}, mistake, reasons[mistake]
    )


@dataclass(frozen=True, slots=True)
class EffortStat:
    """A rung's minutes and hints, of those who sent them; the minutes are medians."""

    lab: str
    rung: str
    timed: int  # students who sent minutes
    minutes: float | None
    expected: float | None  # the author's estimate
    opened: int  # students who opened a hint
    opened_last: int


def effort_stats(entries: Sequence[Entry], labs: Sequence[Lab]) -> list[EffortStat]:
    """Of each rung for which any of them sent something."""
    sent = [(lab.id, lab.effort) for entry in entries for lab in entry.labs if lab.effort]
    found = []
    for lab in labs:
        efforts = [effort for of, effort in sent if of == lab.id]
        for rung in lab.rungs:
            times = [effort.minutes[rung.id] for effort in efforts if rung.id in effort.minutes]
            hints = [effort.hints[rung.id] for effort in efforts if rung.id in effort.hints]
            if times or hints:
                found.append(
                    EffortStat(
                        lab.id,
                        rung.id,
                        len(times),
                        median(times) if times else None,
                        rung.hours and rung.hours * 60,
                        len(hints),
                        sum(count >= len(rung.hints) for count in hints),
                    )
                )
    return found


_MANY = 0.75  # of those who wrote a rung: then it is hard only for the others
_LEAST_WRITTEN = 4  # fewer say nothing of how hard a rung is

RULES = (
    "nothing could be taken from the submission, or no rung of it is written",
    "the points are less than half of the class's median",
    "the first rung of a lab is written, and its results are wrong",
    f"a rung is wrong that at least {_MANY:.0%} of those who wrote it "
    f"(and at least {_LEAST_WRITTEN}) have right",
)


def who_needs_help(entries: Sequence[Entry], summary: Summary) -> list[tuple[str, list[Entry]]]:
    """Each reason with its students, those with the fewest points first.

    The reasons that name most students come first. Students without a grade have none.
    """
    easy = _easy_rungs(entries)
    graded = [entry for entry in entries if entry.score is not None]
    found: dict[str, list[Entry]] = defaultdict(list)
    for entry in sorted(graded, key=lambda each: (each.score or 0.0, each.id)):
        for reason in _reasons(entry, summary, easy):
            found[reason].append(entry)
    return sorted(found.items(), key=lambda each: (-len(each[1]), each[0]))


def _reasons(entry: Entry, summary: Summary, easy: set[tuple[str, str]]) -> Iterator[str]:
    if entry.problem:
        yield entry.problem
        return
    if all(is_unwritten(result) for _, result in entry.rungs):
        yield "nothing is written"
        return
    if summary.median and entry.score is not None and entry.score < summary.median / 2:
        yield f"less than half of the median, {points(summary.median)} points"
    for lab in entry.labs:
        for number, result in enumerate(lab.rungs):
            if result.score is None or is_right(result) or is_unwritten(result):
                continue
            if number == 0:
                yield f"the first rung of {lab.id} is wrong"
            elif (lab.id, result.id) in easy:
                yield f"{lab.id}/{result.id} is wrong, and most have it right"


def _easy_rungs(entries: Sequence[Entry]) -> set[tuple[str, str]]:
    easy = set()
    for place, found in _by_rung(entries).items():
        right = [
            is_right(result)
            for _, result in found
            if result.score is not None and not is_unwritten(result)
        ]
        if len(right) >= _LEAST_WRITTEN and sum(right) / len(right) >= _MANY:
            easy.add(place)
    return easy
