# SPDX-License-Identifier: MIT
"""A plot of lines on two logarithmic axes: an SVG for light and dark pages."""

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_WIDTH, _HEIGHT = 820, 400
_LEFT, _TOP, _RIGHT, _BOTTOM = 66, 34, 606, 352  # of the axes
_LEGEND, _ROW = _RIGHT + 16, 18
_MARGIN = 0.045  # of an axis' length, beyond the first and the last value
_STYLE = """\
text{font:12px system-ui,sans-serif;fill:#1f2328}.m{text-anchor:middle}.e{text-anchor:end}
.h{font-size:14px;text-anchor:middle}.f{fill:#fff;stroke:#59636e}.g{stroke:#d1d9e0}
.l{fill:none;stroke-width:2;stroke-linejoin:round}
.p{fill:none;stroke-width:7;stroke-linecap:round}
.c0{stroke:#1f77b4}.c1{stroke:#ff7f0e}.c2{stroke:#2ca02c}.c3{stroke:#d62728}.c4{stroke:#9467bd}
.c5{stroke:#8c564b}.c6{stroke:#e377c2}.c7{stroke:#7f7f7f}.c8{stroke:#bcbd22}.c9{stroke:#17becf}
.limit{stroke:#1f2328}.library{stroke:#818b98}.d0{stroke-dasharray:7 4}
.d1{stroke-dasharray:2 3}.d2{stroke-dasharray:8 3 2 3}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.f{fill:#0d1117;stroke:#9198a1}
.g{stroke:#2a313c}.limit{stroke:#e6edf3}.c0{stroke:#58a6ff}.c3{stroke:#f85149}
.c4{stroke:#b48ce0}.c5{stroke:#bd8579}}"""
_COLOURS = 10
DASHES = 3


@dataclass(frozen=True, slots=True)
class Line:
    name: str
    points: Sequence[tuple[float, float]]
    style: str = ""  # classes of a line without dots; empty: dots, in the next colour


class _Axis:
    """Values on a logarithmic scale, between two places of the picture."""

    def __init__(self, values: Sequence[float], begin: float, end: float) -> None:
        low, high = math.log(min(values)), math.log(max(values))
        room = _MARGIN * (high - low) or 1
        self._low, self._high, self._begin, self._end = low - room, high + room, begin, end

    def at(self, value: float) -> float:
        share = (math.log(value) - self._low) / (self._high - self._low)
        return self._begin + share * (self._end - self._begin)

    def powers_of_ten(self) -> list[float]:
        scale = math.log(10)
        exponents = range(math.ceil(self._low / scale), math.floor(self._high / scale) + 1)
        return [10.0**exponent for exponent in exponents]


def draw_plot(
    title: str, units: tuple[str, str], ticks: Mapping[float, str], lines: Sequence[Line]
) -> str:
    """`units` name the axes, and `ticks` the values along x."""
    values = [point for line in lines for point in line.points]
    along = _Axis([x for x, _ in values], _LEFT, _RIGHT)
    up = _Axis([y for _, y in values], _BOTTOM, _TOP)
    shapes = [
        f'<path class="f" d="M{_LEFT} {_TOP}H{_RIGHT}V{_BOTTOM}H{_LEFT}Z"/>',
        _text((_LEFT + _RIGHT) / 2, 20, title, "h"),
        _text((_LEFT + _RIGHT) / 2, _HEIGHT - 8, units[0], "m"),
        f'<g transform="translate(16 {(_TOP + _BOTTOM) / 2:g})rotate(-90)">'
        f"{_text(0, 0, units[1], 'm')}</g>",
    ]
    decades = up.powers_of_ten()
    grid = [f"M{along.at(x):.1f} {_TOP}V{_BOTTOM}" for x in ticks]
    grid += [f"M{_LEFT} {up.at(y):.1f}H{_RIGHT}" for y in decades]
    shapes.append(f'<path class="g" d="{"".join(grid)}"/>')
    shapes += [_text(along.at(x), _BOTTOM + 18, name, "m") for x, name in ticks.items()]
    shapes += [_text(_LEFT - 8, up.at(y) + 4, f"{y:g}", "e") for y in decades]
    for row, line in enumerate(lines):
        y = _TOP + 8 + row * _ROW
        sample = [(_LEGEND, y), (_LEGEND + 12, y), (_LEGEND + 24, y)]
        places = [(along.at(x), up.at(value)) for x, value in line.points]
        shapes += _line(places, sample, line.style, row)
        shapes.append(_text(_LEGEND + 32, y + 4, line.name))
    label = html.escape(f"{title}: {units[1]} against {units[0]}")
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'role="img" aria-label="{label}">'
    )
    return "\n".join([head, f"<style>\n{_STYLE}\n</style>", *shapes, "</svg>", ""])


def _line(
    places: Sequence[tuple[float, float]],
    sample: Sequence[tuple[float, float]],
    style: str,
    row: int,
) -> list[str]:
    """The line and its sample in the legend, each one with its dots."""
    steps = "".join(
        f"M{'L'.join(f'{x:.1f} {y:.1f}' for x, y in drawn)}" for drawn in (places, sample)
    )
    if style:
        return [f'<path class="l {style}" d="{steps}"/>']
    colour = f"c{row % _COLOURS}"
    dots = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in [*places, sample[1]])
    return [f'<path class="l {colour}" d="{steps}"/>', f'<path class="p {colour}" d="{dots}"/>']


def _text(x: float, y: float, words: str, style: str = "") -> str:
    named = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{named}>{html.escape(words)}</text>'
