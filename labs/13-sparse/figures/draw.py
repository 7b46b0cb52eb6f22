# SPDX-License-Identifier: MIT
"""Draws the figures of the handout: python3 draw.py writes the .svg files here."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs" / "figures"))
from svg import box, save, svg, tag, text

STYLE = """\
text{font:14px system-ui,sans-serif;fill:#1f2328}.h{font-weight:600}.s{font-size:12px;fill:#59636e}
rect{fill:none;stroke:#8c959f}.on{fill:#ddf4ff;stroke:#0969da}.odd{fill:#fff8c5;stroke:#9a6700}
.faint{fill:#8c959f}.edge{stroke:#59636e;stroke-width:1.5;fill:none}
.walk{stroke:#0969da;stroke-width:5;fill:none}.next{stroke:#9a6700;stroke-width:5;fill:none}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9198a1}rect{stroke:#656c76}
.on{fill:#12325c;stroke:#4493f8}.odd{fill:#3b2e00;stroke:#d29922}.faint{fill:#656c76}
.edge{stroke:#9198a1}.walk{stroke:#4493f8}.next{stroke:#d29922}}"""

ROWS = [{0: 2, 3: 1}, {}, {1: 3, 2: 1, 4: 2}, {0: 4}]
NUM_COLUMNS = 5
COLUMNS = [column for row in ROWS for column in row]
VALUES = [value for row in ROWS for value in row.values()]
OFFSETS = [sum(len(row) for row in ROWS[:end]) for end in range(len(ROWS) + 1)]
X = [1, 2, 3, 4, 5]
PRODUCTS = [value * X[column] for column, value in zip(COLUMNS, VALUES, strict=True)]
STEPS_PER_THREAD = 3


def cell(x: float, y: float, width: float, words: object, style: str = "") -> str:
    frame = box(x, y, width, 30, style if style != "faint" else "")
    return frame + text(
        x + width / 2, y + 20, words, "faint" if style == "faint" else ""
    )


def line(x0: float, y0: float, x1: float, y1: float, style: str) -> str:
    return tag("path", class_=style, d=f"M{x0:g} {y0:g}L{x1:g} {y1:g}")


def odd(row: int) -> str:
    return "odd" if row % 2 else "on"


def example() -> str:
    """A matrix, its three arrays, and its product with a vector."""
    shapes = []
    for row, nonzeros in enumerate(ROWS):
        y = 20 + 34 * row
        shapes.append(text(24, y + 20, f"row {row}", "s"))
        for column in range(NUM_COLUMNS):
            known = column in nonzeros
            style = odd(row) if known else "faint"
            shapes.append(cell(60 + 40 * column, y, 40, nonzeros.get(column, 0), style))
        total = sum(value * X[column] for column, value in nonzeros.items())
        shapes.append(text(288, y + 20, "x" if row == 1 else ""))
        shapes.append(text(386, y + 20, "=" if row == 1 else ""))
        shapes.append(cell(410, y, 44, total, odd(row)))
    shapes += [cell(320, 4 + 34 * i, 44, value) for i, value in enumerate(X)]
    arrays = (("d_offsets", OFFSETS), ("d_columns", COLUMNS), ("d_values", VALUES))
    for i, (name, items) in enumerate(arrays):
        y = 200 + 38 * i
        shapes.append(text(110, y + 20, name, "h", "end"))
        for place, item in enumerate(items):
            row = sum(end <= place for end in OFFSETS[1:])
            style = odd(place) if name == "d_offsets" else odd(row)
            style = "" if name == "d_offsets" else style
            shapes.append(cell(130 + 44 * place, y, 44, item, style))
    label = "A matrix of four rows, its product with a vector, and its three arrays"
    return svg(500, 330, label, STYLE, shapes)


def path() -> str:
    """The path through the nonzeros and the ends of the rows, cut into equal walks."""
    left, top, side = 150, 60, 54
    ends = OFFSETS[1:]
    shapes = [text(left + 3 * side, 22, "nonzeros: add a product", "h")]
    for k, product in enumerate(PRODUCTS):
        shapes.append(text(left + (k + 0.5) * side, top - 12, product, "s"))
    for row, end in enumerate(ends):
        y = top + (row + 0.5) * side
        shapes.append(text(left - 14, y + 5, f"row {row} ends at {end}", "s", "end"))
    for row in range(len(ROWS)):
        for k in range(len(PRODUCTS)):
            shapes.append(box(left + k * side, top + row * side, side, side, ""))
    row = nonzero = 0
    num_steps = len(ROWS) + len(PRODUCTS)
    for step in range(num_steps):
        x, y = left + nonzero * side, top + row * side
        style = "next" if step // STEPS_PER_THREAD % 2 else "walk"
        if step % STEPS_PER_THREAD == 0:
            thread = step // STEPS_PER_THREAD
            shapes.append(text(x + 8, y + 18, f"t{thread}", "h", "start"))
        if row < len(ROWS) and ends[row] <= nonzero:
            shapes.append(line(x, y, x, y + side, style))
            row += 1
        else:
            shapes.append(line(x, y, x + side, y, style))
            nonzero += 1
    note = "Right: add a product. Down: the row ends. Each thread walks three steps."
    shapes.append(text(left, top + 4 * side + 28, note, "s", "start"))
    label = "The merge path of the example: ten steps, three for each thread"
    return svg(640, top + 4 * side + 44, label, STYLE, shapes)


def levels() -> str:
    """The graph of the worked example, with each vertex at its distance."""
    places = {
        0: (0, 1),
        1: (1, 0),
        2: (1, 2),
        3: (2, 0),
        4: (2, 2),
        5: (3, 0),
        6: (4.4, 0),
    }
    places[7] = (4.4, 2)
    edges = [(0, 1), (0, 2), (1, 3), (2, 3), (2, 4), (3, 5), (6, 7)]
    centres = {v: (90 + 120 * x, 60 + 50 * y) for v, (x, y) in places.items()}
    shapes = [line(*centres[v], *centres[w], "edge") for v, w in edges]
    for vertex, (x, y) in centres.items():
        style = odd(int(places[vertex][0])) if vertex < 6 else ""
        shapes.append(tag("circle", cx=x, cy=y, r=17, class_=style or "out"))
        shapes.append(text(x, y + 5, vertex))
    for distance in range(4):
        shapes.append(text(90 + 120 * distance, 24, f"distance {distance}", "s"))
    shapes.append(text(90 + 120 * 4.4, 24, "not reached: -1", "s"))
    style = (
        STYLE
        + "\ncircle{fill:#fff;stroke:#8c959f}circle.on{fill:#ddf4ff}circle.odd{fill:#fff8c5}"
    )
    style += "\n@media (prefers-color-scheme:dark){circle{fill:#0d1117}circle.on{fill:#12325c}"
    style += "circle.odd{fill:#3b2e00}}"
    label = "Eight vertices, searched from vertex 0: each column is one distance"
    return svg(720, 200, label, style, shapes)


if __name__ == "__main__":
    for draw in (example, path, levels):
        save(f"{draw.__name__}.svg", draw())
