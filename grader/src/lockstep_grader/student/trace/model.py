# SPDX-License-Identifier: MIT
"""A recording as values: what the device wrote, read and checked; the two accesses of a race in it,
and what the other order of the two would give. No I/O."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

from lockstep_grader.intake.toml_lines import spelled
from lockstep_grader.intake.toml_tables import first_problem
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.text import visible

WARP_SIZE = 32
_OPERATION_BYTES = 8

ACCESSES = {"r": "reads", "w": "writes", "a": "updates atomically"}
ACTING = frozenset("srwao")

_Words = Annotated[str, BeforeValidator(lambda text: visible(str(text)))]
_IsShared = Annotated[
    bool, Field(validation_alias="space"), BeforeValidator(lambda space: space == "shared")
]


@dataclass(frozen=True, slots=True)
class Array:
    """A __shared__ variable of one block, or an allocation."""

    name: _Words
    is_shared: _IsShared
    block: int  # -1: global memory
    size_bytes: Annotated[int, Field(validation_alias="bytes")]
    file: _Words  # where the program allocated it; line 0: unknown
    line: int


class Place(NamedTuple):
    file: _Words
    line: int


class Accused(NamedTuple):
    """One of the two accesses of a race."""

    block: int  # -1: another block than the other's
    thread: int  # in its block
    line: int
    writes: bool


@dataclass(frozen=True, slots=True)
class Found:
    kind: _Words
    file: _Words
    line: int
    message: _Words
    race: tuple[Accused, Accused] | tuple[()] = ()  # its two accesses, if this launch made both


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
    """What a warp does without memory: a shuffle, a vote, ..."""

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

    @property
    def is_diverged(self) -> bool:
        return self.kind in ACTING and self.live & ~self.waiting & ~self.lanes != 0


def _moment(item: Sequence[Any]) -> Moment:
    """Raises ValueError where the row has another form."""
    kind, block, *rest = item
    if kind in ("B", "E"):
        return Moment(kind, block)
    if kind in ("b", "g"):
        return Moment(kind, block, place=int(rest[0]))
    if kind == "f":
        return Moment(kind, block, int(rest[0]), finding=int(rest[1]), lane=int(rest[2]))
    if kind not in (*ACTING, "v", "x"):
        raise ValueError(kind)
    return _acting(kind, block, rest)


def _acting(kind: str, block: int, rest: Sequence[Any]) -> Moment:
    warp, place, lanes, live, waiting = (int(value) for value in rest[:5])
    access = operation = None
    count = lanes.bit_count()
    if kind in ACCESSES:
        access = _access(rest[5:], count)
    elif kind == "o":
        name, before, after = rest[5:]
        has_values = _OPERATION_BYTES if before else 0
        if visible(name) != name:  # a page shows the row itself
            raise ValueError(name)
        operation = Operation(
            name, _values(before, has_values, count), _values(after, has_values, count)
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
    values = (_values(before, size, count), _values(after, size, count))
    return Access(array, size, places, *values, cost, ideal)


def _values(text: str, size: int, count: int) -> tuple[bytes, ...]:
    data = bytes.fromhex(text)
    if not data:
        return ()
    if len(data) != size * count:
        raise ValueError(text[:40])
    return tuple(data[size * lane : size * (lane + 1)] for lane in range(count))


@dataclass(frozen=True, slots=True)
class Recording:
    kernel: _Words
    file: _Words
    line: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    is_cut: Annotated[bool, Field(validation_alias="cut")]
    arrays: tuple[Array, ...]
    places: tuple[Place, ...]
    findings: tuple[Found, ...]
    rows: Annotated[tuple[Any, ...], Field(validation_alias="moments")]  # as the device wrote them
    moments: tuple[Annotated[Moment, BeforeValidator(_moment)], ...]

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


_RECORDING = TypeAdapter(Recording)


def read_recording(data: Mapping[str, Any] | str) -> Recording:
    """Raises FaultError where it is not as the device writes it."""
    try:
        if isinstance(data, str):
            return _checked(_RECORDING.validate_json(data))
        return _checked(_RECORDING.validate_python(data))
    except ValidationError as error:
        path, said = first_problem(error)
        why = f"{spelled(path)}: {said}"
    except (TypeError, ValueError, IndexError) as error:
        why = repr(error)
    raise FaultError(f"the device wrote a recording that cannot be read: {why}")


def _checked(recording: Recording) -> Recording:
    for moment in recording.moments:
        in_bounds = moment.place < len(recording.places)
        in_bounds = in_bounds and moment.finding < len(recording.findings)
        if not in_bounds or (moment.access and moment.access.array >= len(recording.arrays)):
            raise ValueError(moment.kind)
    return recording


@dataclass(frozen=True, slots=True)
class Touch:
    """One thread's access to a place in memory."""

    moment: int  # its index
    block: int
    thread: int  # in its block
    access: Access  # of its warp
    lane_index: int  # in Access.offsets
    kind: str  # one of ACCESSES

    @property
    def array(self) -> int:
        return self.access.array

    @property
    def offset(self) -> int:
        return self.access.offsets[self.lane_index]

    @property
    def size(self) -> int:
        return self.access.size_bytes

    @property
    def turn(self) -> tuple[int, int]:
        """Touches compare by this: the earlier is less."""
        return self.moment, self.lane_index

    def meets(self, other: "Touch") -> bool:
        return (
            self.array == other.array
            and (self.block, self.thread) != (other.block, other.thread)
            and self.offset < other.offset + other.size
            and other.offset < self.offset + self.size
        )


@dataclass(frozen=True, slots=True)
class Race:
    """`first` and `second` in the order of the recording. A value is what the access that reads
    gets; where both write, what the later one leaves. None: not known."""

    finding: int
    first: Touch
    second: Touch
    value: bytes | None
    other_value: bytes | None  # the other way round


def find_races(recording: Recording) -> list[Race]:
    """One for each finding of a race whose two accesses are in the recording."""
    races = []
    for at, moment in enumerate(recording.moments):
        pair = recording.findings[moment.finding].race if moment.kind == "f" else ()
        if pair and (touches := _nearest(recording, at, *pair)):
            first, second = touches
            here, other = _outcomes(recording, first, second)
            races.append(Race(moment.finding, first, second, here, other))
    return races


def _nearest(
    recording: Recording, at: int, one: Accused, other: Accused
) -> tuple[Touch, Touch] | None:
    """Of the accesses that the two threads make in these lines, those next to the finding.

    The check sees an access just before it is made, and a race of two writes just after.
    """
    theirs = list(_touches(recording, other, one.block))
    pairs = [
        sorted((touch, each), key=lambda found: found.turn)
        for touch in _touches(recording, one, other.block)
        for each in theirs
        if touch.meets(each)
    ]
    if not pairs:
        return None
    first, second = min(pairs, key=lambda pair: (abs(pair[1].moment - at), -pair[0].moment))
    return first, second


def _touches(recording: Recording, accused: Accused, other_block: int) -> Iterator[Touch]:
    kinds = "wa" if accused.writes else "r"
    warp, lane = divmod(accused.thread, WARP_SIZE)
    for index, moment in enumerate(recording.moments):
        access = moment.access
        if access is None or moment.kind not in kinds or moment.warp != warp:
            continue
        is_block = moment.block == accused.block
        if accused.block < 0:
            is_block = moment.block != other_block
        if not is_block or not moment.lanes >> lane & 1:
            continue
        if recording.places[moment.place].line == accused.line:
            at = moment.lane_ids().index(lane)
            yield Touch(index, moment.block, accused.thread, access, at, moment.kind)


def _outcomes(
    recording: Recording, first: Touch, second: Touch
) -> tuple[bytes | None, bytes | None]:
    """What comes of the two accesses in the order of the recording, and the other way round."""
    if (first.offset, first.size) != (second.offset, second.size):
        return None, None
    if first.kind == "r":
        return _seen(recording, first), _left(second)
    if second.kind == "r":
        return _seen(recording, second), _known(recording, first, first.moment)
    # After a plain write, an atomic would add to another value.
    other = _left(first) if first.kind == "w" else None
    return _left(second), other


def _left(touch: Touch) -> bytes:
    """What a write leaves in memory."""
    return touch.access.after[touch.lane_index]


def _seen(recording: Recording, touch: Touch) -> bytes | None:
    before = touch.access.before
    return before[touch.lane_index] if before else _known(recording, touch, touch.moment)


def _known(recording: Recording, touch: Touch, end: int) -> bytes | None:
    """What is in the touched memory before the moment `end`, if the recording has told."""
    held: dict[int, int] = {}
    for moment in recording.moments[:end]:
        access = moment.access
        if access is None or access.array != touch.array:
            continue
        for values in (access.before, access.after):
            for offset, value in zip(access.offsets, values, strict=False):
                held |= {offset + index: byte for index, byte in enumerate(value)}
    found = [held.get(touch.offset + index) for index in range(touch.size)]
    return None if None in found else bytes(byte for byte in found if byte is not None)
