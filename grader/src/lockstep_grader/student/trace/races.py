# SPDX-License-Identifier: MIT
"""The two accesses of a race in a recording, and what the other order of the two would give."""

from collections.abc import Iterator
from dataclasses import dataclass

from lockstep_grader.student.trace.model import WARP_SIZE, Access, Accused, Recording


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
            here, other = _values(recording, first, second)
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


def _values(recording: Recording, first: Touch, second: Touch) -> tuple[bytes | None, bytes | None]:
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
    """By a write, in memory."""
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
