# SPDX-License-Identifier: MIT
"""One moment of a recording as a picture, for a page that cannot replay: an SVG, light and dark."""

import html
import struct
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from lockstep_grader.student.trace.model import (
    ACCESSES,
    ACTING,
    WARP_SIZE,
    Access,
    Moment,
    Race,
    Recording,
    find_races,
)
from lockstep_grader.student.trace.page import Cells
from lockstep_grader.student.trace.record import KeyIdea

_NEW, _RUNS, _WAITS, _OVER = "new", "runs", "waits", "over"  # states of a lane
_LEFT, _CELL, _ROW = 70, 24, 22
_WIDTH = _LEFT + 32 * _CELL + 8
_MOST_WARPS, _MOST_ROWS, _MOST_LINES = 4, 4, 6
_COLOURS = 8  # of lines
_SLOTS = 2  # of a pixel
_NARROW, _WIDE = 3, 6  # characters of a value
_LETTERS = {"r": "R", "w": "W", "a": "A", "o": "\u21c4"}
_FORMATS = {"f32": "<f", "f64": "<d", "i32": "<i", "u32": "<I", "i64": "<q", "u64": "<Q"}
_FORMATS |= {"i16": "<h", "u16": "<H", "i8": "<b", "u8": "<B"}

_STYLE = """\
text{font:12px system-ui,sans-serif;fill:#1f2328;text-anchor:middle}.m{font:11px monospace}
.g{font:bold 11px system-ui,sans-serif}.h{font-weight:600;text-anchor:start}.s{fill:#59636e}
.e{text-anchor:end;fill:#59636e}.p{text-anchor:start}.c{fill:#f6f8fa;stroke:#d1d9e0}
.n{fill:#fff;stroke:#d1d9e0}.r{fill:#ddf4ff;stroke:#0969da;stroke-width:2;stroke-dasharray:4 2}
.w{fill:#fff1e5;stroke:#bc4c00;stroke-width:2.5}.o{fill:none;stroke:#d1d9e0}
.a{stroke:#1f2328;stroke-width:2}.z{fill:#eaeef2}.b{fill:#1f2328}.v{stroke:#59636e}
.k{fill:none;stroke:#cf222e;stroke-width:2}.u{fill:none;stroke:#1f2328;stroke-width:1.5}
.now{fill:#0969da}.bad{fill:#cf222e}.t{fill:#1f2328}
%s
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.s,.e{fill:#9198a1}
.c{fill:#21262d;stroke:#3d444d}.n{fill:#0d1117;stroke:#3d444d}.r{fill:#12325c;stroke:#4493f8}
.w{fill:#4d2a0f;stroke:#f0883e}.o{stroke:#3d444d}.a{stroke:#e6edf3}.z{fill:#21262d}
.b{fill:#e6edf3}.v{stroke:#9198a1}.k{stroke:#f85149}.u{stroke:#e6edf3}.now{fill:#4493f8}
.bad{fill:#f85149}.t{fill:#14181f}
%s}"""


@dataclass(slots=True)
class LaneState:
    state: str = _NEW
    place: int = -1


class State:
    """The threads and the memory after the moment `at`, as replay.js has them."""

    def __init__(self, recording: Recording, at: int) -> None:
        threads = range(recording.threads_per_block)
        self.lanes = {block: [LaneState() for _ in threads] for block in recording.recorded_blocks}
        self.memory: dict[int, dict[int, int]] = defaultdict(dict)  # by array, then by byte
        self.written: dict[int, set[int]] = defaultdict(set)  # bytes that the launch wrote
        for moment in recording.moments[: at + 1]:
            lanes = self.lanes[moment.block]
            if moment.kind in "bgBE":
                for lane in lanes:
                    if moment.kind == "E":
                        lane.state = _OVER
                    elif moment.kind == "B" or lane.state == _WAITS:
                        lane.state = _RUNS
            elif moment.kind != "f":
                self._place(moment, lanes)
                if moment.access:
                    self._touch(moment.access)

    def _place(self, moment: Moment, lanes: list[LaneState]) -> None:
        base = moment.warp * WARP_SIZE
        for lane, own in enumerate(lanes[base : base + WARP_SIZE]):
            if moment.lanes >> lane & 1 and moment.kind != "x":
                own.place = moment.place
            if not moment.live >> lane & 1:
                own.state = _OVER
            else:
                own.state = _WAITS if moment.waiting >> lane & 1 else _RUNS

    def _touch(self, access: Access) -> None:
        for offset, value in zip(access.offsets, access.after or access.before, strict=False):
            places = range(offset, offset + len(value))
            self.memory[access.array].update(zip(places, value, strict=True))
            if access.after:
                self.written[access.array].update(places)

    def value(self, array: int, low: int, size: int) -> bytes | None:
        """A cell's bytes; None where the recording does not have them."""
        known = self.memory[array]
        found = [known[place] for place in range(low, low + size) if place in known]
        return bytes(found) if len(found) == size else None


def draw_still(recording: Recording, cells: Sequence[Cells], idea: KeyIdea) -> str:
    names = [shown.name for shown in cells]
    return _Still(recording, cells, idea, idea.moment_in(recording, names)).drawn()


class _Still:
    def __init__(
        self, recording: Recording, cells: Sequence[Cells], idea: KeyIdea, at: int
    ) -> None:
        self._recording, self._cells, self._idea, self._at = recording, cells, idea, at
        self._moment = recording.moments[at]
        self._state = State(recording, at)
        self._lines: dict[tuple[str, int], int] = {}
        for moment in recording.moments:
            if moment.kind in ACTING and moment.place >= 0:
                self._colour(moment.place)
        self._shapes: list[str] = []
        self._y = 8
        number = self._moment.finding
        races = (race for race in find_races(recording) if race.finding == number)
        self._race = next(races, None)
        self._raced = set()  # arrays, and the first byte of their cells
        for touch in (self._race.first, self._race.second) if self._race else ():
            size = cells[touch.array].item_bytes
            self._raced.add((touch.array, touch.offset // size * size))

    def drawn(self) -> str:
        self._heading()
        if self._idea.warps:
            self._warps()
        if self._idea.access and self._moment.access:
            self._access(self._moment.access)
        for number in self._shown_arrays():
            self._array(number)
        if self._idea.timeline:
            self._timeline()
        hues = [round(137.5 * number + 205) % 360 for number in range(_COLOURS)]
        light = "".join(f".k{i}{{fill:hsl({hue} 68% 74%)}}" for i, hue in enumerate(hues))
        dark = "".join(f".k{i}{{fill:hsl({hue} 55% 62%)}}" for i, hue in enumerate(hues))
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {self._y}" '
            f'role="img" aria-label="{html.escape(self._idea.alt)}">'
        )
        note = "<!-- SPDX-License-Identifier: MIT. Made by docs/bench/measure stills. -->"
        style = f"<style>\n{_STYLE % (light, dark)}\n</style>"
        return "\n".join([head, note, style, *self._shapes, "</svg>", ""])

    # ---- parts

    def _heading(self) -> None:
        step = f"step {self._at + 1} of {len(self._recording.moments)}"
        self._text(8, self._y + 12, f"{self._recording.kernel}, {step}", "h")
        self._text(8, self._y + 30, self._sentence(), "p")
        self._y += 44

    def _sentence(self) -> str:
        moment = self._moment
        who = f"Block {moment.block}, warp {moment.warp}"
        lanes = moment.lane_ids()
        some = f"lane {lanes[0]}" if len(lanes) == 1 else f"{len(lanes)} lanes"
        if moment.access:
            verb = ACCESSES[moment.kind] if len(lanes) == 1 else _plural(ACCESSES[moment.kind])
            name = self._cells[moment.access.array].name
            said = f"{who}: {some} {verb} {name}; {_cost(moment.access)}."
        elif moment.kind == "b":
            return f"Block {moment.block}: all threads have come to the barrier, and go on."
        elif moment.kind == "f" and self._race:
            return self._race_sentence(self._race)
        elif moment.kind == "f":
            said = f"{who}: the checker reports a {self._recording.findings[moment.finding].kind}."
        elif moment.operation:
            said = f"{who}: {some} exchange registers ({moment.operation.name})."
        else:
            said = f"{who}: {some} at work."
        return said + (" The warp has diverged." if moment.is_diverged else "")

    def _race_sentence(self, race: Race) -> str:
        cells = self._cells[race.second.array]
        cell = f"{cells.name}[{race.second.offset // cells.item_bytes}]"
        first, second = (
            f"thread {touch.thread} {ACCESSES[touch.kind]}" for touch in (race.first, race.second)
        )
        return f"A race in block {race.second.block}: {first} {cell}, and then {second} it."

    def _warps(self) -> None:
        lanes = self._state.lanes[self._moment.block]
        num_warps = -(-len(lanes) // WARP_SIZE)
        first = min(self._moment.warp // _MOST_WARPS * _MOST_WARPS, num_warps - 1)
        shown = range(first, min(first + _MOST_WARPS, num_warps))
        for warp in shown:
            self._text(_LEFT - 8, self._y + 15, f"warp {warp}", "e")
            for lane in range(min(WARP_SIZE, len(lanes) - warp * WARP_SIZE)):
                self._lane(warp, lane)
            self._y += _ROW
        self._end(num_warps - len(shown), "warps")

    def _lane(self, warp: int, lane: int) -> None:
        own = self._state.lanes[self._moment.block][warp * WARP_SIZE + lane]
        moment = self._moment
        is_warp = moment.kind in ACTING and moment.warp == warp
        acts = is_warp and bool(moment.lanes >> lane & 1)
        style, letter = "n", ""
        if own.state == _RUNS:
            style = f"k{self._colour(own.place)}" if own.place >= 0 else "c"
            if acts:
                style += " a"
                letter = _LETTERS.get(moment.kind, "\u25cf")
            elif is_warp:
                letter = "\u22ef"
        elif own.state == _WAITS:
            style, letter = "c", "\u2016"
        elif own.state == _OVER:
            style, letter = "n", "\u00d7"
        self._box(_LEFT + lane * _CELL, self._y, _CELL - 2, _ROW - 3, style)
        ink = "g t" if own.state == _RUNS else "g s"
        if letter:
            self._text(_LEFT + lane * _CELL + _CELL / 2 - 1, self._y + 14, letter, ink)

    def _access(self, access: Access) -> None:
        """Rows of 32 words: 128 bytes of global memory, or the words of a bank in turn."""
        rows: dict[int, dict[int, int]] = {}  # row -> word -> lane
        is_shared = self._recording.arrays[access.array].is_shared
        banks: dict[int, list[int]] = {}
        for lane, offset in zip(self._moment.lane_ids(), access.offsets, strict=True):
            for word in range(offset // 4, -(-(offset + access.size_bytes) // 4)):
                row = word // 32
                if is_shared:
                    known = banks.setdefault(word % 32, [])
                    if word not in known:
                        known.append(word)
                    row = known.index(word)
                rows.setdefault(row, {}).setdefault(word % 32, lane)
        self._text(_LEFT - 8, self._y + 11, "bank" if is_shared else "word", "e")
        for column in range(32):
            self._text(_LEFT + column * _CELL + _CELL / 2, self._y + 11, column, "m s")
        self._y += 17
        for row in sorted(rows)[:_MOST_LINES]:
            label = f"turn {row + 1}" if is_shared else f"byte {128 * row}"
            self._text(_LEFT - 8, self._y + 15, label, "e")
            for column in range(32):
                lane = rows[row].get(column, -1)
                x = _LEFT + column * _CELL
                self._box(x, self._y, _CELL - 2, _ROW - 3, "r" if lane >= 0 else "n")
                if lane >= 0:
                    self._text(x + _CELL / 2 - 1, self._y + 14, lane, "m")
                    if is_shared and row * 4 >= max(4, access.size_bytes):
                        self._box(x, self._y, _CELL - 2, _ROW - 3, "k")
            if not is_shared:
                for sector in {column // 8 for column in rows[row]}:
                    x = _LEFT + 8 * _CELL * sector - 2
                    self._box(x, self._y - 2, 8 * _CELL + 1, _ROW + 1, "u")
            self._y += _ROW + 2
        self._end(len(rows) - _MOST_LINES, "turns" if is_shared else "lines of 128 bytes")

    def _end(self, hidden: int, what: str) -> None:
        """Ends a part of the picture, and says how many rows had no room."""
        if hidden > 0:
            self._text(_LEFT, self._y + 12, f"and {hidden} more {what}", "p s")
            self._y += 16
        self._y += 10

    def _shown_arrays(self) -> list[int]:
        block, access = self._moment.block, self._moment.access
        if not self._idea.arrays:
            return [access.array] if access else []
        return [
            number
            for name in self._idea.arrays
            for number, cells in enumerate(self._cells)
            if cells.name == name and self._recording.arrays[number].block in (-1, block)
        ]

    def _array(self, number: int) -> None:
        cells, array = self._cells[number], self._recording.arrays[number]
        where = f"shared memory of block {array.block}" if array.is_shared else "global memory"
        self._text(8, self._y + 12, f"{cells.name}, {where}", "p s")
        self._y += 18
        columns = min(cells.columns, 32)
        if columns == 32 and self._is_wide(number, cells):
            columns = 16
        start, access = 0, self._moment.access
        if access and access.array == number:  # the array's first cell, if there is room for both
            touched = min(access.offsets) // cells.item_bytes
            start = touched - touched % columns if touched >= columns * _MOST_ROWS else 0
        end = min(cells.first + cells.count, start + columns * _MOST_ROWS)
        for first in range(start, end, columns):
            self._text(_LEFT - 8, self._y + 15, first, "e m")
            for cell in range(first, min(first + columns, end)):
                self._cell(number, cells, cell, (cell - first, 32 // max(columns, 16)))
            self._y += _ROW
        self._y += 10

    def _is_wide(self, number: int, cells: Cells) -> bool:
        """Whether a value has more characters than a narrow cell has room for."""
        size = cells.item_bytes
        values = (self._state.value(number, size * at, size) for at in range(_MOST_ROWS * 32))
        return any(data and len(_value(cells.type, data, _WIDE)) > _NARROW for data in values)

    def _cell(self, number: int, cells: Cells, cell: int, at: tuple[int, int]) -> None:
        """`at`: its column, and how many narrow cells wide it is."""
        x, width = _LEFT + at[0] * at[1] * _CELL, at[1] * _CELL
        low = cell * cells.item_bytes
        style = "c" if low in self._state.written[number] else "n"
        access = self._moment.access
        if access and access.array == number:
            size = access.size_bytes
            if any(at < low + cells.item_bytes and low < at + size for at in access.offsets):
                style = "r" if self._moment.kind == "r" else "w"
        self._box(x, self._y, width - 2, _ROW - 3, style)
        if (number, low) in self._raced:
            self._box(x, self._y, width - 2, _ROW - 3, "k")
        if data := self._state.value(number, low, cells.item_bytes):
            text = _value(cells.type, data, _NARROW if at[1] == 1 else _WIDE)
            self._text(x + width / 2 - 1, self._y + 14, text, "m")

    def _timeline(self) -> None:
        moments, blocks = self._recording.moments, self._recording.recorded_blocks
        num_warps = -(-self._recording.threads_per_block // WARP_SIZE)
        height = max(2, min(9, 140 // (num_warps * len(blocks))))
        tops = {b: self._y + 6 + i * (num_warps * height + 5) for i, b in enumerate(blocks)}
        bottom = self._y + 6 + len(blocks) * (num_warps * height + 5)
        width = _WIDTH - _LEFT - 8
        each = width / len(moments)
        for block in blocks:
            if len(blocks) > 1:
                label = tops[block] + num_warps * height / 2 + 4
                self._text(_LEFT - 8, label, f"block {block}", "e")
            self._box(_LEFT, tops[block], width, num_warps * height, "z")
        if len(blocks) == 1:
            self._text(_LEFT - 8, tops[blocks[0]] + num_warps * height / 2 + 4, "steps", "e")
        bars: dict[str, list[str]] = {}
        for (block, warp), slots in self._slots(each).items():
            y = tops[block] + warp * height
            for style, half, first, last in _runs(slots):
                tall = (height - 1) / 2 if half else height - 1
                wide = _short((last + 1 - first) / _SLOTS)
                bar = f"M{_short(_LEFT + first / _SLOTS)} {_short(y + height - 1 - tall)}"
                bar += f"h{wide}v{_short(tall)}h-{wide}z"
                bars.setdefault(style, []).append(bar)
        self._shapes += [f'<path d="{"".join(d)}" class="{style}"/>' for style, d in bars.items()]
        for index, moment in enumerate(moments):
            if moment.kind in "bg":
                x = _LEFT + (index + 0.5) * each
                self._box(x - 0.6, tops[moment.block] - 2, 1.2, num_warps * height + 3, "b")
            elif moment.kind == "f":
                x = _LEFT + (index + 0.5) * each
                self._box(x - 1, self._y, 2, bottom - self._y, "bad")
        x = _LEFT + (self._at + 0.5) * each
        self._box(x - 1, self._y, 2, bottom - self._y + 2, "now")
        self._y = int(bottom) + 8

    def _slots(self, each: float) -> dict[tuple[int, int], dict[int, tuple[str, bool]]]:
        """By block and warp: the look of each half pixel, so that a long launch has few bars."""
        made: dict[tuple[int, int], dict[int, tuple[str, bool]]] = {}
        for index, moment in enumerate(self._recording.moments):
            if moment.kind not in ACTING:
                continue
            look = (f"k{self._colour(moment.place)}", moment.is_diverged)
            first, end = int(index * each * _SLOTS), int((index + 1) * each * _SLOTS)
            row = made.setdefault((moment.block, moment.warp), {})
            for slot in range(first, max(end, first + 1)):
                row[slot] = look
        return made

    # ---- shapes

    def _colour(self, place: int) -> int:
        where = self._recording.places[place]
        key = (where.file, where.line)
        return self._lines.setdefault(key, len(self._lines)) % _COLOURS

    def _box(self, x: float, y: float, width: float, height: float, style: str) -> None:
        size = f'width="{_short(width)}" height="{_short(height)}"'
        self._shapes.append(f'<rect x="{_short(x)}" y="{_short(y)}" {size} class="{style}"/>')

    def _text(self, x: float, y: float, words: object, style: str) -> None:
        said = html.escape(str(words))
        self._shapes.append(f'<text x="{_short(x)}" y="{_short(y)}" class="{style}">{said}</text>')


def _runs(slots: dict[int, tuple[str, bool]]) -> list[tuple[str, bool, int, int]]:
    """Neighbouring slots that look alike: look, first and last."""
    made: list[tuple[str, bool, int, int]] = []
    for slot in sorted(slots):
        style, half = slots[slot]
        if made and made[-1][:2] == (style, half) and made[-1][3] == slot - 1:
            made[-1] = (style, half, made[-1][2], slot)
        else:
            made.append((style, half, slot, slot))
    return made


def _short(number: float) -> str:
    return f"{number:.1f}".rstrip("0").rstrip(".")


def _plural(verb: str) -> str:
    """One lane "reads", several "read"."""
    first, _, rest = verb.partition(" ")
    return f"{first[:-1]} {rest}".rstrip()


def _cost(access: Access) -> str:
    if not access.ideal:
        used = 100 * len(set(access.offsets)) * access.size_bytes / (32 * access.cost)
        sectors = "1 sector" if access.cost == 1 else f"{access.cost} sectors"
        return f"{sectors} of 32 bytes, of which {min(100, round(used))}% is used"
    wavefronts = "1 wavefront" if access.cost == 1 else f"{access.cost} wavefronts"
    if access.cost <= access.ideal:
        return f"{wavefronts}, no bank conflict"
    return f"{wavefronts} instead of {access.ideal}"


def _value(kind: str, data: bytes, most: int) -> str:
    """The value, in at most as many characters as a cell has room for."""
    value = struct.unpack(_FORMATS[kind], data)[0]
    text = f"{value:.{most}g}" if kind.startswith("f") else str(value)
    for digits in range(most - 1, 0, -1):
        if len(text) <= most:
            break
        text = f"{float(value):.{digits}g}".replace("e+0", "e").replace("e-0", "e-")
    return text.replace("-", "\u2212") if len(text) <= most else "\u2026"
