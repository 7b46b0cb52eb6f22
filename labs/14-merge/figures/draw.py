# SPDX-License-Identifier: MIT
"""Draws the figures of the handout: python3 draw.py writes the .svg files here."""

import sys
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs" / "figures"))
from svg import save, svg, tag

STYLE = """\
text{font:14px system-ui,sans-serif;fill:#1f2328}.h{font-weight:600}.s{font-size:12px;fill:#59636e}
rect{fill:none;stroke:#8c959f}.a{fill:#ddf4ff;stroke:#0969da}.b{fill:#fff8c5;stroke:#9a6700}
.grid{stroke:#d0d7de}.cut{stroke:#8c959f;stroke-dasharray:4 3}
.path{stroke:#cf222e;stroke-width:3;fill:none}
.edge{stroke:#8c959f;fill:none;marker-end:url(#tip)}.tip{fill:#8c959f}.dot{fill:#cf222e}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9198a1}rect{stroke:#656c76}
.a{fill:#12325c;stroke:#4493f8}.b{fill:#3b2e00;stroke:#d29922}.grid{stroke:#3d444d}
.cut{stroke:#9198a1}.path{stroke:#f85149}.edge{stroke:#9198a1}.tip{fill:#9198a1}
.dot{fill:#f85149}}"""
ARROW_HEAD = """\
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"
orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>"""

A = ["1/3", "1/2", "2/3", "4/5"]
B = ["2/6", "2/4", "3/6", "1/1"]


def text(
    x: float, y: float, words: object, kind: str = "", anchor: str = "middle"
) -> str:
    return tag("text", words, x=x, y=y, text_anchor=anchor, class_=kind)


def cell(x: float, y: float, width: float, words: object, kind: str = "") -> str:
    return tag("rect", x=x, y=y, width=width, height=30, class_=kind) + text(
        x + width / 2, y + 20, words
    )


def line(x0: float, y0: float, x1: float, y1: float, kind: str) -> str:
    return tag("path", class_=kind, d=f"M{x0:g} {y0:g}L{x1:g} {y1:g}")


def merged() -> list[tuple[str, str]]:
    """Each item of the result with the array that it comes from."""
    items = [(words, "a") for words in A] + [(words, "b") for words in B]
    return sorted(items, key=lambda item: Fraction(item[0]))


def example() -> str:
    """Two arrays and their merge."""
    left, width = 90, 62
    shapes = []
    for name, values, y in (("d_a", A, 20), ("d_b", B, 70)):
        shapes.append(text(left - 14, y + 20, name, "h", "end"))
        for i, words in enumerate(values):
            shapes.append(cell(left + i * width, y, width, words, name[-1]))
    shapes.append(text(left - 14, 150, "d_out", "h", "end"))
    for i, (words, kind) in enumerate(merged()):
        shapes.append(cell(left + i * width, 130, width, words, kind))
    note = "1/2, 2/4 and 3/6 are equal: the item of d_a is first, then those of d_b in their order."
    shapes.append(text(left, 182, note, "s", "start"))
    return svg(
        660, 196, "Two sorted arrays of four fractions, and their merge", STYLE, shapes
    )


def path() -> str:
    """The merge as a path through a grid, cut by diagonals."""
    left, top, size = 120, 60, 48
    side = len(A)
    shapes = []
    for i in range(side + 1):
        shapes.append(
            line(left + i * size, top, left + i * size, top + side * size, "grid")
        )
        shapes.append(
            line(left, top + i * size, left + side * size, top + i * size, "grid")
        )
    for i in range(side):
        shapes.append(cell(left - 60, top + i * size + 9, 50, A[i], "a"))
        shapes.append(cell(left + i * size + 1, top - 40, size - 2, B[i], "b"))
    x, y = left, top
    points = [(x, y)]
    for _, kind in merged():
        x, y = (x, y + size) if kind == "a" else (x + size, y)
        points.append((x, y))
    shapes.append(
        tag("path", class_="path", d="M" + "L".join(f"{x:g} {y:g}" for x, y in points))
    )
    for diagonal in (3, 6):
        # From the end in d_a, or the lower border, up to the right.
        down = min(diagonal, side)
        x0, y0 = left + (diagonal - down) * size, top + down * size
        shapes.append(
            line(
                x0,
                y0,
                x0 + (2 * down - diagonal) * size,
                y0 - (2 * down - diagonal) * size,
                "cut",
            )
        )
        x, y = points[diagonal]
        shapes.append(tag("circle", cx=x, cy=y, r=6, class_="dot"))
        count = sum(kind == "a" for _, kind in merged()[:diagonal])
        words = f"diagonal {diagonal}: {count} of d_a, {diagonal - count} of d_b"
        shapes.append(text(left + side * size + 30, y + 4, words, "", "start"))
    notes = (
        "Down: the next item is of d_a.",
        "Right: the next item is of d_b.",
    )
    for i, words in enumerate(notes):
        shapes.append(
            text(left + side * size + 30, top + 14 + 20 * i, words, "s", "start")
        )
    label = "The merge as a path through a grid, cut by the diagonals 3 and 6"
    return svg(640, 272, label, STYLE, shapes)


def tile() -> str:
    """How a block of three threads merges a tile of nine items."""
    left, width, per_thread = 110, 46, 3
    of_a, of_b = [2, 5, 6, 8], [1, 3, 4, 7, 9]
    parts = [(value, "a") for value in of_a] + [(value, "b") for value in of_b]
    result = sorted(parts)
    shapes = []
    rows = [
        ("d_a, d_b", parts, "each part: neighbouring threads load neighbouring items"),
        ("tile", parts, "barrier; each thread searches its diagonal, and merges"),
        ("registers", result, "barrier; each thread writes its run"),
        ("tile", result, "barrier; neighbouring threads store neighbouring items"),
        ("d_out", result, ""),
    ]
    for row, (name, values, note) in enumerate(rows):
        y = 16 + 66 * row
        shapes.append(text(left - 14, y + 20, name, "h", "end"))
        for i, (value, kind) in enumerate(values):
            gap = 16 * (i // per_thread) if name == "registers" else 0
            if row == 0 and kind == "b":
                gap = 40
            shapes.append(cell(left + i * width + gap, y, width, value, kind))
        shapes.append(text(left, y + 50, note, "s", "start"))
    label = "A block of three threads merges a tile of nine items"
    return svg(640, 320, label, STYLE, shapes)


def rounds() -> str:
    """A tile of 24 items in four rounds."""
    left, width, items = 130, 20, 24
    shapes = []
    for row, run in enumerate((3, 6, 12, 24)):
        y = 16 + 50 * row
        name = "by threads" if row == 0 else f"round {row}"
        shapes.append(text(left - 14, y + 20, name, "h", "end"))
        for first in range(0, items, run):
            kind = "b" if first // run % 2 else "a"
            shapes.append(cell(left + first * width, y, run * width - 3, run, kind))
    note = "A box is a sorted run and its number of items. A round merges each blue run with the yellow one."
    shapes.append(text(left, 222, note, "s", "start"))
    label = (
        "Eight threads with three items each sort a tile of 24 items in three rounds"
    )
    return svg(720, 236, label, STYLE, shapes)


if __name__ == "__main__":
    for draw in (example, path, tile, rounds):
        save(f"{draw.__name__}.svg", draw())
