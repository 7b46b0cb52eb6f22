# SPDX-License-Identifier: MIT
"""Draws the figures of the handout: python3 draw.py writes the .svg files here."""

import sys
from itertools import accumulate
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs" / "figures"))
from svg import save, svg, tag

STYLE = """\
text{font:14px system-ui,sans-serif;fill:#1f2328}.h{font-weight:600}.s{font-size:12px;fill:#59636e}
rect{fill:none;stroke:#8c959f}.on{fill:#ddf4ff;stroke:#0969da}.faint{fill:#8c959f}
.edge{stroke:#0969da;stroke-width:1.5;fill:none;marker-end:url(#tip)}.tip{fill:#0969da}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9198a1}rect{stroke:#656c76}
.on{fill:#12325c;stroke:#4493f8}.faint{fill:#656c76}.edge{stroke:#4493f8}.tip{fill:#4493f8}}"""
ARROW_HEAD = """\
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"
orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>"""


def text(x: float, y: float, words: object, kind: str = "", anchor: str = "middle") -> str:
    return tag("text", words, x=x, y=y, text_anchor=anchor, class_=kind)


def cell(x: float, y: float, width: float, words: object, on: bool, faint: bool = False) -> str:
    box = tag("rect", x=x, y=y, width=width, height=30, class_="on" if on else "")
    return box + text(x + width / 2, y + 20, words, "faint" if faint else "")


def edge(x0: float, y0: float, x1: float, y1: float) -> str:
    middle = (y0 + y1) / 2
    steps = f"M{x0:g} {y0:g}C{x0:g} {middle:g} {x1:g} {middle:g} {x1:g} {y1:g}"
    return tag("path", class_="edge", d=steps)


def flag_scan_scatter() -> str:
    """The even ones of eight items, and where each is put."""
    items = [5, 2, 8, 1, 6, 10, 3, 4]
    flags = [1 - item % 2 for item in items]
    places = list(accumulate(flags, initial=0))[:-1]
    kept = [item for item, flag in zip(items, flags, strict=True) if flag]
    left, width = 120, 56

    shapes: list[str] = []
    rows = (("d_in", items, 20), ("flags", flags, 70), ("places", places, 120))
    for name, values, y in rows:
        shapes.append(text(left - 14, y + 20, name, "h", "end"))
        for i, value in enumerate(values):
            x = left + i * width
            shapes.append(cell(x, y, width, value, flags[i] == 1, flags[i] == 0))
    right = left + len(items) * width + 16
    shapes.append(text(right, 40, "keep the even ones", "s", "start"))
    shapes.append(text(right, 90, "1: kept", "s", "start"))
    shapes.append(text(right, 140, "exclusive scan of the flags", "s", "start"))
    shapes.append(text(left - 14, 260, "d_out", "h", "end"))
    for place in range(len(items)):
        written = place < len(kept)
        words: object = kept[place] if written else "-"
        shapes.append(cell(left + place * width, 240, width, words, written, not written))
        shapes.append(text(left + (place + 0.5) * width, 288, place, "s"))
    for i, flag in enumerate(flags):
        if flag:
            shapes.append(
                edge(left + (i + 0.5) * width, 151, left + (places[i] + 0.5) * width, 239)
            )
    count = f"d_count = {places[-1]} + {flags[-1]} = {len(kept)}"
    shapes.append(text(right, 250, count, "h", "start"))
    shapes.append(text(right, 268, "last place + last flag", "s", "start"))
    label = "Eight items, their flags, the scan of the flags, and the output"
    return svg(800, 300, label, STYLE, [ARROW_HEAD, *shapes])


def packed_counts() -> str:
    """How one scan over a warp ranks four rows at once: lanes 0 to 3 of 32."""
    counts = [[2, 0, 4, 1], [1, 3, 2, 2], [0, 1, 4, 3], [3, 2, 1, 0]]  # by lane, then row
    before = [[0] * 4]
    for lane in counts:
        before.append([a + b for a, b in zip(before[-1], lane, strict=True)])
    left, width, group = 150, 34, 152

    shapes: list[str] = []
    for lane in range(4):
        shapes.append(text(left + lane * group + 2 * width, 24, f"lane {lane}", "h"))
        for row in range(4):
            x = left + lane * group + (3 - row) * width
            shapes.append(text(x + width / 2, 46, row, "s"))
            shapes.append(cell(x, 56, width, counts[lane][row], on=True))
            shapes.append(cell(x, 126, width, before[lane][row], on=False))
        if lane > 0:
            x0 = left + (lane - 1) * group + 2 * width
            shapes.append(edge(x0, 87, left + lane * group + 2 * width, 125))
    shapes.append(text(left - 14, 46, "row", "s", "end"))
    shapes.append(text(left - 14, 68, "kept of the", "h", "end"))
    shapes.append(text(left - 14, 84, "lane's vectors", "h", "end"))
    shapes.append(text(left - 14, 138, "kept by lanes", "h", "end"))
    shapes.append(text(left - 14, 154, "below, by row", "h", "end"))
    note = "A byte per row, a word per lane: one exclusive scan of words adds all rows at once."
    shapes.append(text(left, 186, note, "s", "start"))
    label = "Counts of four rows in the four bytes of a word"
    return svg(770, 200, label, STYLE, [ARROW_HEAD, *shapes])


if __name__ == "__main__":
    save("flag_scan_scatter.svg", flag_scan_scatter())
    save("packed_counts.svg", packed_counts())
