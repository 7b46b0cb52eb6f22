# SPDX-License-Identifier: MIT
"""A profile as one HTML page that needs nothing else: no network, no script."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from lockstep_grader import __version__
from lockstep_grader.model.grades import Gate, Outcome, Resources
from lockstep_grader.model.measures import MEASURES, bound, figure, figure_of, kept
from lockstep_grader.pages.engine import coloured_lines, colours, make_environment
from lockstep_grader.student.profile.access_svg import describe, draw
from lockstep_grader.student.profile.cost import Diagnosis, diagnose
from lockstep_grader.student.profile.model import Kernel, SizeProfile
from lockstep_grader.student.profile.notes import LineNote, kernel_columns, line_notes
from lockstep_grader.student.profile.run import Profile
from lockstep_grader.student.profile.terminal import MULTIPROCESSORS

_OPEN_LINES = 2  # of the costliest, shown with their pictures at once


@dataclass(frozen=True, slots=True)
class _Picture:
    caption: str
    svg: Markup


@dataclass(frozen=True, slots=True)
class _SourceLine:
    number: int
    html: Markup
    note: LineNote | None = None
    pictures: tuple[_Picture, ...] = ()
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class _KernelView:
    kernel: Kernel
    columns: Sequence[tuple[str, str]]
    diagnosis: Diagnosis
    resources: Resources | None

    @property
    def is_good(self) -> bool:
        return self.diagnosis.is_good


@dataclass(frozen=True, slots=True)
class _MeasureView:
    name: str
    words: str
    value: str
    budget: str  # what the rung allows; empty: it does not say
    is_kept: bool


@dataclass(frozen=True, slots=True)
class _SizeView:
    size: SizeProfile
    passed: bool
    measures: tuple[_MeasureView, ...]
    kernels: tuple[_KernelView, ...]
    source: tuple[_SourceLine, ...]
    elsewhere: tuple[LineNote, ...]

    @property
    def budgeted(self) -> list[_MeasureView]:
        return [measure for measure in self.measures if measure.budget]


def render_page(profile: Profile) -> str:
    """The whole page. Text of the submission is escaped by the template engine, never trusted."""
    environment = make_environment("lockstep_grader.student.profile")
    environment.filters["figure"] = figure
    return environment.get_template("profile.html.j2").render(
        profile=profile,
        sizes=[_size_view(profile, size, number) for number, size in enumerate(profile.sizes)],
        version=__version__,
        **colours(),
        lanes=range(32),
    )


def _size_view(profile: Profile, size: SizeProfile, number: int) -> _SizeView:
    notes = line_notes(size)
    own = [note for note in notes if note.line.file == profile.source.file_name]
    views = tuple(
        _KernelView(
            kernel,
            kernel_columns(kernel, size.items),
            diagnose(kernel, size.items, MULTIPROCESSORS),
            profile.resources_of(kernel.name),
        )
        for kernel in size.kernels
    )
    return _SizeView(
        size,
        size.outcome is Outcome.PASSED,
        tuple(_measures(size, profile.rung.budget)),
        views,
        tuple(_source(profile, own, number)),
        tuple(note for note in notes if note.line.file != profile.source.file_name),
    )


def _measures(size: SizeProfile, budget: Sequence[Gate]) -> list[_MeasureView]:
    gates = {gate.name: gate for gate in budget}
    views = []
    for name, measure in MEASURES.items():
        if name not in size.measures:
            continue
        gate, value = gates.get(name), size.measures[name]
        views.append(
            _MeasureView(
                name,
                measure.words,
                figure_of(name, value),
                bound(gate) if gate else "",
                gate is None or kept(gate, value),
            )
        )
    return views


def _source(profile: Profile, own: Sequence[LineNote], size: int) -> list[_SourceLine]:
    notes = {note.line.line: note for note in own}
    hottest = sorted(own, key=lambda note: -note.share)[:_OPEN_LINES]
    opened = {note.line.line for note in hottest if note.line.patterns}
    lines = []
    for number, html in enumerate(coloured_lines(profile.source.data.decode("utf-8")), start=1):
        note = notes.get(number)
        lines.append(
            _SourceLine(
                number,
                html,
                note,
                _pictures(note, f"p{size}-{number}") if note else (),
                number in opened,
            )
        )
    return lines


def _pictures(note: LineNote, prefix: str) -> tuple[_Picture, ...]:
    return tuple(
        _Picture(describe(pattern), draw(pattern, f"{prefix}-{index}"))
        for index, pattern in enumerate(note.line.patterns)
    )
