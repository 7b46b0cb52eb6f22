# SPDX-License-Identifier: MIT
"""Turns views into pages, with one style sheet for all of them, and values into small pictures.

The pictures are SVG. Places across are percentages, so that text keeps its size on a phone.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from markupsafe import Markup

from lockstep_grader import __version__
from lockstep_grader.model.text import count_of
from lockstep_grader.pages.engine import colours, content_policy, make_environment, trusted
from lockstep_grader.pages.report.class_stats import RungStat
from lockstep_grader.pages.report.rung_view import Gauge
from lockstep_grader.pages.report.words import State, percent, points

Curve = tuple[int, Sequence[tuple[datetime, int]]]  # students; how many were right by when

GENERATOR = "Lockstep report"  # marks a page as ours, so that a later report may replace it


class Renderer:
    def __init__(self) -> None:
        self._environment = make_environment("lockstep_grader.pages.report")
        self._environment.filters.update(
            points=points,
            count_of=count_of,
            curve=curve_svg,
            funnel=funnel_svg,
            gauge=gauge_svg,
            histogram=histogram_svg,
            stack=stack_svg,
            day=_day,
        )
        self._environment.globals.update(percent=percent)

    def page(
        self, template: str, *, script_file: str = "", forms: bool = False, **values: Any
    ) -> str:
        """A page; `forms` is for one that a server of our own shows."""
        script = self._script(script_file) if script_file else Markup("")
        return self._environment.get_template(template).render(
            version=__version__,
            generator=GENERATOR,
            style=self._style,
            script=script,
            policy=content_policy(self._style, script, forms=forms),
            **values,
        )

    @cached_property
    def _style(self) -> Markup:
        return trusted(self._environment.get_template("report.css.j2").render(**colours()))

    def _script(self, file: str) -> Markup:
        return trusted(self._environment.get_template(file).render())


def _day(moment: str) -> str:
    """An ISO 8601 time as people write it; as it is when it is none."""
    try:
        return datetime.fromisoformat(moment).strftime("%-d %B %Y, %H:%M %Z").strip(" ,")
    except ValueError:
        return moment


_GAUGE_HEIGHT, _BAR_TOP, _BAR = 26, 8, 10  # pixels
_PLOT_HEIGHT, _PLOT_TOP, _AXIS = 150, 20, 20
_STACK_HEIGHT = 14
_CURVE_HEIGHT, _CURVE_SPAN = 32, 95.0


def gauge_svg(gauge: Gauge) -> Markup:
    """The value as a bar over the zones where it earns all, some or no points."""
    return _svg("gauge", _GAUGE_HEIGHT, gauge.sentence, _gauge_parts(gauge))


def histogram_svg(counts: Sequence[int]) -> Markup:
    """How many submissions reached which share of the points."""
    tallest = max(counts) or 1
    step = 100 // len(counts)
    bins = (f"{at * step} to {(at + 1) * step} %: {count}" for at, count in enumerate(counts))
    said = ", ".join(bins)
    height = _PLOT_TOP + _PLOT_HEIGHT + _AXIS
    label = f"Submissions by share of the points. {said}"
    return _svg("histogram", height, label, _histogram_parts(counts, tallest))


def stack_svg(stat: RungStat) -> Markup:
    """The class's states at one rung, side by side."""
    said = ", ".join(f"{count} {state}" for state, count in stat.counts.items() if count)
    counts = [(state.style, stat.counts[state]) for state in State]
    return _svg("stack", _STACK_HEIGHT, said or "no submission", _side_by_side(counts))


def funnel_svg(item: Mapping[str, Any]) -> Markup:
    """How many students came how far at one rung."""
    parts = (
        ("full", item["full"], "full marks"),
        ("part", item["right"] - item["full"], "right, short of full marks"),
        ("wrong", item["written"] - item["right"], "written, not right"),
        ("unwritten", item["graded"] - item["written"], "not written"),
    )
    said = ", ".join(f"{count} {words}" for _, count, words in parts if count)
    shares = [(style, count) for style, count, _ in parts]
    return _svg("stack", _STACK_HEIGHT, said or "no student", _side_by_side(shares))


def curve_svg(curve: Curve, start: datetime, end: datetime) -> Markup:
    """How many students had right results by when, as steps on an axis from `start` to `end`."""
    students, points = curve
    (first, _), (last, count) = points[0], points[-1]
    label = f"{count} of {students} right, from {first:%Y-%m-%d} to {last:%Y-%m-%d}"
    return _svg("curve", _CURVE_HEIGHT, label, _curve_parts(curve, start, end))


def _gauge_parts(gauge: Gauge) -> Iterator[Markup]:
    value = gauge.at(gauge.value)
    yield _rect("track", 0, 100, _BAR_TOP, _BAR)
    if gauge.gate:
        zero, full = gauge.at(gauge.gate.zero), gauge.at(gauge.gate.full)
        low, high = min(zero, full), max(zero, full)
        yield _rect("some", low, high, _BAR_TOP, _BAR)
        good = (0.0, full) if gauge.lower_is_better else (full, 100.0)
        yield _rect("all", *good, _BAR_TOP, _BAR)
    yield _rect(f"value {gauge.verdict}", 0, value, _BAR_TOP + 3, _BAR - 6)
    if gauge.gate:
        yield _line("tick zero", gauge.at(gauge.gate.zero))
        yield _line("tick", gauge.at(gauge.gate.full))
    if gauge.limit is not None:
        yield _line("tick limit", gauge.at(gauge.limit))
    if gauge.is_cut:
        yield Markup('<text class="cut" x="100%" y="{}">→</text>').format(_BAR_TOP + _BAR)
    else:
        yield Markup('<circle class="{}" cx="{}%" cy="{}" r="6"/>').format(
            f"value {gauge.verdict}", value, _BAR_TOP + _BAR // 2
        )


def _histogram_parts(counts: Sequence[int], tallest: int) -> Iterator[Markup]:
    step, floor = 100 / len(counts), _PLOT_TOP + _PLOT_HEIGHT
    for index, count in enumerate(counts):
        left, height = index * step, round(_PLOT_HEIGHT * count / tallest, 2)
        if count:
            yield _rect("column", left + 0.4, left + step - 0.4, floor - height, height)
            yield _text("count", left + step / 2, floor - height - 5, str(count))
        edge = "start" if index == 0 else "edge"
        yield _text(edge, left, floor + 15, f"{left:.0f}")
    yield _text("end", 100, floor + 15, "100")
    yield Markup('<line class="floor" x1="0" x2="100%" y1="{0}" y2="{0}"/>').format(floor)


def _side_by_side(counts: Sequence[tuple[str, int]]) -> Iterator[Markup]:
    left, everyone = 0.0, sum(count for _, count in counts) or 1
    for style, count in counts:
        width = 100 * count / everyone
        if width:
            yield _rect(style, left, left + width, 0, _STACK_HEIGHT)
        left += width


def _curve_parts(curve: Curve, start: datetime, end: datetime) -> Iterator[Markup]:
    """A rectangle from each time to the next, as high as the share of the students."""
    # The last time gets some width, or nothing would show its step.
    students, points = curve
    times = [_CURVE_SPAN * ((at - start) / (end - start)) for at, _ in points] + [100.0]
    for (_, count), left, right in zip(points, times, times[1:], strict=False):
        height = round(_CURVE_HEIGHT * count / students, 2)
        yield _rect("column", left, right, _CURVE_HEIGHT - height, height)
    yield Markup('<line class="floor" x1="0" x2="100%" y1="{0}" y2="{0}"/>').format(_CURVE_HEIGHT)


def _svg(kind: str, height: int, label: str, parts: Iterator[Markup]) -> Markup:
    return Markup(
        '<svg class="{}" role="img" aria-label="{}" width="100%" height="{}">{}</svg>'
    ).format(kind, label, height, Markup("").join(parts))


def _rect(kind: str, left: float, right: float, top: float, height: float) -> Markup:
    return Markup('<rect class="{}" x="{}%" width="{}%" y="{}" height="{}"/>').format(
        kind, round(left, 2), round(right - left, 2), round(top, 2), height
    )


def _line(kind: str, x: float) -> Markup:
    return Markup('<line class="{0}" x1="{1}%" x2="{1}%" y1="2" y2="{2}"/>').format(
        kind, x, _GAUGE_HEIGHT - 2
    )


def _text(kind: str, x: float, y: float, text: str) -> Markup:
    return Markup('<text class="{}" x="{}%" y="{}">{}</text>').format(
        kind, round(x, 2), round(y, 2), text
    )
