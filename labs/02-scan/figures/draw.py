# SPDX-License-Identifier: MIT
"""Draws the figures of the handout: python3 draw.py writes steps.svg, tree.svg and
window.svg here.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs" / "figures"))
from svg import box, path, save, svg, tag

ITEMS = [3, 1, 7, 0, 4, 1, 6, 3]
CELL, HEIGHT, GAP, LEFT = 62, 26, 30, 150

STYLE = """\
text{font:13px system-ui,sans-serif;fill:#1f2328;text-anchor:middle}.s{font-size:12px;fill:#59636e}
.left{text-anchor:start}.cell{fill:none;stroke:#8c959f}.new{fill:#ddf4ff;stroke:#0969da}
.zero{fill:#fff8c5;stroke:#9a6700}.edge{stroke:#0969da;fill:none}.move{stroke:#8c959f;fill:none}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9198a1}.cell{stroke:#656c76}
.new{fill:#12325c;stroke:#4493f8}.zero{fill:#4b3a08;stroke:#d29922}.edge{stroke:#4493f8}
.move{stroke:#656c76}}"""


class Drawing:
    """Rows of eight words each, with lines from row to row."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.parts: list[str] = []
        self.bottom = 14

    def x(self, word: int) -> float:
        return LEFT + CELL * word + CELL / 2

    def row(self, note: str, words: list[int], marked: dict[int, str]) -> None:
        """One row; `marked` gives some words another class than `cell`."""
        top = self.bottom
        self.text(10, top + 18, note, "s left")
        for i, word in enumerate(words):
            kind = marked.get(i, "cell")
            left = LEFT + CELL * i
            self.parts.append(box(left, top, CELL, HEIGHT, kind))
            self.text(self.x(i), top + 18, str(word))
        self.bottom = top + HEIGHT + GAP

    def line(self, start: int, end: int, kind: str = "edge") -> None:
        """From a word of the row before last to one of the row just drawn."""
        top = self.bottom - 2 * GAP - HEIGHT
        self.parts.append(path(f"M{self.x(start)} {top}L{self.x(end)} {top + GAP}", kind))

    def text(self, x: float, y: float, text: str, kind: str = "") -> None:
        self.parts.append(tag("text", text, x=str(x), y=str(y), class_=kind or None))

    def save(self, name: str) -> None:
        width, height = LEFT + CELL * 8 + 12, self.bottom - GAP + 12
        save(name, svg(width, height, self.label, STYLE, self.parts, made="Drawn"))


def draw_steps() -> None:
    """Hillis and Steele: every word takes in the word `distance` to its left."""
    drawing = Drawing("Three steps of Hillis and Steele's scan over eight words")
    words = [0, *ITEMS[:-1]]  # shifted: the exclusive scan comes out
    drawing.row("shifted items", words, {})
    for distance in (1, 2, 4):
        words = [w + words[i - distance] if i >= distance else w for i, w in enumerate(words)]
        drawing.row(f"distance {distance}", words, {i: "new" for i in range(distance, 8)})
        for i in range(8):
            drawing.line(i, i, "move")
            if i >= distance:
                drawing.line(i - distance, i)
    drawing.save("steps.svg")


def draw_tree() -> None:
    """Blelloch: sums on the way up, prefixes on the way down, over 0 to 7."""
    drawing = Drawing("Blelloch's up-sweep and down-sweep over the words 0 to 7")
    words = list(range(8))
    drawing.row("items", words, {})
    for stride in (1, 2, 4):
        nodes = range(2 * stride - 1, 8, 2 * stride)
        for node in nodes:
            words[node] += words[node - stride]
        drawing.row(f"up, stride {stride}", words, dict.fromkeys(nodes, "new"))
        for node in nodes:
            drawing.line(node - stride, node)
            drawing.line(node, node)
    words[7] = 0
    drawing.row("the root is 0, once", words, {7: "zero"})
    for stride in (4, 2, 1):
        nodes = range(2 * stride - 1, 8, 2 * stride)
        marked = {}
        for node in nodes:
            left = words[node - stride]
            words[node - stride] = words[node]
            words[node] += left
            marked |= {node - stride: "new", node: "new"}
        drawing.row(f"down, stride {stride}", words, marked)
        for node in nodes:
            drawing.line(node, node - stride, "move")
            drawing.line(node - stride, node)
            drawing.line(node, node)
    drawing.save("tree.svg")


def draw_window() -> None:
    """Tile 20 looks back, and the nearest prefix is tile 16's. Seven of the 32 lanes are drawn."""
    words = (("A", 4), ("P", 64), ("A", 2), ("P", 71), ("A", 2), ("A", 5), ("A", 3))
    first_tile, width, top, left = 13, 66, 66, 118
    nearest = max(i for i, (state, _) in enumerate(words) if state == "P")
    shapes = []
    for below, label in ((-28, "lane"), (-8, "tile"), (19, "its word"), (78, "adds")):
        shapes.append(_label(100, top + below, label, "end"))
    for i, (state, value) in enumerate(words):
        x, counts = left + i * width, i >= nearest
        style = ("zero" if state == "P" else "new") if counts else "cell"
        shapes.append(_label(x + width / 2, top - 28, str(len(words) - 1 - i)))
        shapes.append(_label(x + width / 2, top - 8, str(first_tile + i)))
        shapes.append(box(x, top, width - 6, HEIGHT, style))
        shapes.append(tag("text", f"{state} {value}", x=x + (width - 6) / 2, y=top + 18))
        added = str(value) if counts else "-"
        if counts:
            shapes.append(path(f"M{x + (width - 6) / 2} {top + HEIGHT + 4}v28", "edge"))
        shapes.append(tag("text", added, x=x + (width - 6) / 2, y=top + 78))
    x = left + len(words) * width + 10
    total = sum(value for _, value in words[nearest:])
    shapes.append(box(x, top, 96, HEIGHT, "cell"))
    shapes.append(_label(x + 48, top - 8, "20 looks back"))
    shapes.append(tag("text", f"= {total}", x=x + 48, y=top + 78))
    shapes.append(_label(left, top + 112, _LEGEND, "start"))
    save("window.svg", svg(720, 190, "A warp's window of a look-back", STYLE, shapes))


_LEGEND = "A: aggregate, the tile's own sum. P: prefix, the sum of all tiles up to its end."


def _label(x: float, y: float, words: str, anchor: str = "middle") -> str:
    return tag("text", words, x=x, y=y, class_="s", style=f"text-anchor:{anchor}")


if __name__ == "__main__":
    draw_steps()
    draw_tree()
    draw_window()
