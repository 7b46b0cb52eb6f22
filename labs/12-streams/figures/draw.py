# SPDX-License-Identifier: MIT
"""Draws the figures of the handout: python3 draw.py writes the .svg files here."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs" / "figures"))
from svg import save, svg, tag

STYLE = """\
text{font:14px system-ui,sans-serif;fill:#1f2328}.h{font-weight:600}.s{font-size:12px;fill:#59636e}
rect{stroke:#8c959f}.c0{fill:#ddf4ff}.c1{fill:#fff8c5}.c2{fill:#dafbe1}.c3{fill:#fbefff}
line{stroke:#8c959f;stroke-dasharray:3 3}
.path{stroke:#cf222e;stroke-width:2.5}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9198a1}rect{stroke:#656c76}
.c0{fill:#12325c}.c1{fill:#4d3800}.c2{fill:#0f3d1f}.c3{fill:#3c1e70}line{stroke:#656c76}
.path{stroke:#ff7b72}}"""
ENGINES = ("copy in", "compute", "copy out")
LEFT, UNIT, ROW = 110, 48, 34


def text(x: float, y: float, words: object, kind: str = "", anchor: str = "middle") -> str:
    return tag("text", words, x=x, y=y, text_anchor=anchor, class_=kind)


def box(begin: float, row: float, words: str, chunk: int, kind: str = "") -> str:
    """One unit of time on a row."""
    x = LEFT + begin * UNIT
    shape = tag("rect", x=x, y=row, width=UNIT, height=ROW - 6, rx=3, class_=f"c{chunk % 4} {kind}")
    return shape + text(x + UNIT / 2, row + 19, words)


def names(top: float) -> list[str]:
    return [text(LEFT - 12, top + ROW * i + 19, name, "h", "end") for i, name in enumerate(ENGINES)]


def overlap() -> str:
    """Four chunks: one after another, and overlapped."""
    top, below = 40, 190
    shapes = [text(LEFT, top - 14, "one stream: 12 units", "s", "start"), *names(top)]
    shapes += [
        box(3 * chunk + stage, top + ROW * stage, str(chunk), chunk)
        for chunk in range(4)
        for stage in range(3)
    ]
    shapes += [text(LEFT, below - 14, "three streams: 6 units", "s", "start"), *names(below)]
    path = {(0, 0), (1, 0), (2, 0), (3, 0), (3, 1), (3, 2)}
    shapes += [
        box(
            chunk + stage,
            below + ROW * stage,
            str(chunk),
            chunk,
            "path" if (chunk, stage) in path else "",
        )
        for chunk in range(4)
        for stage in range(3)
    ]
    note = "Framed: the critical path. Chunks 0 and 3 share a stream."
    shapes.append(text(LEFT, below + 3 * ROW + 16, note, "s", "start"))
    label = "Four chunks through three engines: one after another, and overlapped"
    return svg(720, 320, label, STYLE, shapes)


def buffers() -> str:
    """Five chunks through three buffers: who has a buffer when."""
    top = 40
    shapes = [text(LEFT, top - 14, "time", "s", "start")]
    for buffer in range(3):
        shapes.append(text(LEFT - 12, top + ROW * buffer + 19, f"buffer {buffer}", "h", "end"))
    for chunk in range(5):
        row = top + ROW * (chunk % 3)
        for stage, name in enumerate(("in", "sum", "out")):
            shapes.append(box(chunk + stage, row, f"{name} {chunk}", chunk))
    note = "Copy in 3 must wait for copy out 0, which had the same buffer. Sum 3 must wait for sum 2."
    shapes.append(text(LEFT, top + 3 * ROW + 18, note, "s", "start"))
    label = "Five chunks through three buffers, which are filled, summed and emptied in turn"
    return svg(720, 176, label, STYLE, shapes)


if __name__ == "__main__":
    save("overlap.svg", overlap())
    save("buffers.svg", buffers())
