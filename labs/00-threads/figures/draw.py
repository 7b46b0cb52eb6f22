# SPDX-License-Identifier: MIT
"""Draws processors.svg, launch.svg, grid_stride.svg and memories.svg here: python3 draw.py"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs" / "figures"))
from svg import box, path, save, svg, text

STYLE = """\
text{font:13px system-ui,sans-serif;fill:#1f2328}.h{font-weight:600;font-size:14px}.s{font-size:11px;fill:#59636e}
.c{stroke:#8c959f;fill:none}.b{stroke:#1f2328;fill:none;stroke-width:1.5}.on{fill:#ddf4ff;stroke:#0969da}
.hot{fill:#0969da;stroke:#0969da}.hott{fill:#ffffff;font-weight:600}.a{stroke:#0969da;fill:none;stroke-width:1.5}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9198a1}.c{stroke:#656c76}.b{stroke:#e6edf3}
.on{fill:#12325c;stroke:#4493f8}.hot{fill:#4493f8;stroke:#4493f8}.hott{fill:#0d1117}.a{stroke:#4493f8}}"""


def processors() -> str:
    """The same area, spent on few fast cores, or on many simple lanes."""
    top, width, height = 44, 300, 150
    shapes = []
    for x, words in ((20, "a CPU: few cores, each fast"), (400, "a GPU: many lanes, each simple")):
        shapes.append(text(x, top - 14, words, "h", "start"))
        shapes.append(box(x, top, width, height, "b"))
    for core in range(4):
        x, y = 30 + core % 2 * 143, top + 10 + core // 2 * 46
        shapes.append(box(x, y, 84, 38, "c"))
        shapes.append(text(x + 42, y + 24, "control", "s"))
        shapes.append(box(x + 88, y, 48, 38, "on"))
        shapes.append(text(x + 112, y + 24, "lanes", "s"))
    for row in range(6):
        y = top + 10 + row * 15.4
        shapes.append(box(410, y, 12, 12, "c"))
        shapes.extend(box(426 + lane * 16.5, y, 14, 12, "on") for lane in range(16))
    for x, words in ((30, "large caches: little waiting"), (410, "small caches: other warps run")):
        shapes.append(box(x, top + 106, width - 20, 34, "c"))
        shapes.append(text(x + width / 2 - 10, top + 127, words, "s"))
    for x, words in ((20, "done soon: low latency"), (400, "much done per second: high throughput")):
        shapes.append(text(x, top + height + 22, words, "s", "start"))
    return svg(720, 228, "A CPU has few fast cores; a GPU has many simple lanes", STYLE, shapes)


def launch() -> str:
    """A grid of 3 x 2 blocks of 4 x 3 threads; thread (1, 2) of block (1, 1) stands out."""
    grid_width, grid_height, block_width, block_height = 3, 2, 4, 3
    cell, gap, left, top = 17, 12, 60, 66
    shapes = [text(14, 24, "&lt;&lt;&lt;dim3(3, 2), dim3(4, 3)&gt;&gt;&gt;", "h", "start")]
    for by in range(grid_height):
        for bx in range(grid_width):
            x = left + bx * (block_width * cell + gap)
            y = top + by * (block_height * cell + gap)
            for ty in range(block_height):
                for tx in range(block_width):
                    mine = (bx, by) == (1, 1)
                    style = "hot" if mine and (tx, ty) == (1, 2) else "on" if mine else "c"
                    shapes.append(box(x + tx * cell, y + ty * cell, cell, cell, style))
            shapes.append(box(x, y, block_width * cell, block_height * cell, "b"))
    for bx in range(grid_width):
        middle = left + bx * (block_width * cell + gap) + block_width * cell / 2
        words = f"blockIdx.x = {bx}" if bx == 0 else f".x = {bx}"
        shapes.append(text(middle, top - 8, words, "s"))
    for by in range(grid_height):
        middle = top + by * (block_height * cell + gap) + block_height * cell / 2
        shapes.append(text(left - 8, middle + 4, f".y = {by}", "s", "end"))
    bottom = top + grid_height * (block_height * cell + gap) + 18
    width = grid_width * (block_width * cell + gap) - gap
    shapes.append(text(left + width / 2, bottom, "a grid of 6 blocks", "s"))

    big, x0, y0 = 44, 390, 66
    shapes.append(text(x0 - 34, 24, "block (1, 1): number 1 + 1 * 3 = 4", "h", "start"))
    for ty in range(block_height):
        shapes.append(text(x0 - 8, y0 + ty * big + big / 2 + 4, f".y = {ty}", "s", "end"))
        for tx in range(block_width):
            style = "hot" if (tx, ty) == (1, 2) else "on"
            shapes.append(box(x0 + tx * big, y0 + ty * big, big, big, style))
            words = str(ty * block_width + tx)
            number = "hott" if style == "hot" else ""
            shapes.append(text(x0 + (tx + 0.5) * big, y0 + (ty + 0.5) * big + 5, words, number))
    for tx in range(block_width):
        middle = x0 + (tx + 0.5) * big
        words = f"threadIdx.x = {tx}" if tx == 0 else f".x = {tx}"
        right = x0 + big - 8  # the long label ends with its column
        shapes.append(
            text(right, y0 - 8, words, "s", "end") if tx == 0 else text(middle, y0 - 8, words, "s")
        )
    shapes.append(text(x0 + 2 * big, bottom, "a block of 12 threads, by number in it", "s"))

    lines = [
        ("thread (1, 2)", "h"),
        ("column 1 * 4 + 1 = 5", ""),
        ("row 1 * 3 + 2 = 5", ""),
        ("in its block 1 + 2 * 4 = 9", ""),
        ("in the grid 4 * 12 + 9 = 57", ""),
    ]
    for i, (words, style) in enumerate(lines):
        shapes.append(text(592, 84 + 26 * i, words, style, "start"))
    return svg(
        800, 222, "A grid of blocks, a block of threads, and one thread's numbers", STYLE, shapes
    )


def grid_stride() -> str:
    """2024 items in rows of 512, the number of threads: each thread has a column."""
    left, top, width, row = 84, 64, 560, 30
    shapes = [text(14, 24, "512 threads, 2024 items: thread 0's are blue", "h", "start")]
    for x, words in ((left, "thread 0"), (left + width, "thread 511")):
        anchor = "start" if x == left else "end"
        shapes.append(text(x, top - 10, words, "s", anchor))
    for step in range(4):
        y = top + step * (row + 6)
        first = 512 * step
        last = min(first + 512, 2024) - 1
        length = width * (last - first + 1) / 512
        shapes.append(text(left - 10, y + 20, f"step {step + 1}", "s", "end"))
        shapes.append(box(left, y, length, row, "c"))
        shapes.append(box(left, y, 46, row, "on"))
        shapes.append(text(left + 23, y + 20, str(first)))
        shapes.append(text(left + length - 8, y + 20, str(last), "", "end"))
    y = top + 3 * (row + 6)
    shapes.append(text(left + width + 10, y + 13, "threads 488 to 511", "s", "start"))
    shapes.append(text(left + width + 10, y + 27, "have none left", "s", "start"))
    return svg(790, 218, "Which of 2024 items each of 512 threads visits", STYLE, shapes)


def memories() -> str:
    """Two memories, and what goes from one to the other."""
    left, right, top, width, height = 20, 470, 44, 250, 168
    shapes = []
    for x, words in ((left, "host"), (right, "device")):
        shapes.append(text(x, top - 12, words, "h", "start"))
        shapes.append(box(x, top, width, height, "b"))
    shapes.append(box(left + 14, top + 14, width - 28, 34, "c"))
    shapes.append(text(left + width / 2, top + 36, "your program"))
    shapes.append(box(right + 14, top + 14, width - 28, 34, "on"))
    shapes.append(text(right + width / 2, top + 36, "multiprocessors: kernel threads"))
    for x, prefix in ((left, "h"), (right, "d")):
        shapes.append(box(x + 14, top + 84, width - 28, 70, "c"))
        shapes.append(text(x + width / 2, top + 102, "its memory", "s"))
        for i, name in enumerate(("in", "out")):
            column = x + 30 + i * 100
            shapes.append(box(column, top + 112, 90, 30, "on" if prefix == "d" else "c"))
            shapes.append(text(column + 45, top + 132, f"{prefix}_{name}"))
    for x, words in ((left, "reads, writes"), (right, "read, write")):
        middle = x + width / 2
        shapes.append(path(f"M{middle} {top + 50}v32m-4 -6l4 6l4 -6m-8 -20l4 -6l4 6", "a"))
        shapes.append(text(middle + 10, top + 71, words, "s", "start"))
    arrows = (
        (31, "kernel&lt;&lt;&lt;grid, block&gt;&gt;&gt;", 1),
        (108, "cudaMemcpy to the device", 1),
        (144, "cudaMemcpy to the host", -1),
    )
    for y, words, way in arrows:
        begin, end = (left + width + 8, right - 8)[::way]
        back = -6 * way
        shapes.append(path(f"M{begin} {top + y}H{end}m{back} -4l{-back} 4l{back} 4", "a"))
        shapes.append(text((begin + end) / 2, top + y - 8, words, "s"))
    return svg(740, 226, "The host and the device, each with its own memory", STYLE, shapes)


if __name__ == "__main__":
    save("processors.svg", processors())
    save("memories.svg", memories())
    save("launch.svg", launch())
    save("grid_stride.svg", grid_stride())
