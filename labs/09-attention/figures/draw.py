# SPDX-License-Identifier: MIT
"""Draws the figures of the handout: python3 draw.py writes the .svg files here."""

import sys
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs" / "figures"))
from svg import box, save, svg, text

STYLE = """\
text{font:14px system-ui,sans-serif;fill:#1f2328}.h{font-weight:600}.s{font-size:12px;fill:#59636e}
rect{fill:none;stroke:#8c959f}.on{fill:#ddf4ff;stroke:#0969da}.cut{fill:#fff8c5;stroke:#9a6700}
.out{fill:#f6f8fa;stroke:#d1d9e0}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9198a1}rect{stroke:#656c76}
.on{fill:#12325c;stroke:#4493f8}.cut{fill:#3d3000;stroke:#d29922}
.out{fill:#151b23;stroke:#3d444d}}"""


def cell(x: float, y: float, width: float, words: object, style: str = "") -> str:
    return box(x, y, width, 30, style) + text(x + width / 2, y + 20, words)


def online() -> str:
    """The worked example: three keys, one after another, and what is kept."""
    powers, values = [1, 3, 4], [8, 16, 4]  # e^score
    heads = ["key", "score", "value", "maximum", "correction", "power", "sum", "output"]
    width = 92
    shapes = [text(20 + (i + 0.5) * width, 34, head, "h") for i, head in enumerate(heads)]
    largest, total, output = 0, Fraction(0), Fraction(0)
    for key, (power, value) in enumerate(zip(powers, values, strict=True)):
        new_largest = max(largest, power)
        correction, largest = Fraction(largest, new_largest), new_largest
        share = Fraction(power, largest)
        total, output = total * correction + share, output * correction + share * value
        cells = [key, "0" if power == 1 else f"log {power}", value]
        cells += [
            "0" if largest == 1 else f"log {largest}",
            correction,
            share,
            total,
            output,
        ]
        for i, content in enumerate(cells):
            style = "on" if i >= 6 else ""
            shapes.append(cell(20 + i * width, 48 + 38 * key, width - 6, content, style))
    end = f"{output} / {total} = {output / total}"
    shapes.append(text(20 + 8 * width - 6, 184, end, "h", "end"))
    label = "Three keys in turn: each larger maximum corrects the sum and the output so far"
    return svg(40 + 8 * width, 200, label, STYLE, shapes)


def causal() -> str:
    """Tiles of queries and keys of a causal call: whole, on the diagonal, and not visited."""
    left, top, edge, tiles = 130, 50, 62, 5
    shapes = [text(left + tiles * edge / 2, 22, "keys", "h")]
    for i in range(tiles):
        shapes.append(text(left + (i + 0.5) * edge, 42, f"from {64 * i}", "s"))
        place = f"queries {64 * i} to {64 * i + 63}"
        shapes.append(text(left - 10, top + (i + 0.5) * edge + 4, place, "s", "end"))
        for j in range(tiles):
            style = "on" if j < i else "cut" if j == i else "out"
            shapes.append(box(left + j * edge, top + i * edge, edge - 4, edge - 4, style))
    x = left + tiles * edge + 24
    words = ["whole", "on the diagonal: masked", "not visited"]
    for i, (style, what) in enumerate(zip(("on", "cut", "out"), words, strict=True)):
        shapes.append(box(x, top + 40 * i, 24, 24, style))
        shapes.append(text(x + 34, top + 40 * i + 17, what, anchor="start"))
    shapes.append(text(x, top + 150, "A block has a row of tiles.", "s", "start"))
    shapes.append(text(x, top + 172, "The longest row starts first.", "s", "start"))
    label = "Causal attention of 320 queries: 15 of 25 tiles are visited, and 5 of them are masked"
    return svg(x + 230, top + tiles * edge + 20, label, STYLE, shapes)


def chain() -> str:
    """The sums of two score tiles of lane 5 as the words of one fragment of weights."""
    left, top, width = 60, 60, 38
    row, pair = 5 // 4, 2 * (5 % 4)  # of lane 5
    shapes = [
        text(
            left,
            24,
            "scores of 16 queries and 16 keys: two products of 16 x 8",
            "h",
            "start",
        )
    ]
    for col in range(16):
        x = left + col * width + (10 if col >= 8 else 0)
        shapes.append(text(x + width / 2, 48, col, "s"))
        for line in range(16):
            mine = line % 8 == row and col % 8 in (pair, pair + 1)
            y = top + line * 20
            shapes.append(box(x, y, width, 20, "on" if mine else "out"))
            if mine:
                number = 2 * (line // 8) + col % 2
                tile = "L" if col < 8 else "R"
                shapes.append(text(x + width / 2, y + 15, f"{tile}{number}", "s"))
    for line in (0, 8, 15):
        shapes.append(text(left - 10, top + line * 20 + 15, line, "s", "end"))
    x = left + 16 * width + 50
    shapes.append(text(x, 24, "words of lane 5", "h", "start"))
    for i, pair_of in enumerate(("L0, L1", "L2, L3", "R0, R1", "R2, R3")):
        shapes.append(text(x, top + 20 + 44 * i, f"word {i}", "s", "start"))
        shapes.append(cell(x + 60, top + 44 * i, 90, pair_of, "on"))
    shapes.append(text(x, top + 210, "rounded to bfloat16,", "s", "start"))
    shapes.append(text(x, top + 230, "the first in the lower half", "s", "start"))
    label = (
        "Lane 5's sums of two score tiles, L and R, are the four words of its fragment of weights"
    )
    return svg(x + 190, top + 340, label, STYLE, shapes)


def overlap() -> str:
    """When the tensor cores and the warps of one warpgroup work, for three steps, in two orders."""
    left, width, tall = 120, 92, 44  # of a product, and of the powers of a step
    in_turn = [(3 * i + at, kind, i) for i in range(3) for at, kind in enumerate("SPO")]
    under_way = [(0, "S", 0), (1, "P", 0), (2, "S", 1), (3, "O", 0), (3, "P", 1)]
    under_way += [(4, "S", 2), (5, "O", 1), (5, "P", 2), (6, "O", 2)]
    names = {"S": "scores", "P": "powers", "O": "outputs"}
    shapes = []
    for top, head, work in (
        (30, "in turn", in_turn),
        (180, "outputs of a step during the powers of the next", under_way),
    ):
        shapes.append(text(left, top, head, "h", "start"))
        for line, unit in enumerate(("tensor cores", "warps")):
            shapes.append(text(left - 10, top + 37 + line * tall, unit, "s", "end"))
            shapes.append(box(left, top + 14 + line * tall, 9 * width, tall - 8, "out"))
        for at, kind, step in work:
            y, style = (top + 14 + tall, "cut") if kind == "P" else (top + 14, "on")
            shapes.append(box(left + at * width, y, width - 2, tall - 8, style))
            middle = left + (at + 0.5) * width - 1
            shapes.append(text(middle, y + 23, f"{names[kind]} {step}", "s"))
    label = (
        "Scores, powers and outputs of three steps in turn, and then with the outputs of a step "
        "during the powers of the next"
    )
    return svg(left + 9 * width + 20, 300, label, STYLE, shapes)


if __name__ == "__main__":
    save("online.svg", online())
    save("causal.svg", causal())
    save("chain.svg", chain())
    save("overlap.svg", overlap())
