# SPDX-License-Identifier: MIT
"""Draws the handout's figures: python3 draw.py writes them here.

All but depth_of_field.png, which is what rung 06 makes of the scene.
"""

import struct
import sys
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs" / "figures"))
from svg import save, svg, tag, target

STYLE = """\
text{font:13px system-ui,sans-serif;fill:#1f2328}.h{font-weight:600;font-size:14px}
.s{font-size:11px;fill:#59636e}.b{font-weight:600}.m{text-anchor:middle}
.grid{fill:none;stroke:#d1d9e0}.frame{fill:none;stroke:#656d76;stroke-width:1.5}
.own{fill:#dafbe1;stroke:#1a7f37}.above{fill:#ddf4ff;stroke:#0969da}.left{fill:#fff1d6;stroke:#bc4c00}
.twice{fill:#ffdfdc;stroke:#cf222e}.pixel{fill:#1a7f37}.dot{fill:#1f2328}
.edge{fill:none;stroke:#59636e;stroke-width:1.5}.tip{fill:#59636e}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9198a1}.grid{stroke:#3d444d}
.frame{stroke:#9198a1}.own{fill:#12361f;stroke:#3fb950}.above{fill:#12325c;stroke:#4493f8}
.left{fill:#4d2d00;stroke:#f0883e}.twice{fill:#5d1a1a;stroke:#f85149}.pixel{fill:#3fb950}
.dot{fill:#e6edf3}.edge{stroke:#9198a1}.tip{fill:#9198a1}}"""


ARROW_HEAD = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
    'markerHeight="7" orient="auto"><path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>'
)


class Drawing:
    def __init__(self, width: int, height: int, label: str) -> None:
        self._head = width, height, label
        self._parts = [ARROW_HEAD]

    def box(self, kind: str, x: float, y: float, width: float, height: float) -> None:
        self._parts.append(tag("rect", class_=kind, x=x, y=y, width=width, height=height))

    def text(self, x: float, y: float, words: str, kind: str = "") -> None:
        self._parts.append(tag("text", words, class_=kind, x=x, y=y))

    def dot(self, x: float, y: float) -> None:
        self._parts.append(tag("circle", class_="dot", cx=x, cy=y, r=4))

    def arrow(self, x0: float, y0: float, x1: float, y1: float) -> None:
        steps = f"M{x0:g} {y0:g} {x1:g} {y1:g}"
        self._parts.append(tag("path", class_="edge", marker_end="url(#tip)", d=steps))

    def grid(self, x: float, y: float, columns: int, rows: int, cell: float) -> None:
        for row in range(rows):
            for column in range(columns):
                self.box("grid", x + column * cell, y + row * cell, cell, cell)
        self.box("frame", x, y, columns * cell, rows * cell)

    def save(self, name: str) -> None:
        save(name, svg(*self._head, STYLE, self._parts, made="Drawn"))


def four_look_ups() -> None:
    """D - B - C + A: the picture with its window, and the rectangle that each entry sums."""
    cell, columns, rows = 24, 12, 9
    left, top, right, bottom = 4, 3, 9, 7  # the window: first, and one past last
    art = Drawing(860, 320, "A window's sum from four entries of the table")
    x, y = 40, 50
    art.text(x, 30, "A window, and four entries of the table", "h")
    art.box("own", x + left * cell, y + top * cell, (right - left) * cell, (bottom - top) * cell)
    art.grid(x, y, columns, rows, cell)
    corners = {"A": (left, top), "B": (right, top), "C": (left, bottom), "D": (right, bottom)}
    for name, (column, row) in corners.items():
        art.dot(x + (column - 0.5) * cell, y + (row - 0.5) * cell)
        art.text(x + (column - 0.5) * cell + 6, y + (row - 0.5) * cell - 5, name, "b")
    art.text(x, y + rows * cell + 20, "Each entry sums from the top left corner to itself,", "s")
    art.text(x, y + rows * cell + 35, "its own row and column included.", "s")

    small = 9
    x = 400
    kinds = {"D": "own", "B": "above", "C": "left", "A": "twice"}
    for place, (name, sign) in enumerate({"D": "", "B": "-", "C": "-", "A": "+"}.items()):
        column, row = corners[name]
        at = x + place * (columns * small + 7)
        art.box(kinds[name], at, 88, column * small, row * small)
        art.box("frame", at, 88, columns * small, rows * small)
        art.box(
            "frame",
            at + left * small,
            88 + top * small,
            (right - left) * small,
            (bottom - top) * small,
        )
        art.text(at + columns * small / 2, 75, f"{sign} {name}", "b m")
    art.text(x, 30, "sum of the window = D - B - C + A", "h")
    art.text(x, 195, "B takes away what lies above the window, C what lies left of it.", "s")
    art.text(x, 210, "Both took away what A sums, so it is added once.", "s")
    art.save("four_look_ups.svg")


def tile_parts() -> None:
    """A pixel's sum in three parts: its tile, what lies above the tile, what lies left of it."""
    cell, tile, across, down = 12, 5, 5, 4
    tile_x, tile_y, px, py = 3, 2, 3, 2  # the tile, and the pixel in it
    art = Drawing(860, 320, "A pixel's sum is its tile's own, what lies above, and what lies left")
    x, y = 40, 50
    side = tile * cell
    x0, y0 = x + tile_x * side, y + tile_y * side
    wide, high = (px + 1) * cell, (py + 1) * cell
    art.text(x, 30, "The sum at one pixel, in three parts", "h")
    art.box("left", x, y, x0 - x, y0 - y + high)
    art.box("above", x0, y, wide, y0 - y)
    art.box("own", x0, y0, wide, high)
    art.grid(x, y, across, down, side)
    art.box("pixel", x0 + px * cell, y0 + py * cell, cell, cell)
    art.text(x + (x0 - x) / 2, y + 68, "left", "b m")
    art.text(x0 + wide / 2, y + 68, "above", "b m")
    art.text(x0 + wide / 2 - 6, y0 + 17, "own", "b m")

    x = 400
    art.box("own", x, 62, 16, 16)
    art.text(x + 26, 75, "own: the table of the tile by itself")
    art.box("above", x, 102, 16, 16)
    art.text(x + 26, 115, "above: the last rows of the tiles above, one below the other.")
    art.text(x + 26, 131, "One number for each column of the tile.", "s")
    art.box("left", x, 152, 16, 16)
    art.text(x + 26, 165, "left: the last columns of the tiles to the left,")
    art.text(x + 26, 181, "each with what lies above it: so the corner is in it.")
    art.text(x + 26, 197, "One number for each row of the tile.", "s")
    art.text(x, 240, "The last row of a tile's own table holds, at column x, all its pixels")
    art.text(x, 256, "up to x: just what the tile adds to the pixels below that column.")
    art.save("tile_parts.svg")


def diagonals() -> None:
    """Tickets in diagonal order, and what a waiting tile reads."""
    cell, across, down = 46, 7, 5
    tickets = sorted(
        ((i, j) for j in range(down) for i in range(across)), key=lambda t: (t[0] + t[1], t[1])
    )
    done, handed_out = 11, 22  # tickets below: total known; below: own handed out; then not begun
    waiting = (3, 2)
    art = Drawing(860, 320, "Tiles in diagonal order, and the tiles that one of them looks back to")
    x, y = 40, 50
    art.text(x, 30, "Tickets, and one tile looking back", "h")
    for ticket, (i, j) in enumerate(tickets):
        kind = "own" if ticket < done else "left" if ticket < handed_out else "grid"
        art.box(kind, x + i * cell, y + j * cell, cell, cell)
        art.text(x + (i + 0.5) * cell, y + (j + 0.5) * cell + 16, str(ticket), "m")
    art.box("frame", x, y, across * cell, down * cell)
    i, j = waiting
    art.arrow(x + (i + 0.82) * cell, y + j * cell + 8, x + (i + 0.82) * cell, y + 0.4 * cell)
    art.arrow(x + i * cell + 8, y + (j + 0.4) * cell, x + 1.3 * cell, y + (j + 0.4) * cell)

    x = 420
    art.box("own", x, 62, 16, 16)
    art.text(x + 26, 75, "has handed out its total: looking back ends here")
    art.box("left", x, 92, 16, 16)
    art.text(x + 26, 105, "has handed out its own sum: add it, go on")
    art.box("grid", x, 122, 16, 16)
    art.text(x + 26, 135, "has not begun")
    art.text(x, 175, "Ticket 17 adds up what stands above it, column by column:")
    art.text(x, 191, "11 has its own sum only, 6 the total. Then it does the same to")
    art.text(x, 207, "the left, row by row: 12 its own sum, 8 the total.")
    art.text(x, 240, "A tile needs lower tickets only, and a block with a lower")
    art.text(x, 256, "ticket has started: so no block waits for ever.")
    art.save("diagonals.svg")


def write_png(name: str, width: int, rows: list[bytes]) -> None:
    """Rows of red, green and blue bytes; or of grey ones, if a row is as long as the width."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    is_grey = len(rows[0]) == width
    layout = struct.pack(">IIBBBBB", width, len(rows), 8, 0 if is_grey else 2, 0, 0, 0)
    above = [bytes(len(rows[0])), *rows]
    filtered = [  # filter 2: each byte less the one above it
        b"\2" + bytes((byte - up) % 256 for byte, up in zip(row, before, strict=True))
        for row, before in zip(rows, above, strict=False)
    ]
    packed = zlib.compress(b"".join(filtered), 9)
    target(name).write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", layout) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
    )


def scene() -> None:
    """The scene of rung 06 as it is, and its nearness; the format is make_scene.py's."""
    head, _, body = (Path(__file__).parents[1] / "judge/scene.bin").read_bytes().partition(b"\n")
    width, height = (int(word) for word in head.split()[1:])
    colours = struct.unpack(f"<{width * height}H", body[: 2 * width * height])
    nearness = body[2 * width * height :]
    rgb = bytes(
        value
        for colour in colours
        for value in (
            (colour >> 11) * 255 // 31,
            (colour >> 5 & 63) * 255 // 63,
            (colour & 31) * 255 // 31,
        )
    )
    rows = range(height)
    write_png("scene.png", width, [rgb[3 * width * y : 3 * width * (y + 1)] for y in rows])
    write_png("nearness.png", width, [nearness[width * y : width * (y + 1)] for y in rows])


if __name__ == "__main__":
    four_look_ups()
    tile_parts()
    diagonals()
    scene()
