# SPDX-License-Identifier: MIT
"""The moments of a recording as columns of bytes that compress well; unpack.js reads them.

Each number is the difference from what a reader can foretell: from the last moment of the same
warp, or from the last access in the same line. Of a value, the reader tries what the lane held
before. So most bytes are 0.
"""

import struct
import zlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lockstep_grader.student.trace.model import ACCESSES, WARP_SIZE, Access, Moment, Recording

_WORD = 4  # bytes; longer values are words one after another
_PAGE = 4096
_HAS_BEFORE, _HAS_AFTER, _IS_EVEN = 1, 2, 4
_NONE, _SAME, _SUM, _FLOAT_SUM = range(4)  # what a value is compared with


@dataclass(frozen=True, slots=True)
class Packed:
    columns: dict[str, bytes]
    names: tuple[str, ...]  # of warp operations


def packed(recording: Recording) -> Packed:
    packer = _Packer()
    for moment in recording.moments:
        packer.add(moment)
    columns = {name: bytes(column) for name, column in packer.columns.items()}
    return Packed(columns, tuple(packer.names))


def compressed_text(data: bytes) -> str:
    """Its length and itself deflated, 7 bits in each character: base64 has 6.

    It is for a script element: no "<", no NUL, no CR.
    """
    deflated = zlib.compress(data, 9)
    content = len(deflated).to_bytes(4, "big") + deflated
    content += bytes(-len(content) % 7)
    parts = []
    for at in range(0, len(content), 7):
        bits = int.from_bytes(content[at : at + 7], "big")
        parts.append(bytes(bits >> shift & 127 for shift in range(49, -1, -7)))
    return b"".join(parts).decode("ascii").translate(_REPLACED)


# By a character whose last 7 bits are the same.
_REPLACED = {code: chr(256 + code) for code in (0, ord("\r"), ord("<"))}


class _Memory:
    """What the recording has told of the memory of one array; 0 where it told nothing."""

    def __init__(self) -> None:
        self._pages: dict[int, bytearray] = {}

    def get(self, offset: int, size: int) -> bytes:
        page, at = divmod(offset, _PAGE)
        if at + size > _PAGE:
            first = _PAGE - at
            return self.get(offset, first) + self.get(offset + first, size - first)
        known = self._pages.get(page)
        return bytes(known[at : at + size]) if known else bytes(size)

    def set(self, offset: int, value: bytes) -> None:
        page, at = divmod(offset, _PAGE)
        if at + len(value) > _PAGE:
            first = _PAGE - at
            self.set(offset, value[:first])
            self.set(offset + first, value[first:])
            return
        known = self._pages.get(page)
        if known is None:
            known = self._pages[page] = bytearray(_PAGE)
        known[at : at + len(value)] = value


@dataclass(slots=True)
class _WarpState:
    place: int = 0
    lanes: int = 0
    live: int = 0
    waiting: int = 0


@dataclass(slots=True)
class _LineState:
    """The last access in a line."""

    array: int = 0
    size: int = 0
    first: int = 0
    step: int = 0
    cost: int = 0
    ideal: int = 0


class _Packer:
    def __init__(self) -> None:
        self.columns: defaultdict[str, bytearray] = defaultdict(bytearray)
        self.names: list[str] = []
        self._block = self._warp = 0
        self._warps: defaultdict[tuple[int, int], _WarpState] = defaultdict(_WarpState)
        self._lines: defaultdict[int, _LineState] = defaultdict(_LineState)
        self._memory: defaultdict[int, _Memory] = defaultdict(_Memory)
        # The last two values of each word of each lane, as words.
        self._held: defaultdict[tuple[int, int], _Held] = defaultdict(_Held)

    def add(self, moment: Moment) -> None:
        self.columns["kind"] += moment.kind.encode("ascii")
        self._difference("block", moment.block - self._block)
        self._block = moment.block
        if moment.kind in "bg":
            self._unsigned("place", moment.place)
        elif moment.kind in "srwaovxf":
            self._difference("warp", moment.warp - self._warp)
            self._warp = moment.warp
            if moment.kind == "f":
                self._unsigned("other", moment.finding)
                self._unsigned("other", moment.lane)
            else:
                self._add_acting(moment)

    def _add_acting(self, moment: Moment) -> None:
        state = self._warps[moment.block, moment.warp]
        self._difference("place", moment.place - state.place)
        self._unsigned("lanes", moment.lanes ^ state.lanes)
        self._unsigned("live", moment.live ^ state.live)
        self._unsigned("waiting", moment.waiting ^ state.waiting)
        state.place, state.lanes = moment.place, moment.lanes
        state.live, state.waiting = moment.live, moment.waiting
        if moment.access:
            self._add_access(moment, moment.access)
        elif operation := moment.operation:
            if operation.name not in self.names:
                self.names.append(operation.name)
            self._unsigned("other", self.names.index(operation.name))
            self._unsigned("other", _flags(operation.before, operation.after))
            self._add_values(moment, operation.before)
            self._add_values(moment, operation.after)

    def _add_access(self, moment: Moment, access: Access) -> None:
        line = self._lines[moment.place]
        first = access.offsets[0]
        step = access.offsets[1] - first if len(access.offsets) > 1 else 0
        is_even = all(offset == first + step * lane for lane, offset in enumerate(access.offsets))
        flags = _flags(access.before, access.after) | _IS_EVEN * is_even
        self.columns["flags"].append(flags)
        self._difference("array", access.array - line.array)
        self._difference("size", access.size_bytes - line.size)
        self._difference("cost", access.cost - line.cost)
        self._difference("cost", access.ideal - line.ideal)
        self._difference("first", first - line.first)
        if is_even:
            self._difference("step", step - line.step)
            line.step = step
        else:
            for lane in range(1, len(access.offsets)):
                self._difference("offsets", access.offsets[lane] - access.offsets[lane - 1])
        line.array, line.size, line.first = access.array, access.size_bytes, first
        line.cost, line.ideal = access.cost, access.ideal

        memory = self._memory[access.array]
        for values in (access.before, access.after):
            self._add_values(moment, values)
            for offset, value in zip(access.offsets, values, strict=False):
                memory.set(offset, value)
        if not access.before and not access.after and moment.kind in ACCESSES:
            known = [memory.get(offset, access.size_bytes) for offset in access.offsets]
            self._hold(moment, known)

    def _add_values(self, moment: Moment, values: Sequence[bytes]) -> None:
        """Each byte of a word goes to a column of its own: the high ones are often alike."""
        if not values:
            return
        words = _words(values)
        held = self._held[moment.block, moment.warp]
        lanes = moment.lane_ids()
        width = min(len(values[0]), _WORD)
        mask = (1 << 8 * width) - 1
        best, rest = _NONE, [word for lane in words for word in lane]
        for model in (_SAME, _SUM, _FLOAT_SUM):
            if not any(rest):
                break
            told = held.foretold(model, lanes, len(words[0]), width)
            if told is None:
                continue
            differences = [
                (word - other) & mask
                for word, other in zip((w for lane in words for w in lane), told, strict=True)
            ]
            if differences.count(0) > rest.count(0):
                best, rest = model, differences
        self.columns["models"].append(best)
        data = b"".join(word.to_bytes(width, "little") for word in rest)
        for byte in range(width):
            self.columns[f"bytes{byte}"] += data[byte::width]
        held.push(lanes, words)

    def _hold(self, moment: Moment, values: Sequence[bytes]) -> None:
        self._held[moment.block, moment.warp].push(moment.lane_ids(), _words(values))

    def _unsigned(self, column: str, value: int) -> None:
        """Seven bits in a byte, the lowest first; the eighth says that more follow."""
        made = self.columns[column]
        while value > 127:
            made.append(value & 127 | 128)
            value >>= 7
        made.append(value)

    def _difference(self, column: str, value: int) -> None:
        self._unsigned(column, 2 * value if value >= 0 else -2 * value - 1)


class _Held:
    """The last two values of each lane of a warp, word by word."""

    def __init__(self) -> None:
        self._last = [[0] * WARP_SIZE for _ in range(4)]
        self._before = [[0] * WARP_SIZE for _ in range(4)]

    def push(self, lanes: Sequence[int], values: Sequence[tuple[int, ...]]) -> None:
        for lane, words in zip(lanes, values, strict=True):
            for index, word in enumerate(words):
                self._before[index][lane] = self._last[index][lane]
                self._last[index][lane] = word

    def foretold(
        self, model: int, lanes: Sequence[int], num_words: int, width: int
    ) -> list[int] | None:
        add = _MODELS[model]
        if model == _FLOAT_SUM and width != _WORD:
            return None
        told = []
        for lane in lanes:
            for index in range(num_words):
                word = add(self._last[index][lane], self._before[index][lane])
                if word is None:
                    return None
                told.append(word)
        return told


def _float_sum(one: int, other: int) -> int | None:
    """None where the bits of the sum are not the same everywhere: it is no number, or too large."""
    terms = struct.unpack("<2f", struct.pack("<2I", one, other))
    total = terms[0] + terms[1]
    if total - total != 0:
        return None
    try:
        return int(struct.unpack("<I", struct.pack("<f", total))[0])
    except OverflowError:
        return None


_MODELS: tuple[Callable[[int, int], int | None], ...] = (
    lambda _last, _before: 0,
    lambda last, _before: last,
    lambda last, before: last + before,
    _float_sum,
)


def _flags(before: Sequence[bytes], after: Sequence[bytes]) -> int:
    return _HAS_BEFORE * bool(before) | _HAS_AFTER * bool(after)


def _words(values: Sequence[bytes]) -> list[tuple[int, ...]]:
    size = len(values[0])
    if size < _WORD:
        return [(int.from_bytes(value, "little"),) for value in values]
    read = struct.Struct(f"<{size // _WORD}I")
    return [read.unpack(value) for value in values]
