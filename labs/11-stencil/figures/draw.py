# SPDX-License-Identifier: MIT
"""Draws the figures of the handout: python3 draw.py writes the .svg files here."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs" / "figures"))
from svg import save, svg, tag

STYLE = """\
text{font:14px system-ui,sans-serif;fill:#1f2328}.h{font-weight:600}.s{font-size:12px;fill:#59636e}
rect{fill:none;stroke:#8c959f}.on{fill:#ddf4ff;stroke:#0969da}.halo{fill:#fff8c5;stroke:#9a6700}
.faint{fill:#8c959f}.edge{stroke:#0969da;stroke-width:1.5;fill:none;marker-end:url(#tip)}
.tip{fill:#0969da}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9198a1}rect{stroke:#656c76}
.on{fill:#12325c;stroke:#4493f8}.halo{fill:#3b2e00;stroke:#d29922}.faint{fill:#656c76}
.edge{stroke:#4493f8}.tip{fill:#4493f8}}"""
ARROW_HEAD = """\
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"
orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>"""


def text(
    x: float, y: float, words: object, kind: str = "", anchor: str = "middle"
) -> str:
    return tag("text", words, x=x, y=y, text_anchor=anchor, class_=kind)


def box(x: float, y: float, width: float, height: float, kind: str = "") -> str:
    return tag("rect", x=x, y=y, width=width, height=height, class_=kind)


def cell(x: float, y: float, width: float, words: object, kind: str = "") -> str:
    label = text(x + width / 2, y + 20, words, "faint" if kind == "faint" else "")
    return box(x, y, width, 30, "" if kind == "faint" else kind) + label


def edge(x0: float, y0: float, x1: float, y1: float) -> str:
    return tag("path", class_="edge", d=f"M{x0:g} {y0:g}L{x1:g} {y1:g}")


def filtered(line: list[int]) -> list[int]:
    """By the weights 1 2 1, with zeros outside."""
    padded = [0, *line, 0]
    return [padded[x] + 2 * padded[x + 1] + padded[x + 2] for x in range(len(line))]


def example() -> str:
    """Eight points, filtered twice."""
    line = [3, 1, 4, 1, 5, 9, 2, 6]
    left, width, chosen = 170, 56, 4
    rows = [
        ("d_in", line),
        ("d_out", filtered(line)),
        ("and again", filtered(filtered(line))),
    ]
    shapes = []
    for row, (name, values) in enumerate(rows):
        y = 20 + 74 * row
        shapes.append(text(left - width - 14, y + 20, name, "h", "end"))
        for x in (-1, len(values)):
            shapes.append(cell(left + x * width, y, width, 0, "faint"))
        for x, value in enumerate(values):
            kind = (
                "on"
                if (row == 1 and x == chosen) or (row == 0 and abs(x - chosen) < 2)
                else ""
            )
            shapes.append(cell(left + x * width, y, width, value, kind))
    for offset, weight in ((-1, 1), (0, 2), (1, 1)):
        x = left + (chosen + offset + 0.5) * width
        shapes.append(edge(x, 51, left + (chosen + 0.5) * width + 12 * offset, 93))
        shapes.append(text(x + (14 if offset >= 0 else -14), 68, f"x {weight}", "s"))
    note = (
        "Grey zeros: points outside, in both steps. Blue: 1 x 1 + 2 x 5 + 1 x 9 = 20."
    )
    shapes.append(text(left, 224, note, "s", "start"))
    label = "Eight points, filtered by the weights 1 2 1, twice"
    return svg(720, 238, label, STYLE, [ARROW_HEAD, *shapes])


def halo() -> str:
    """The tile of a block of 8 threads with a halo of 2 points on either side."""
    left, width, threads, radius = 130, 46, 8, 2
    shapes = [
        text(left - 14, 40, "d_in", "h", "end"),
        text(left - 14, 118, "tile", "h", "end"),
    ]
    for i in range(threads + 2 * radius):
        kind = "on" if radius <= i < radius + threads else "halo"
        x = left + i * width
        shapes.append(
            cell(x, 20, width, f"x{i - radius:+d}" if i != radius else "x", kind)
        )
        shapes.append(cell(x, 98, width, i, kind))
        shapes.append(edge(x + width / 2, 51, x + width / 2, 97))
        shapes.append(text(x + width / 2 + 4, 78, f"t{i % threads}", "s", "start"))
    note = "Blue: the points that the block computes. Yellow: the halo. Arrows: which thread loads."
    shapes.append(text(left, 150, note, "s", "start"))
    label = "The tile of a block of 8 threads, with a halo of 2 points on either side"
    return svg(720, 164, label, STYLE, [ARROW_HEAD, *shapes])


def tile() -> str:
    """A tile of a picture, its halo, and a row of sums."""
    side, radius, size = 8, 2, 22
    shapes: list[str] = []
    for left, columns, name in (
        (20, side + 2 * radius, "tile"),
        (420, side, "row_sums"),
    ):
        for row in range(side + 2 * radius):
            for column in range(columns):
                offset = radius if name == "tile" else 0
                inner_column = 0 <= column - offset < side
                inner = inner_column and 0 <= row - radius < side
                kind = "on" if inner else "halo"
                shapes.append(
                    box(left + column * size, 36 + row * size, size, size, kind)
                )
        shapes.append(text(left, 24, name, "h", "start"))
    y = 36 + (radius + 3.5) * size
    shapes.append(edge(20 + (side + 2 * radius) * size + 6, y, 414, y))
    shapes.append(text(352, y - 10, "along the rows", "s"))
    note = "Blue: 8 x 8 pixels. Yellow: halo of 2. Row sums need a halo above and below only."
    shapes.append(text(20, 36 + 12 * size + 24, note, "s", "start"))
    label = (
        "A tile of 8 x 8 pixels with its halo, and the row sums of a separable filter"
    )
    return svg(640, 350, label, STYLE, [ARROW_HEAD, *shapes])


def slide() -> str:
    """Three points of a thread's column in registers, and its neighbours in the plane."""
    shapes: list[str] = []
    names = {
        3: "above: a register, loaded in this round",
        2: "here: a register",
        1: "below: a register",
    }
    for plane in range(5):
        y = 30 + (4 - plane) * 52
        shapes.append(box(120, y, 300, 34, "on" if plane == 2 else ""))
        words = f"plane z{plane - 2:+d}" if plane != 2 else "plane z"
        shapes.append(text(110, y + 22, words, "s", "end"))
        if plane in names:
            shapes.append(box(258, y + 5, 24, 24, "halo"))
            shapes.append(text(440, y + 18, names[plane], "s", "start"))
        if plane == 2:
            for x in (230, 286):
                shapes.append(box(x, y + 5, 24, 24, ""))
            shapes.append(
                text(440, y + 34, "its neighbours: the L1 cache", "s", "start")
            )
    shapes.append(edge(690, 270, 690, 40))
    shapes.append(text(700, 160, "z", "h", "start"))
    label = "A thread slides along z: three points of its column are in registers"
    return svg(720, 310, label, STYLE, [ARROW_HEAD, *shapes])


def steps() -> str:
    """What two steps of a block need, along one axis."""
    left, width, side = 130, 46, 12
    shapes: list[str] = []
    for row, name in enumerate(("d_in", "first step", "second step")):
        y = 20 + 60 * row
        shapes.append(text(left - 14, y + 20, name, "h", "end"))
        for i in range(-1 if row == 0 else 0, side + 1 if row == 0 else side):
            is_inner = 0 < i < side - 1
            if row < 2 or is_inner:
                words = f"t{i}" if 0 <= i < side else ""
                kind = "on" if is_inner else "halo"
                shapes.append(cell(left + (i + 1) * width, y, width, words, kind))
    for row in range(2):
        for i in (row, side - 1 - row):
            x, y = left + (i + 1.5) * width, 51 + 60 * row
            for offset in (-1, 0, 1):
                shapes.append(edge(x + offset * width, y, x + 8 * offset, y + 28))
    note = "Yellow: threads around the tile. They compute what others need, and write nothing."
    shapes.append(text(left, 200, note, "s", "start"))
    label = "Two steps in one pass: 12 threads in a row, of which 10 write"
    return svg(800, 214, label, STYLE, [ARROW_HEAD, *shapes])


if __name__ == "__main__":
    for draw in (example, halo, tile, slide, steps):
        save(f"{draw.__name__}.svg", draw())
