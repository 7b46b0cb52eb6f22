# SPDX-License-Identifier: MIT
"""Draws the figures of docs/model.md here: python3 draw.py"""

import math

from svg import box, path, save, svg, tag, text

PEAK, BANDWIDTH = 1500.0, 200.0  # GFLOP/s and GB/s of the page's example

STYLE = """\
text{font:13px system-ui,sans-serif;fill:#1f2328}.h{font-weight:600;font-size:14px}.s{font-size:11px;fill:#59636e}
.c{stroke:#8c959f;fill:none}.grid{stroke:#d1d9e0;fill:none}.on{fill:#ddf4ff;stroke:#0969da}
.hot{fill:#0969da;stroke:#0969da}.roof{stroke:#0969da;fill:none;stroke-width:2.5}.wire{stroke:#bc4c00;fill:#fff1e5}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9198a1}.c{stroke:#656c76}.grid{stroke:#3d444d}
.on{fill:#12325c;stroke:#4493f8}.hot{fill:#4493f8;stroke:#4493f8}.roof{stroke:#4493f8}
.wire{stroke:#db6d28;fill:#3d2415}}"""


def line(points: list[tuple[float, float]], style: str) -> str:
    return path("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points), style)


def reachable(intensity: float) -> float:
    """GFLOP/s of a kernel with so many operations a byte."""
    return min(PEAK, BANDWIDTH * intensity)


def roofline() -> None:
    """Both axes are logarithmic: 1/16 to 128 flop per byte, 8 to 3000 GFLOP/s."""
    left, top, width, height = 70, 60, 520, 230

    def x(intensity: float) -> float:
        return left + width * (math.log2(intensity) + 4) / 11

    def y(speed: float) -> float:
        return top + height * (1 - math.log2(speed / 8) / math.log2(3000 / 8))

    shapes = [text(14, 24, "How fast a kernel can be at most", "h", "start")]
    for exponent in range(-4, 8, 2):
        at = 2.0**exponent
        name = f"{at:g}" if exponent >= 0 else f"1/{2**-exponent}"
        shapes += [line([(x(at), top), (x(at), top + height)], "grid")]
        shapes += [text(x(at), top + height + 16, name, "s")]
    for speed in (10, 50, 200, 1500):
        shapes += [line([(left, y(speed)), (left + width, y(speed))], "grid")]
        shapes += [text(left - 8, y(speed) + 4, f"{speed}", "s", "end")]
    ridge = PEAK / BANDWIDTH
    roof = [(x(at), y(reachable(at))) for at in (2.0**-4, ridge, 2.0**7)]
    shapes.append(line(roof, "roof"))
    shapes.append(text(x(32), y(PEAK) - 8, "1500 GFLOP/s: the units are busy"))
    shapes.append(text(x(0.8), y(420), "200 GB/s: the memory is busy", "", "end"))
    for at, words in ((0.25, "one flop for 4 bytes: 50 GFLOP/s"), (ridge, "7.5 flop per byte")):
        cx, cy = f"{x(at):.1f}", f"{y(reachable(at)):.1f}"
        shapes.append(tag("circle", cx=cx, cy=cy, r=5, class_="hot"))
        shapes.append(text(x(at) + 12, y(reachable(at)) + 18, words, "", "start"))
    shapes.append(text(left + width / 2, top + height + 36, "flop for each byte moved", "s"))
    shapes.append(text(left - 8, top - 10, "GFLOP/s", "s", "end"))
    label = "A roof: at most 200 GB/s times the flop per byte, and never above 1500 GFLOP/s"
    save("roofline.svg", svg(620, 340, label, STYLE, shapes))


def banks() -> None:
    """One bank opens a row for each burst; several take turns on the wires."""
    unit, opening, burst, top = 12, 10, 2, 60
    shapes = [
        text(14, 24, "Bursts from one bank, and from six that take turns", "h", "start"),
        text(100, 48, "time", "s", "start"),
    ]

    def row(index: int, name: str, starts: list[int]) -> None:
        y = top + 26 * index
        shapes.append(text(92, y + 15, name, "s", "end"))
        for start in starts:
            shapes.append(box(100 + unit * start, y, unit * opening, 20, "on"))
            shapes.append(text(100 + unit * (start + opening / 2), y + 14, "opens a row", "s"))
            shapes.append(box(100 + unit * (start + opening), y, unit * burst, 20, "wire"))

    row(0, "one bank", [0, 12, 24])
    for bank in range(6):
        row(bank + 2, f"bank {bank}", [2 * bank, 2 * bank + 12])
    y = top + 26 * 8 + 6
    shapes.append(text(92, y + 15, "the wires", "s", "end"))
    for turn in range(12):
        shapes.append(box(100 + unit * (opening + 2 * turn), y, unit * burst, 20, "wire"))
    shapes.append(text(100 + unit * (opening + 12), y + 38, "busy all the time", "s"))
    label = "One bank leaves the wires idle while it opens rows; six banks keep them busy"
    save("banks.svg", svg(560, 330, label, STYLE, shapes))


if __name__ == "__main__":
    roofline()
    banks()
