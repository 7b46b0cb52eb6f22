# SPDX-License-Identifier: MIT
"""Draws trees.svg here: python3 draw.py"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs" / "figures"))
from svg import box, path, save, svg, text

ITEMS = [3, 1, 7, 0, 4, 1, 6, 3, 5, 2, 8, 1, 0, 9, 2, 4]
NUM_THREADS, WARP = len(ITEMS) // 2, 4  # warps of four threads: two fit into the picture
LEFT, CELL, HEIGHT, STEP = 96, 34, 24, 50
LANES, LANE = (686, 766), 17  # where each warp begins

STYLE = """\
text{font:13px system-ui,sans-serif;fill:#1f2328}.h{font-weight:600;font-size:14px}.s{font-size:11px;fill:#59636e}.l{font-size:12px}
.cell{stroke:#8c959f;fill:none}.new{fill:#ddf4ff;stroke:#0969da}.stale{stroke:#d1d9e0}.stalet{fill:#8c959f}.newt{font-weight:600}
.edge{stroke:#0969da;fill:none}.thread{stroke:#8c959f}.on{fill:#0969da}.off{fill:none}.div{fill:none;stroke:#cf222e;stroke-width:2}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9198a1}.cell{stroke:#656c76}.new{fill:#12325c;stroke:#4493f8}.stale{stroke:#30363d}.stalet{fill:#656c76}
.edge{stroke:#4493f8}.thread{stroke:#656c76}.on{fill:#4493f8}.div{stroke:#f85149}}"""


def middle(word: int) -> float:
    return LEFT + CELL * word + CELL / 2


def words(y: float, tile: list[int], name: str, kinds: list[str]) -> list[str]:
    shapes = []
    for word, (value, kind) in enumerate(zip(tile, kinds, strict=True)):
        shapes.append(box(LEFT + CELL * word, y, CELL, HEIGHT, f"cell {kind}"))
        shapes.append(text(middle(word), y + 17, value, f"{kind}t"))
    return [*shapes, text(LEFT - 10, y + 17, name, "l", "end")]


def warps(y: float, working: set[int]) -> list[str]:
    """The threads that add, and a frame around each warp in which not all do the same."""
    shapes, num_divergent = [], 0
    for warp, left in enumerate(LANES):
        on = [warp * WARP + lane in working for lane in range(WARP)]
        for lane, adds in enumerate(on):
            style = f"thread {'on' if adds else 'off'}"
            shapes.append(box(left + LANE * lane, y + 4, LANE, LANE, style))
        if any(on) and not all(on):
            shapes.append(box(left - 3, y + 1, 74, 23, "div"))
            num_divergent += 1
    return [*shapes, text(844, y + 17, num_divergent, "s", "start")]


def tree(top: float, title: str, steps: list[tuple[int, dict[int, int]]]) -> list[str]:
    """Each step: its stride, and the first word of each thread that works in it."""
    shapes = [text(14, top - 26, title, "h", "start")]
    shapes += [text(middle(word), top - 5, word, "s") for word in range(len(ITEMS))]
    shapes += [text(left + 34, top - 5, f"warp {i}", "s") for i, left in enumerate(LANES)]
    tile = list(ITEMS)
    shapes += words(top, tile, "tile", ["live"] * len(ITEMS))
    for number, (stride, first) in enumerate(steps, 1):
        y = top + STEP * number
        for word in first.values():
            above, x, other = y - STEP + HEIGHT, middle(word), middle(word + stride)
            shapes.append(path(f"M{x} {above:g}V{y:g}M{other} {above:g}L{x + 3} {y:g}", "edge"))
            tile[word] += tile[word + stride]
        kinds = ["new" if word in first.values() else "stale" for word in range(len(ITEMS))]
        shapes += words(y, tile, f"stride {stride}", kinds) + warps(y, set(first))
    return shapes


def legend(y: float) -> list[str]:
    return [
        box(96, y, LANE, LANE, "thread on"),
        text(119, y + 13, "thread that adds", "s", "start"),
        box(246, y, LANE, LANE, "thread off"),
        text(269, y + 13, "idle thread", "s", "start"),
        box(366, y - 2, 21, 21, "div"),
        text(393, y + 13, "warp that diverges (how many: at the right)", "s", "start"),
    ]


def trees() -> None:
    interleaved = [
        (stride, {thread: 2 * thread for thread in range(0, NUM_THREADS, stride)})
        for stride in (1, 2, 4, 8)
    ]
    contiguous = [(stride, {thread: thread for thread in range(stride)}) for stride in (8, 4, 2, 1)]
    shapes = [
        *tree(50, "02: thread t works if t % stride == 0, on words 2t and 2t + stride", interleaved),
        *tree(348, "03: thread t works if t &lt; stride, on words t and t + stride", contiguous),
        *legend(594),
    ]
    label = "Sixteen items summed by eight threads in two ways, and which warps diverge"
    save("trees.svg", svg(900, 625, label, STYLE, shapes, made="Drawn"))


if __name__ == "__main__":
    trees()
