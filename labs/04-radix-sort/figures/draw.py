# SPDX-License-Identifier: MIT
"""Draws split.svg (one pass over the worked example) and merge.svg (a bitonic merge of 4 + 4 keys).

python3 draw.py        writes both here
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs" / "figures"))
from svg import box, path, save, svg, tag
from svg import text as anchored_text

STYLE = """text{font:13px system-ui,sans-serif;fill:#1f2328;text-anchor:middle}
.h{font-weight:600;text-anchor:end}.s{font-size:12px;fill:#59636e}.n{text-anchor:start}
.cell{stroke:#8c959f;fill:none}.zero{fill:#ddf4ff;stroke:#0969da}.one{fill:#fff1e5;stroke:#bc4c00}
.to0{stroke:#0969da;fill:none}.to1{stroke:#bc4c00;fill:none}.wire{stroke:#8c959f}.dot{fill:#0969da}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9198a1}.cell{stroke:#656c76}
.zero{fill:#12325c;stroke:#4493f8}.one{fill:#4d2a12;stroke:#db6d28}.to0{stroke:#4493f8}.to1{stroke:#db6d28}
.wire{stroke:#656c76}.dot{fill:#4493f8}}"""

KEYS = [0b100, 0b111, 0b010, 0b110, 0b011, 0b101, 0b001, 0b000]


def text(x: float, y: float, content: object, css: str = "") -> str:
    return anchored_text(x, y, content, css, anchor=None)


def split_rows(keys: list[int], bit: int) -> dict[str, list[int]]:
    e = [1 - (key >> bit & 1) for key in keys]
    f = [sum(e[:i]) for i in range(len(keys))]
    total_falses = e[-1] + f[-1]
    t = [i - f[i] + total_falses for i in range(len(keys))]
    d = [f[i] if e[i] else t[i] for i in range(len(keys))]
    return {"e = !bit": e, "f = scan of e": f, "t = i - f + 4": t, "d = bit ? t : f": d}


def draw_split() -> str:
    left, step, width = 150, 64, 50
    rows = split_rows(KEYS, 0)
    destinations = rows["d = bit ? t : f"]
    centre = [left + step * i + width / 2 for i in range(len(KEYS))]
    parts = [text(left - 16, 43, "key", "h")]

    def cell(i: int, y: int, key: int) -> list[str]:
        css = "one" if key & 1 else "zero"
        rect = box(centre[i] - width / 2, y, width, 28, css)
        return [rect, text(centre[i], y + 19, f"{key:03b}")]

    for i, key in enumerate(KEYS):
        parts += [text(centre[i], 16, i, "s"), *cell(i, 24, key)]
    for row, (name, values) in enumerate(rows.items()):
        y = 78 + 26 * row
        parts.append(text(left - 16, y, name, "h"))
        parts += [text(centre[i], y, value) for i, value in enumerate(values)]
    parts.append(text(left + step * 8 + 4, 104, "totalFalses = e[7] + f[7] = 1 + 3 = 4", "s n"))
    for i, destination in enumerate(destinations):
        css = "to1" if KEYS[i] & 1 else "to0"
        x0, x1 = centre[i], centre[destination]
        parts.append(path(f"M{x0:g} 168C{x0:g} 205 {x1:g} 195 {x1:g} 232", css))
        parts += cell(destination, 234, KEYS[i])
    parts.append(text(left - 16, 253, "after", "h"))
    label = "One split of eight keys by their lowest bit"
    return svg(900, 276, label, STYLE, parts, made="Drawn")


def draw_merge() -> str:
    runs = [[1, 4, 6, 7], [2, 3, 5, 8]]
    keys = runs[0] + runs[1]
    steps = [
        ("mirrored", [(i, 7 - i) for i in range(4)]),
        ("2 apart", [(0, 2), (1, 3), (4, 6), (5, 7)]),
        ("1 apart", [(0, 1), (2, 3), (4, 5), (6, 7)]),
    ]
    top, row, x = 46, 30, 90
    parts = [text(x - 30, 20, "two runs", "s")]
    for i, key in enumerate(keys):
        parts.append(text(x - 30, top + row * i + 5, key))
    for name, comparators in steps:
        parts.append(text(x + 70, 20, name, "s"))
        for i in range(8):
            parts.append(path(f"M{x} {top + row * i}H{x + 140}", "wire"))
        for k, (low, high) in enumerate(comparators):
            cx, y0, y1 = x + 28 + 28 * k, top + row * low, top + row * high
            parts.append(path(f"M{cx} {y0}V{y1}", "to0"))
            parts += [tag("circle", cx=cx, cy=y, r=3.5, class_="dot") for y in (y0, y1)]
            keys[low], keys[high] = min(keys[low], keys[high]), max(keys[low], keys[high])
        for i, key in enumerate(keys):
            parts.append(text(x + 160, top + row * i + 5, key))
        x += 180
    label = "A bitonic merge of two runs of four keys in three steps"
    return svg(x + 20, top + row * 8, label, STYLE, parts, made="Drawn")


if __name__ == "__main__":
    save("split.svg", draw_split())
    save("merge.svg", draw_merge())
