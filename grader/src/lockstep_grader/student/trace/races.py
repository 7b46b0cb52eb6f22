# SPDX-License-Identifier: MIT
"""The two accesses of a race in a recording, and in one where they come the other way round."""

from dataclasses import dataclass

from lockstep_grader.student.trace.model import WARP_SIZE, Moment, Recording


@dataclass(frozen=True, slots=True)
class Touch:
    """One thread's access to a place in memory."""

    moment: int  # its index
    block: int
    thread: int  # in its block
    lane_index: int  # in Access.offsets
    array: int
    offset: int
    kind: str  # one of ACCESSES

    @property
    def turn(self) -> tuple[int, int]:
        """Touches compare by this: the earlier is less."""
        return self.moment, self.lane_index


@dataclass(frozen=True, slots=True)
class Race:
    finding: int
    first: Touch
    second: Touch


@dataclass(frozen=True, slots=True)
class Reversed:
    """The two accesses of a race in another recording, where the second comes first."""

    race: Race  # of the first recording
    first: Touch
    second: Touch
    value: bytes | None  # what the watched access sees or leaves there
    differs: bool  # from what it sees or leaves here


def find_races(recording: Recording) -> list[Race]:
    """One for each finding of kind race whose accesses are in the recording."""
    races = []
    for index, moment in enumerate(recording.moments):
        if moment.kind != "f" or recording.findings[moment.finding].kind != "race":
            continue
        race = _race(recording, index, moment)
        if race:
            races.append(race)
    return races


def value_of(recording: Recording, touch: Touch) -> bytes | None:
    """What a read gets; what a write leaves."""
    access = recording.moments[touch.moment].access
    if access is None:
        return None
    if access.after:
        return access.after[touch.lane_index]
    return _known_values(recording, touch.moment).get(
        (touch.array, touch.offset, access.size_bytes)
    )


def reversed_in(recording: Recording, race: Race, other: Recording) -> Reversed | None:
    """The race in `other`, a recording of the same launch in another order; None: it is not there,
    or its accesses come in the same order."""
    first = _same_touch(recording, race.second, other)
    second = _same_touch(recording, race.first, other)
    if not first or not second or first.turn >= second.turn:
        return None
    here = value_of(recording, watched(race.first, race.second))
    there = value_of(other, watched(first, second))
    return Reversed(race, first, second, there, here != there)


def watched(first: Touch, second: Touch) -> Touch:
    """The access whose value the page compares: the one that reads, or else the last."""
    return first if first.kind == "r" else second


def _race(recording: Recording, at: int, finding: Moment) -> Race | None:
    line = recording.findings[finding.finding].line
    wanted = finding.warp * WARP_SIZE + finding.lane
    # The checker sees an access just before it is made; a race of two writes just after.
    after = range(at, min(at + 64, len(recording.moments)))
    for index in (*after, *range(at - 1, -1, -1)):
        moment = recording.moments[index]
        access = moment.access
        if access is None or moment.block != finding.block:
            continue
        if recording.places[moment.place].line != line:
            continue
        for lane_index, lane in enumerate(moment.lane_ids()):
            thread = moment.warp * WARP_SIZE + lane
            if index >= at and thread != wanted:
                continue
            touch = Touch(
                index,
                moment.block,
                thread,
                lane_index,
                access.array,
                access.offsets[lane_index],
                moment.kind,
            )
            first = _earlier(recording, touch)
            if first:
                return Race(finding.finding, first, touch)
        if index < at - 256:
            return None
    return None


def _earlier(recording: Recording, touch: Touch) -> Touch | None:
    """The last conflicting access of another thread to the same cell, with no barrier between."""
    access = recording.moments[touch.moment].access
    if access is None:
        return None
    end = touch.offset + access.size_bytes
    for index in range(touch.moment, -1, -1):
        moment = recording.moments[index]
        if moment.kind == "g" or (moment.kind == "b" and moment.block == touch.block):
            return None
        other = moment.access
        if other is None or other.array != touch.array:
            continue
        if moment.kind == touch.kind and moment.kind in {"r", "a"}:
            continue
        for lane_index, lane in enumerate(moment.lane_ids()):
            thread = moment.warp * WARP_SIZE + lane
            offset = other.offsets[lane_index]
            is_same = moment.block == touch.block and thread == touch.thread
            is_later = index == touch.moment and lane_index > touch.lane_index
            if is_same or is_later or offset >= end or offset + other.size_bytes <= touch.offset:
                continue
            return Touch(index, moment.block, thread, lane_index, other.array, offset, moment.kind)
    return None


def _same_touch(recording: Recording, touch: Touch, other: Recording) -> Touch | None:
    """The access by the same thread, as often in this line before, to the same place."""
    moment = recording.moments[touch.moment]
    place = recording.places[moment.place]
    array = recording.arrays[touch.array]
    earlier = sum(1 for _ in _touches(recording, touch, touch.moment))
    for index in _touches(other, touch, len(other.moments), place.line):
        if earlier == 0:
            found = other.moments[index]
            access = found.access
            lane_index = found.lane_ids().index(touch.thread % WARP_SIZE)
            if access is None or other.arrays[access.array].name != array.name:
                return None
            if access.offsets[lane_index] != touch.offset:
                return None
            return Touch(
                index,
                touch.block,
                touch.thread,
                lane_index,
                access.array,
                access.offsets[lane_index],
                touch.kind,
            )
        earlier -= 1
    return None


def _touches(recording: Recording, touch: Touch, end: int, line: int | None = None) -> list[int]:
    """The moments before `end` in which the thread makes such an access in that line."""
    if line is None:
        line = recording.places[recording.moments[touch.moment].place].line
    warp, lane = divmod(touch.thread, WARP_SIZE)
    return [
        index
        for index, moment in enumerate(recording.moments[:end])
        if moment.kind == touch.kind
        and moment.block == touch.block
        and moment.warp == warp
        and moment.lanes >> lane & 1
        and recording.places[moment.place].line == line
    ]


def _known_values(recording: Recording, end: int) -> dict[tuple[int, int, int], bytes]:
    known: dict[tuple[int, int, int], bytes] = {}
    for moment in recording.moments[: end + 1]:
        access = moment.access
        if access is None:
            continue
        for values in (access.before, access.after):
            for offset, value in zip(access.offsets, values, strict=False):
                known[access.array, offset, access.size_bytes] = value
    return known
