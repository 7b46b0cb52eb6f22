# SPDX-License-Identifier: MIT
"""A recording as values: what the device wrote, read and checked. No I/O."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.text import visible

WARP_SIZE = 32
_OPERATION_BYTES = 8

ACCESSES = {"r": "reads", "w": "writes", "a": "updates atomically"}


@dataclass(frozen=True, slots=True)
class Array:
    """A __shared__ variable of one block, or an allocation."""

    name: str
    is_shared: bool
    block: int  # -1: global memory
    size_bytes: int
    file: str  # where the program allocated it; line 0: unknown
    line: int


@dataclass(frozen=True, slots=True)
class Place:
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Accused:
    """One of the two accesses of a race."""

    block: int  # -1: another block than the other's
    thread: int  # in its block
    line: int
    writes: bool


@dataclass(frozen=True, slots=True)
class Found:
    kind: str
    file: str
    line: int
    message: str
    race: tuple[Accused, ...] = ()  # its two accesses, if this launch made both


@dataclass(frozen=True, slots=True)
class Access:
    """What the lanes of a moment did to memory, lane by lane."""

    array: int
    size_bytes: int  # of each lane's
    offsets: tuple[int, ...]  # in bytes
    before: tuple[bytes, ...]  # empty: known from what went before
    after: tuple[bytes, ...]  # empty: it only reads
    cost: int  # sectors, or wavefronts
    ideal: int  # wavefronts without a conflict; 0: sectors


@dataclass(frozen=True, slots=True)
class Operation:
    """Of a warp: a shuffle, a vote, ..."""

    name: str
    before: tuple[bytes, ...]  # what each lane gives
    after: tuple[bytes, ...]  # what it gets


@dataclass(frozen=True, slots=True)
class Moment:
    """One step. `kind`: s step, r w a access, o operation, v wait, x exit, b g barrier, B E block,
    f finding."""

    kind: str
    block: int
    warp: int = 0
    place: int = -1
    lanes: int = 0  # masks
    live: int = 0
    waiting: int = 0
    access: Access | None = None
    operation: Operation | None = None
    finding: int = -1
    lane: int = -1  # of a finding

    def lane_ids(self) -> list[int]:
        return [lane for lane in range(WARP_SIZE) if self.lanes >> lane & 1]


@dataclass(frozen=True, slots=True)
class Recording:
    kernel: str
    file: str
    line: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    is_cut: bool
    arrays: tuple[Array, ...]
    places: tuple[Place, ...]
    findings: tuple[Found, ...]
    moments: tuple[Moment, ...]

    @property
    def threads_per_block(self) -> int:
        x, y, z = self.block
        return x * y * z

    @property
    def num_blocks(self) -> int:
        x, y, z = self.grid
        return x * y * z

    @property
    def recorded_blocks(self) -> tuple[int, ...]:
        return tuple(sorted({moment.block for moment in self.moments}))


def read_recording(data: Any) -> Recording:
    """Raises FaultError where it is not as the device writes it."""
    try:
        if isinstance(data, str):
            data = json.loads(data)
        arrays = tuple(_array(item) for item in data["arrays"])
        places = tuple(Place(visible(str(file)), int(line)) for file, line in data["places"])
        findings = tuple(_found(item) for item in data["findings"])
        moments = tuple(_moment(item) for item in data["moments"])
        recording = Recording(
            visible(str(data["kernel"])),
            visible(str(data["file"])),
            int(data["line"]),
            _extent(data["grid"]),
            _extent(data["block"]),
            bool(data["cut"]),
            arrays,
            places,
            findings,
            moments,
        )
        for moment in moments:
            _check(recording, moment)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise FaultError(f"the device wrote a recording that cannot be read: {error!r}") from error
    return recording


def _check(recording: Recording, moment: Moment) -> None:
    in_bounds = moment.place < len(recording.places) and moment.finding < len(recording.findings)
    if not in_bounds or (moment.access and moment.access.array >= len(recording.arrays)):
        raise ValueError(moment.kind)


def _array(item: Any) -> Array:
    return Array(
        visible(str(item["name"])),
        item["space"] == "shared",
        int(item["block"]),
        int(item["bytes"]),
        visible(str(item["file"])),
        int(item["line"]),
    )


def _found(item: Any) -> Found:
    message, file = visible(str(item["message"])), visible(str(item["file"]))
    pair = tuple(
        Accused(int(block), int(thread), int(line), bool(writes))
        for block, thread, line, writes in item.get("race", ())
    )
    if len(pair) not in (0, 2):
        raise ValueError(pair)
    return Found(visible(str(item["kind"])), file, int(item["line"]), message, pair)


def _extent(item: Sequence[Any]) -> tuple[int, int, int]:
    x, y, z = (int(length) for length in item)
    return x, y, z


def _moment(item: Sequence[Any]) -> Moment:
    kind, block = str(item[0]), int(item[1])
    read = _READERS[kind]
    return read(kind, block, item[2:])


def _acting(kind: str, block: int, rest: Sequence[Any]) -> Moment:
    warp, place, lanes, live, waiting = (int(value) for value in rest[:5])
    access = operation = None
    count = lanes.bit_count()
    if kind in ACCESSES:
        access = _access(rest[5:], count)
    elif kind == "o":
        name, before, after = rest[5:]
        has_values = _OPERATION_BYTES if before else 0
        operation = Operation(
            visible(str(name)),
            _values(before, has_values, count),
            _values(after, has_values, count),
        )
    return Moment(kind, block, warp, place, lanes, live, waiting, access, operation)


def _access(rest: Sequence[Any], count: int) -> Access:
    array, size, offsets, before, after, cost, ideal = rest
    if isinstance(offsets[0], list):
        places = tuple(int(offset) for offset in offsets[0])
    else:
        first, step = (int(offset) for offset in offsets)
        places = tuple(first + step * lane for lane in range(count))
    if len(places) != count or min(places) < 0:
        raise ValueError(offsets)
    size = int(size)
    return Access(
        int(array),
        size,
        places,
        _values(before, size, count),
        _values(after, size, count),
        int(cost),
        int(ideal),
    )


def _values(text: str, size: int, count: int) -> tuple[bytes, ...]:
    data = bytes.fromhex(text)
    if not data:
        return ()
    if len(data) != size * count:
        raise ValueError(text[:40])
    return tuple(data[size * lane : size * (lane + 1)] for lane in range(count))


def _barrier(kind: str, block: int, rest: Sequence[Any]) -> Moment:
    return Moment(kind, block, place=int(rest[0]))


def _edge(kind: str, block: int, _rest: Sequence[Any]) -> Moment:
    return Moment(kind, block)


def _finding(kind: str, block: int, rest: Sequence[Any]) -> Moment:
    return Moment(kind, block, int(rest[0]), finding=int(rest[1]), lane=int(rest[2]))


_READERS: dict[str, Callable[[str, int, Sequence[Any]], Moment]] = {
    **dict.fromkeys("srwaovx", _acting),
    **dict.fromkeys("bg", _barrier),
    **dict.fromkeys("BE", _edge),
    "f": _finding,
}
