# SPDX-License-Identifier: MIT
"""One judged rung as its student's page shows it, with a bar for each measure."""

import base64
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup

from lockstep_grader.model.grades import (
    Backend,
    FindingKind,
    Gate,
    Outcome,
    Part,
    Points,
    Rung,
    RungResult,
    TestResult,
)
from lockstep_grader.model.measures import MEASURES, figure, kept
from lockstep_grader.model.score import passes_by_noise
from lockstep_grader.model.text import clipped
from lockstep_grader.pages.engine import coloured_lines
from lockstep_grader.pages.report.words import State, cause_words, state_of
from lockstep_grader.results.folder import kept_picture
from lockstep_grader.results.graded import Entry, Results
from lockstep_grader.words.account import account_of

# Words, the limit of any program, its name, and the unit. A speed is a ratio of two.
_SCALES: Mapping[str, tuple[str, float | None, str, str]] = {
    "share": ("speed, as a share of what this device reaches", 1.0, "the device's limit", "x"),
    "of_library": ("speed compared with the library's", 1.0, "the library", "x"),
    "of_reference": ("speed compared with the reference solution's", 1.0, "the reference", "x"),
    "speedup": ("speedup over the lab's first rung", None, "", "x"),
    "speedup_cpu": ("speedup over the sequential loop", None, "", "x"),
    "sector_efficiency": ("", 1.0, "every byte moved is used", ""),
    "lanes_per_request": ("", 32.0, "a whole warp", ""),
}
_ROOM = 1.15  # of the axis beyond what has to fit on it
_LONGEST = 2.0  # a value this many times the gates is cut off, or the gates would not be seen


@dataclass(frozen=True, slots=True)
class Gauge:
    name: str
    words: str
    value: float
    unit: str
    gate: Gate | None  # None: measured, and points do not depend on it
    limit: float | None
    limit_words: str
    is_noisy: bool = False  # too close to its gate to call: not held against the student

    @property
    def lower_is_better(self) -> bool:
        return self.gate is not None and self.gate.zero > self.gate.full

    @property
    def earned(self) -> float:
        """The share of the points, in [0, 1]."""
        return self.gate.fraction(self.value) if self.gate else 1.0

    @property
    def verdict(self) -> str:
        """One of full, part, none, info: as a style class and a word."""
        if self.gate is None:
            return "info"
        if self.is_noisy or kept(self.gate, self.value):
            return "full"
        return "part" if self.earned > 0 else "none"

    @property
    def end(self) -> float:
        """Where the axis ends."""
        fixed = [self.gate.zero, self.gate.full] if self.gate else []
        if self.limit is not None:
            fixed.append(self.limit)
        base = max([abs(mark) for mark in fixed] or [self.value]) or 1.0
        return max(base, min(self.value, base * _LONGEST)) * _ROOM

    @property
    def is_cut(self) -> bool:
        return self.value > self.end

    def at(self, mark: float) -> float:
        """The place of `mark` on the axis, in percent."""
        return round(100 * min(1.0, max(0.0, mark / self.end)), 2)

    def said(self, value: float) -> str:
        """`value` as a person reads it."""
        if self.name == "share":
            return f"{value:.1%}" if value != round(value, 2) else f"{value:.0%}"
        return f"{_grouped(value)}{self.unit}"

    @property
    def sentence(self) -> str:
        """The whole picture in words."""
        parts = [f"{self.words}: {self.said(self.value)}"]
        if self.gate:
            parts.append(f"no points at {self.said(self.gate.zero)}")
            parts.append(f"full mark at {self.said(self.gate.full)}")
        if self.limit is not None:
            parts.append(f"{self.limit_words} at {self.said(self.limit)}")
        return ", ".join(parts)


def gauges(rung: Rung, result: RungResult, backend: Backend) -> Iterator[Gauge]:
    """A bar for each gate that was measured, and for the speed even where no points hang on it."""
    gates = rung.gates(backend)
    for test in result.judgement.tests:
        if test.part is not Part.EFFICIENCY:
            continue
        for gate in gates:
            if gate.name in test.measures:
                yield _gauge(gate.name, gate, test)
        if "share" in test.measures and all(gate.name != "share" for gate in gates):
            yield _gauge("share", None, test)


def _gauge(name: str, gate: Gate | None, test: TestResult) -> Gauge:
    known = MEASURES[name].words if name in MEASURES else name
    words, limit, limit_words, unit = _SCALES.get(name, ("", None, "", ""))
    noisy = gate is not None and passes_by_noise(gate, test)
    return Gauge(name, words or known, test.measures[name], unit, gate, limit, limit_words, noisy)


def _grouped(value: float) -> str:
    """Separates thousands, so that long counts are readable."""
    return f"{int(value):,}" if float(value).is_integer() else figure(value)


_MOST_LINES = 2000  # of a source that a page shows
_NEIGHBOURS = 4  # source lines above and below a note that are not folded away
_LEAST_FOLD = 4  # fewer lines than these are not worth folding
_OUTPUT_LINES = 60
_MESSAGE_LINES = 30


@dataclass(frozen=True, slots=True)
class Cause:
    """A reason for lost points; `anchor` is the line of the source that it names, if shown."""

    kind: str
    message: str
    place: str
    anchor: str
    where: str = ""  # the test that found it, or how many fail for it


@dataclass(frozen=True, slots=True)
class SourceLine:
    number: int
    html: Markup
    anchor: str
    notes: tuple[tuple[str, str], ...]  # (style: finding or count, words)


@dataclass(frozen=True, slots=True)
class Fold:
    """Lines that stand together: shown, or folded away behind their number."""

    lines: tuple[SourceLine, ...]
    is_open: bool


@dataclass(frozen=True, slots=True)
class RungView:
    rung: Rung
    result: RungResult
    anchor: str
    causes: tuple[Cause, ...]
    gauges: tuple[Gauge, ...]
    source: tuple[Fold, ...]
    pictures: tuple[tuple[str, str], ...]  # a label, and a data: URI

    @property
    def state(self) -> State:
        return state_of(self.result)

    @property
    def missing(self) -> str:
        """That there is no file, in a sentence; empty where there is one."""
        return next((each.message for each in self.result.findings if each.is_of_missing_file), "")

    @property
    def is_full(self) -> bool:
        return self.result.score == self.result.max_score

    @property
    def is_noted(self) -> bool:
        """Whether there is something to say about a line of the source."""
        return any(line.notes for fold in self.source for line in fold.lines)

    @property
    def outputs(self) -> list[tuple[str, str]]:
        """What tests printed, each text once."""
        said: dict[str, str] = {}
        for test in self.result.judgement.tests:
            said.setdefault(test.output.strip(), test.name)
        return [(name, clipped(text, _OUTPUT_LINES)) for text, name in said.items() if text]


def bare(result: RungResult) -> Rung:
    """For a rung that this checkout no longer has."""
    return Rung(result.id, result.id, Points(0, 0, 0))


def view_rung(
    results: Results,
    entry: Entry,
    lab_id: str,
    rung: Rung,
    result: RungResult,
    *,
    folded: bool = True,
) -> RungView:
    """`folded` folds away lines of the source that are far from any note."""
    anchor = f"{lab_id}-{rung.id}"
    lines = results.source(entry, lab_id, rung.id).removesuffix("\n").split("\n")
    text = "".join(f"{line}\n" for line in lines[:_MOST_LINES]) if any(lines) else ""
    notes = _notes(entry, lab_id, result, rung, results.backend)
    if left_out := len(lines[_MOST_LINES:]):
        notes.setdefault(_MOST_LINES, []).append(("count", f"{left_out} more lines are not shown"))
    return RungView(
        rung,
        result,
        anchor,
        tuple(_causes(result, rung.file_name, anchor, len(text.splitlines()))),
        tuple(gauges(rung, result, results.backend)),
        _folds(text, notes, anchor, folded),
        tuple(_pictures(results, entry, lab_id, result)),
    )


def _causes(result: RungResult, file_name: str, anchor: str, lines: int) -> Iterable[Cause]:
    """Each finding once, then what failed tests say that no finding does."""
    found_by = {
        finding: f"found by {test.name}"
        for test in reversed(result.judgement.tests)
        for finding in test.findings
    }
    account = account_of(result.findings, result.judgement.tests)
    for finding in result.findings:
        at = f"{finding.file}:{finding.line}" if finding.line else ""
        is_here = finding.file == file_name and 0 < finding.line <= lines
        yield Cause(
            cause_words(finding),
            clipped(finding.message, _MESSAGE_LINES),
            at,
            f"{anchor}-L{finding.line}" if is_here else "",
            account.said if finding == account.cause else found_by.get(finding, ""),
        )
    said = "\n".join(finding.message for finding in result.findings)
    for test in result.judgement.tests:
        if test.outcome is Outcome.FAILED and not test.findings and test.message not in said:
            said += f"\n{test.message}"
            yield Cause("failed test", clipped(test.message, _MESSAGE_LINES), "", "", test.name)


def _notes(
    entry: Entry, lab_id: str, result: RungResult, rung: Rung, backend: Backend
) -> dict[int, list[tuple[str, str]]]:
    """What to say about lines: comments, findings, where most of a gated measure arises."""
    notes: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for comment in entry.comments:
        if (comment.lab, comment.rung) == (lab_id, rung.id):
            notes[comment.line].append(("comment", comment.text))
    for finding in result.findings:
        if finding.file == rung.file_name and finding.kind is not FindingKind.BUDGET:
            words = f"{cause_words(finding)}: {clipped(finding.message, 1)}"
            notes[finding.line].append(("finding", words))
    gated = {gate.name: gate for gate in rung.gates(backend)}
    for test in result.judgement.tests:
        for name, place in test.places.items():
            if place.file != rung.file_name or name not in gated or not place.value:
                continue
            missed = name in test.measures and gated[name].fraction(test.measures[name]) < 1
            words = f"{name}: most of it arises here ({figure(place.value)})"
            notes[place.line].append(("finding" if missed else "count", words))
    return {line: list(dict.fromkeys(said)) for line, said in notes.items()}


def _folds(
    text: str, notes: dict[int, list[tuple[str, str]]], anchor: str, is_folded: bool
) -> tuple[Fold, ...]:
    if not text:
        return ()
    lines = [
        SourceLine(number, html, f"{anchor}-L{number}", tuple(notes.get(number, ())))
        for number, html in enumerate(coloured_lines(text), start=1)
    ]
    near = {
        number
        for line in lines
        if line.notes
        for number in range(line.number - _NEIGHBOURS, line.number + _NEIGHBOURS + 1)
    }
    if not near or not is_folded:
        return (Fold(tuple(lines), is_open=True),)
    runs = [tuple(run) for _, run in groupby(lines, lambda line: line.number in near)]
    return tuple(Fold(run, run[0].number in near or len(run) < _LEAST_FOLD) for run in runs)


def _pictures(
    results: Results, entry: Entry, lab_id: str, result: RungResult
) -> Iterable[tuple[str, str]]:
    for image in result.judgement.images:
        if data := kept_picture(results.folder, entry.id, lab_id, image.file):
            uri = f"data:image/png;base64,{base64.b64encode(data).decode('ascii')}"
            yield image.label, uri
