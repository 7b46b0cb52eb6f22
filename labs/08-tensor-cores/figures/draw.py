# SPDX-License-Identifier: MIT
"""Draws this folder's figures: `python3 draw.py` writes fragments.svg, swizzle.svg and split.svg."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs" / "figures"))
from svg import Drawing

STYLE = """text{font:13px system-ui,sans-serif;fill:#1f2328}.h{font-weight:600;font-size:14px}
.s{font-size:11px;fill:#59636e}.n{font-size:9px}
.cell{stroke:#8c959f;fill:none}.a{fill:#ddf4ff;stroke:#0969da}.b{fill:#dafbe1;stroke:#1a7f37}
.c{fill:#fff8c5;stroke:#9a6700}.x{fill:#ffebe9;stroke:#cf222e}
.box{fill:none;stroke:#1f2328;stroke-width:2}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9198a1}.cell{stroke:#656c76}
.a{fill:#12325c;stroke:#4493f8}.b{fill:#123a20;stroke:#3fb950}.c{fill:#3d2f00;stroke:#d29922}
.x{fill:#4c1417;stroke:#f85149}.box{stroke:#e6edf3}}"""

LANE = 5
G, T = divmod(LANE, 4)
CELL = 18


def grid(drawing: Drawing, x: float, y: float, rows: int, cols: int) -> None:
    for row in range(rows):
        for col in range(cols):
            drawing.box(x + col * CELL, y + row * CELL, CELL, CELL, "cell")
    for row in range(0, rows, 8):
        for col in range(0, cols, 8):
            drawing.box(x + col * CELL, y + row * CELL, 8 * CELL, 8 * CELL, "box")


def mark(
    drawing: Drawing, x: float, y: float, row: int, col: int, style: str, words: object
) -> None:
    drawing.box(x + col * CELL, y + row * CELL, CELL, CELL, style)
    drawing.text(x + (col + 0.5) * CELL, y + (row + 0.7) * CELL, words, "n", "middle")


def fragments() -> Drawing:
    """The words of one lane in the three matrices of mma.m16n8k16."""
    label = "The elements of A, B and D that lane 5 holds in mma.m16n8k16"
    drawing = Drawing(890, 400, label, STYLE, anchor="start")
    top = 70
    drawing.text(20, 24, f"mma.m16n8k16, lane {LANE}: g = {G}, t = {T}", "h")

    drawing.text(20, 54, "A: 16 x 16, four words")
    grid(drawing, 20, top, 16, 16)
    for word in range(4):
        for half in range(2):
            row, col = G + 8 * (word % 2), 2 * T + half + 8 * (word // 2)
            mark(drawing, 20, top, row, col, "a", f"a{word}")

    left = 360
    drawing.text(left, 54, "B: 16 x 8, two words")
    grid(drawing, left, top, 16, 8)
    for word in range(2):
        for half in range(2):
            mark(drawing, left, top, 2 * T + half + 8 * word, G, "b", f"b{word}")

    left = 540
    drawing.text(left, 54, "D: 16 x 8, four sums")
    grid(drawing, left, top, 16, 8)
    for index in range(4):
        mark(
            drawing,
            left,
            top,
            G + 8 * (index // 2),
            2 * T + index % 2,
            "c",
            f"d{index}",
        )

    for line, words in enumerate(
        [
            "A word of A is two",
            "neighbouring columns,",
            "a word of B two",
            "neighbouring rows.",
            "",
            "A black frame is one of",
            "ldmatrix's 8 x 8 matrices:",
            "eight rows of 16 bytes.",
            "Matrix i goes into word i,",
            "for A in the order of the",
            "words: down, then right.",
        ]
    ):
        drawing.text(715, 84 + 18 * line, words, "s")
    drawing.text(20, 384, "rows down, columns to the right, both from 0", "s")
    return drawing


def swizzle() -> Drawing:
    """Eight rows of eight chunks in shared memory, plain and swizzled; chunk 2 in colour."""
    label = (
        "Chunk 2 of eight rows: in one place without a swizzle, in eight places with it"
    )
    drawing = Drawing(890, 345, label, STYLE, anchor="start")
    size = 36
    for left, title, swizzled in (
        (60, "plain: chunk c of row r at c", False),
        (545, "swizzled: at c ^ (r % 8)", True),
    ):
        drawing.text(left, 24, title, "h")
        for place in range(8):
            drawing.text(left + (place + 0.5) * size, 44, place, "s", "middle")
        for row in range(8):
            drawing.text(left - 34, 50 + (row + 0.6) * size, f"row {row}", "s")
            for place in range(8):
                chunk = place ^ row if swizzled else place
                style = ("b" if swizzled else "x") if chunk == 2 else "cell"
                x, y = left + place * size, 50 + row * size
                drawing.box(x, y, size, size, style)
                drawing.text(x + size / 2, y + 0.6 * size, chunk, "", "middle")
    drawing.text(366, 110, "columns:", "s")
    drawing.text(366, 128, "places of 16 bytes,", "s")
    drawing.text(366, 146, "4 banks each", "s")
    drawing.text(366, 182, "red: 8 wavefronts", "s")
    drawing.text(366, 200, "green: 1", "s")
    return drawing


def split() -> Drawing:
    """The parts of A side by side, those of B below each other."""
    label = "One product of three times the depth adds the three products of parts"
    drawing = Drawing(890, 330, label, STYLE, anchor="start")
    drawing.text(20, 24, "three products of depth K are one product of depth 3 K", "h")
    width, height = 130, 80
    names = ("low", "high", "high"), ("high", "low", "high")
    styles = ("c", "a", "a"), ("b", "c", "b")
    for i in range(3):
        drawing.box(20 + i * width, 216, width, height, styles[0][i])
        drawing.text(20 + (i + 0.5) * width, 262, f"A {names[0][i]}", "", "middle")
        drawing.box(440, 40 + i * 56, 110, 56, styles[1][i])
        drawing.text(495, 40 + i * 56 + 33, f"B {names[1][i]}", "", "middle")
    drawing.box(440, 216, 110, height, "cell")
    drawing.text(495, 262, "C", "", "middle")
    drawing.text(20, 314, "num_rows x 3 depth", "s")
    drawing.text(440, 314, "num_rows x num_cols", "s")
    for line, words in enumerate(
        [
            "C = A low  x B high",
            "  + A high x B low",
            "  + A high x B high",
            "",
            "The small products come first.",
            "A low x B low is left out.",
        ]
    ):
        drawing.text(600, 90 + 22 * line, words)
    return drawing


if __name__ == "__main__":
    fragments().save("fragments.svg")
    swizzle().save("swizzle.svg")
    split().save("split.svg")
