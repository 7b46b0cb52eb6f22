# SPDX-License-Identifier: MIT
"""Draws residency, distribution and schedulers.svg here: python3 draw_machine.py"""

import heapq
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs" / "figures"))
from svg import box, path, save, svg
from svg import text as anchored_text

STYLE = """\
text{font:13px system-ui,sans-serif;fill:#1f2328}
.h{font-weight:600;font-size:14px}.s{font-size:11px;fill:#59636e}
.m{text-anchor:middle}.e{text-anchor:end}.c{stroke:#8c959f;fill:none}.r{fill:#f0f2f5}.t{stroke:#d0d7de}
.w0{fill:#54aeff}.w1{fill:#f2a65a}.w2{fill:#57ab5a}.w3{fill:#b68ef0}
.no{fill:none;stroke:#cf222e;stroke-dasharray:4 3}
.bad{fill:#cf222e}.k{fill:#1f2328;font-size:11px;text-anchor:middle}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}
.s{fill:#9198a1}.c{stroke:#656c76}.r{fill:#1c2128}.t{stroke:#373e47}
.no{stroke:#f85149}.bad{fill:#f85149}.k{fill:#0d1117}}"""


def text(x: float, y: float, words: str, style: str = "") -> str:
    return anchored_text(x, y, words, style, anchor=None)


def line(x: float, top: float, bottom: float) -> str:
    return path(f"M{x:g} {top:g}V{bottom:g}", "t")


def residency() -> str:
    """A G80 filled with blocks of 256 threads: of 10 registers per thread, then of 11."""
    shapes: list[str] = []
    left, length, row = 124, 296, 26
    # What an SM has, and what a block of 8 warps takes of it.
    have = {"warps": 24, "registers": 8192, "shared memory": 16384}
    for panel, registers in enumerate((10, 11)):
        x0 = left + panel * (length + 90)
        take = {"warps": 8, "registers": 8 * 32 * registers, "shared memory": 4096}
        fit = min(have[name] // take[name] for name in have)
        warps = fit * take["warps"]
        shapes.append(text(x0, 22, f"{registers} registers per thread", "h"))
        shapes.append(text(x0, 40, f"{fit} blocks, {warps} of 24 warps", "s"))
        for k, name in enumerate(have):
            y = 54 + k * (row + 10)
            if panel == 0:
                shapes.append(text(left - 10, y + 17, name, "e"))
            width = length * take[name] / have[name]
            for block in range(fit):
                shapes.append(box(x0 + block * width, y, width, row, f"w{block}"))
                middle = x0 + (block + 0.5) * width
                shapes.append(text(middle, y + 17, f"block {block}", "k"))
            # Where a further block would be: it stops what does not fit.
            over = (fit + 1) * take[name] > have[name]
            shapes.append(box(x0, y, length, row, "c"))
            if over and fit < 3:
                shapes.append(box(x0 + fit * width, y, width, row, "no"))
                shapes.append(text(x0 + (fit + 0.5) * width, y + 17, "does not fit", "m bad"))
    return svg(832, 170, "Blocks of 256 threads on one multiprocessor of a G80", STYLE, shapes)


def distribution() -> str:
    """The handout's twelve blocks on four SMs with two places each."""
    durations = [5, 9, 2, 7, 4, 4, 6, 3, 8, 1, 5, 3]
    num_sms, per_sm, cell, row, left, top = 4, 2, 46, 24, 70, 40
    resident = [0] * num_sms
    lanes = [[0] * per_sm for _ in range(num_sms)]  # when each place is free, for drawing
    running: list[tuple[int, int]] = []
    now = end = 0
    shapes = [text(14, 22, "12 blocks, 4 SMs, 2 places each", "h")]
    bars: list[str] = []
    for block, duration in enumerate(durations):
        if min(resident) == per_sm:
            now = running[0][0]
            while running and running[0][0] == now:
                resident[heapq.heappop(running)[1]] -= 1
        sm = resident.index(min(resident))
        resident[sm] += 1
        place = next(i for i, free in enumerate(lanes[sm]) if free <= now)
        lanes[sm][place] = now + duration
        heapq.heappush(running, (now + duration, sm))
        end = max(end, now + duration)
        x, y = left + now * cell, top + sm * (2 * row + 10) + place * row
        bars.append(box(x + 1, y + 1, duration * cell - 2, row - 2, f"w{sm}"))
        bars.append(text(x + duration * cell / 2, y + 16, str(block), "k"))
    bottom = top + num_sms * (2 * row + 10)
    for cycle in range(end + 1):
        shapes.append(line(left + cycle * cell, top - 4, bottom - 6))
        shapes.append(text(left + cycle * cell, bottom + 8, str(cycle), "s m"))
    for sm in range(num_sms):
        shapes.append(text(left - 10, top + sm * (2 * row + 10) + row + 4, f"SM {sm}", "e"))
    label = "Which SM runs which of twelve blocks, and when"
    return svg(left + end * cell + 30, bottom + 20, label, STYLE, shapes + bars)


def timeline(greedy: bool) -> list[int]:
    """Who issues in each cycle: the handout's three warps, of which the last arrives first."""
    program, arrivals = [(2, 2), (2, 8), (2, 2), (2, 6)], [2, 1, 0]
    issued, ready, last, end = [0, 0, 0], list(arrivals), -1, 0
    cycles: list[int] = []
    while min(issued) < len(program):
        now = len(cycles)
        able = [w for w in range(3) if issued[w] < len(program) and ready[w] <= now]
        if not able:
            cycles.append(-1)
            continue
        turn = min(able, key=lambda w: (w - last - 1) % 3)
        oldest = min(able, key=lambda w: arrivals[w])
        warp = (last if last in able else oldest) if greedy else turn
        issue, latency = program[issued[warp]]
        issued[warp] += 1
        ready[warp] = now + latency
        end = max(end, ready[warp])
        cycles += [warp] * issue
        last = warp
    return cycles + [-1] * (end - len(cycles))


def schedulers() -> str:
    cell, row, left = 23, 22, 84
    shapes: list[str] = []
    for panel, title in enumerate(("round-robin", "greedy, then oldest")):
        cycles = timeline(greedy=panel == 1)
        top = 34 + panel * 130
        idle = cycles.count(-1)
        words = f"{len(cycles)} cycles, of which {idle} idle"
        shapes.append(text(14, top - 12, title, "h"))
        shapes.append(text(left + 100, top - 12, words, "s"))
        for warp in range(3):
            y = top + warp * (row + 4)
            shapes.append(text(left - 10, y + 15, f"warp {warp}", "e"))
            shapes.append(box(left, y, len(cycles) * cell, row, "r"))
        for cycle, warp in enumerate(cycles):
            x = left + cycle * cell
            if warp >= 0:
                shapes.append(box(x, top + warp * (row + 4), cell, row, f"w{warp}"))
            shapes.append(line(x, top, top + 3 * (row + 4)))
            shapes.append(text(x + cell / 2, top + 3 * (row + 4) + 10, str(cycle), "s m"))
    label = "Three warps under two schedulers"
    return svg(left + 30 * cell + 12, 260, label, STYLE, shapes)


if __name__ == "__main__":
    save("residency.svg", residency())
    save("distribution.svg", distribution())
    save("schedulers.svg", schedulers())
