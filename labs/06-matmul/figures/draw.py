# SPDX-License-Identifier: MIT
"""Draws this folder's figures: `python3 draw.py` writes tiles.svg and hierarchy.svg."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs" / "figures"))
from svg import Drawing

STYLE = """text{font:13px system-ui,sans-serif;fill:#1f2328}.h{font-weight:600;font-size:14px}
.s{font-size:11px;fill:#59636e}
.cell{stroke:#8c959f;fill:none}.a{fill:#ddf4ff;stroke:#0969da}.b{fill:#dafbe1;stroke:#1a7f37}
.c{fill:#fff8c5;stroke:#9a6700}.box{fill:none;stroke:#1f2328;stroke-width:2}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9198a1}.cell{stroke:#656c76}
.a{fill:#12325c;stroke:#4493f8}.b{fill:#123a20;stroke:#3fb950}.c{fill:#3d2f00;stroke:#d29922}
.box{stroke:#e6edf3}}"""

A = [[2, 6, 7, 5], [3, 1, 4, 6], [8, 9, 0, 1], [2, 7, 7, 4]]
B = [[1, 6, 2, 1], [3, 9, 8, 4], [5, 6, 3, 9], [1, 0, 7, 2]]
CELL = 34


def product(depth: int) -> list[list[int]]:
    """The sums of the first block of 2 x 2 over k < depth."""
    return [[sum(A[i][k] * B[k][j] for k in range(depth)) for j in range(2)] for i in range(2)]


def matrix(
    drawing: Drawing,
    x: float,
    y: float,
    values: list[list[int]],
    tile: range,
    kind: str,
    by_rows: bool,
) -> None:
    """4 x 4 cells, the tile's in colour: of A, rows 0 and 1; of B, columns 0 and 1."""
    for row in range(4):
        for col in range(4):
            inside = (row < 2 and col in tile) if by_rows else (col < 2 and row in tile)
            drawing.box(x + col * CELL, y + row * CELL, CELL, CELL, kind if inside else "cell")
            drawing.text(
                x + (col + 0.5) * CELL, y + (row + 0.65) * CELL, values[row][col], "", "middle"
            )


def tiles() -> Drawing:
    """Both steps of the worked example, side by side."""
    label = "A block of two by two outputs walks along the depth in two tiles"
    drawing = Drawing(890, 345, label, STYLE, anchor="start")
    for step in range(2):
        left = 20 + 430 * step
        tile = range(2 * step, 2 * step + 2)
        drawing.text(left, 24, f"tile {step}: k = {tile[0]}, {tile[1]}", "h")
        drawing.text(left + 172, 42, "B")
        matrix(drawing, left + 172, 50, B, tile, "b", by_rows=False)
        drawing.text(left, 202, "A")
        matrix(drawing, left, 196 + 12, A, tile, "a", by_rows=True)
        for i, sums in enumerate(product(2 * step + 2)):
            for j, value in enumerate(sums):
                x = left + 172 + j * CELL
                y = 208 + i * CELL
                drawing.box(x, y, CELL, CELL, "c")
                drawing.text(x + CELL / 2, y + 0.65 * CELL, value, "", "middle")
        row = A[0][tile[0]], A[0][tile[1]]
        col = B[tile[0]][0], B[tile[1]][0]
        before = f"{product(2)[0][0]} + " if step else ""
        words = f"{before}{row[0]} x {col[0]} + {row[1]} x {col[1]} = {product(2 * step + 2)[0][0]}"
        drawing.text(left + 252, 228, words)
        drawing.text(left + 252, 246, "is the sum of thread (0, 0)", "s")
        drawing.text(left + 172, 300, "sums of the block's four threads", "s")
    return drawing


def hierarchy() -> Drawing:
    """A block's tile, one warp's share of it, one lane's share of that (rungs 04c and 04d)."""
    label = "A block tile of 128 x 128, a warp tile of 32 x 64, 8 x 8 outputs per thread"
    drawing = Drawing(890, 260, label, STYLE, anchor="start")
    drawing.text(20, 24, "block: 128 x 128, 8 warps", "h")
    for warp in range(8):
        x, y = 20 + warp % 2 * 100, 40 + warp // 2 * 50
        drawing.box(x, y, 100, 50, "c" if warp == 5 else "cell")
        drawing.text(x + 50, y + 29, f"warp {warp}", "s", "middle")
    drawing.box(20, 40, 200, 200, "box")
    drawing.text(280, 24, "warp: 32 x 64, lanes as 4 x 8, in vectors of 4", "h")
    size = 22
    for row in range(8):
        for col in range(16):
            mine = row % 4 == 1 and col % 8 == 2
            drawing.box(280 + col * size, 40 + row * size, size, size, "c" if mine else "cell")
    drawing.box(280, 40, 16 * size, 8 * size, "box")
    drawing.text(656, 60, "each square: 4 x 4 outputs")
    drawing.text(656, 80, "yellow: the 8 x 8 of lane 10")
    for line, words in enumerate(
        [
            "a step in k: 2 vectors of A,",
            "2 of B, 64 multiply-adds.",
            "8 neighbouring lanes read",
            "8 neighbouring vectors",
            "of B: all 32 banks.",
            "05: 64 x 64, lanes as 8 x 4,",
            "8 x 16 outputs per lane",
        ]
    ):
        drawing.text(656, 112 + 18 * line, words, "s")
    return drawing


if __name__ == "__main__":
    tiles().save("tiles.svg")
    hierarchy().save("hierarchy.svg")
