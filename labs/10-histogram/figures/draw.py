# SPDX-License-Identifier: MIT
"""Draws the figures of the handout: python3 draw.py writes the .svg files here."""

import sys
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


def cell(x: float, y: float, width: float, words: object, kind: str = "") -> str:
    box = tag("rect", x=x, y=y, width=width, height=30, class_="on" if kind == "on" else "")
    return box + text(x + width / 2, y + 20, words, "faint" if kind == "faint" else "")


def edge(x0: float, y0: float, x1: float, y1: float) -> str:
    middle = (y0 + y1) / 2
    steps = f"M{x0:g} {y0:g}C{x0:g} {middle:g} {x1:g} {middle:g} {x1:g} {y1:g}"
    return tag("path", class_="edge", d=steps)


def bin_of(sample: float) -> int:
    """Of four bins over [0, 8)."""
    return int(sample * 0.5) if 0 <= sample < 8 else -1


def example() -> str:
    """Twelve samples, counted by two blocks in four bins of their own, and merged."""
    samples = [0.5, 3.1, 2.2, 7.9, 2.9, 8.0, 2.0, -1.0, 3.9, 4.4, 2.4, 1.7]
    left, width, half = 110, 52, 6

    shapes = [text(left - 14, 40, "samples", "h", "end"), text(left - 14, 80, "bin", "h", "end")]
    counts = [[0] * 4, [0] * 4]
    for i, sample in enumerate(samples):
        x = left + i * width + (24 if i >= half else 0)
        bin_ = bin_of(sample)
        shapes.append(cell(x, 20, width, sample, "" if bin_ >= 0 else "faint"))
        shapes.append(cell(x, 60, width, bin_ if bin_ >= 0 else "-", "on" if bin_ >= 0 else ""))
        if bin_ >= 0:
            counts[i // half][bin_] += 1
    wide = 60
    for block, own in enumerate(counts):
        x = left + (half * block * width) + 24 * block + (half * width - 4 * wide) / 2
        shapes.append(text(x + 2 * wide, 122, f"block {block}: counts of its own", "s"))
        for bin_, count in enumerate(own):
            shapes.append(cell(x + bin_ * wide, 132, wide, count, "on"))
            target = left + (12 * width + 24 - 4 * wide) / 2 + (bin_ + 0.5) * wide
            shapes.append(edge(x + (bin_ + 0.5) * wide, 163, target, 209))
    x = left + (12 * width + 24 - 4 * wide) / 2
    shapes.append(text(x - 14, 230, "d_counts", "h", "end"))
    for bin_ in range(4):
        shapes.append(cell(x + bin_ * wide, 210, wide, counts[0][bin_] + counts[1][bin_], "on"))
        label = f"[{2 * bin_}, {2 * bin_ + 2})"
        shapes.append(text(x + (bin_ + 0.5) * wide, 258, label, "s"))
    label = "Twelve samples, counted by two blocks in four bins of their own, and merged"
    return svg(780, 270, label, STYLE, [ARROW_HEAD, *shapes])


def copies() -> str:
    """Two ways to store four copies of a histogram with eight bins, in eight banks."""
    left, width, banks = 150, 62, 8
    shapes: list[str] = []
    ways = (
        ("one after another", 20, lambda bin_, copy: copy * 8 + bin_),
        ("side by side", 210, lambda bin_, copy: bin_ * 4 + copy),
    )
    for name, top, place in ways:
        shapes.append(text(left - 14, top + 20, "bank", "h", "end"))
        shapes.append(text(left - 14, top + 48, name, "s", "end"))
        for bank in range(banks):
            shapes.append(text(left + (bank + 0.5) * width, top + 20, bank, "s"))
        words = {place(bin_, copy): (bin_, copy) for bin_ in range(8) for copy in range(4)}
        for word, (bin_, copy) in words.items():
            x, y = left + word % banks * width, top + 30 + word // banks * 32
            shapes.append(cell(x, y, width, f"{bin_} : {copy}", "on" if bin_ == 5 else ""))
    note = "bin : copy. Blue: where lanes 0 to 3 count, if each has a sample of bin 5."
    shapes.append(text(left, 390, note, "s", "start"))
    label = "Copies of a histogram: one after another, a bin's copies share a bank; side by side, not"
    return svg(680, 404, label, STYLE, shapes)


if __name__ == "__main__":
    save("example.svg", example())
    save("copies.svg", copies())
