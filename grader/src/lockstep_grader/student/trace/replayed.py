# SPDX-License-Identifier: MIT
"""The state of threads and memory at one moment of a recording, as replay.js has it."""

from dataclasses import dataclass, field

from lockstep_grader.student.trace.model import WARP_SIZE, Moment, Recording

NEW, RUNS, WAITS, OVER = "new", "runs", "waits", "over"
ACTING = frozenset("srwao")


@dataclass(slots=True)
class LaneState:
    state: str = NEW
    place: int = -1


@dataclass(slots=True)
class State:
    lanes: dict[int, list[LaneState]]  # by block
    memory: dict[int, dict[int, int]] = field(default_factory=dict)  # by array, then by byte
    written: dict[int, set[int]] = field(default_factory=dict)  # bytes that the launch wrote


def state_at(recording: Recording, at: int) -> State:
    """After the moment `at`."""
    threads = range(recording.threads_per_block)
    state = State({block: [LaneState() for _ in threads] for block in recording.recorded_blocks})
    for moment in recording.moments[: at + 1]:
        lanes = state.lanes[moment.block]
        if moment.kind in "bgBE":
            _enter(moment.kind, lanes)
        elif moment.kind != "f":
            _place(moment, lanes)
            _touch(moment, state)
    return state


def is_diverged(moment: Moment) -> bool:
    return moment.kind in ACTING and moment.live & ~moment.waiting & ~moment.lanes != 0


def _enter(kind: str, lanes: list[LaneState]) -> None:
    for lane in lanes:
        if kind == "E":
            lane.state = OVER
        elif kind == "B" or lane.state == WAITS:
            lane.state = RUNS


def _place(moment: Moment, lanes: list[LaneState]) -> None:
    base = moment.warp * WARP_SIZE
    for lane, own in enumerate(lanes[base : base + WARP_SIZE]):
        if moment.lanes >> lane & 1 and moment.kind != "x":
            own.place = moment.place
        if not moment.live >> lane & 1:
            own.state = OVER
        else:
            own.state = WAITS if moment.waiting >> lane & 1 else RUNS


def _touch(moment: Moment, state: State) -> None:
    access = moment.access
    if access is None:
        return
    known = state.memory.setdefault(access.array, {})
    written = state.written.setdefault(access.array, set())
    for offset, value in zip(access.offsets, access.after or access.before, strict=False):
        for index, byte in enumerate(value):
            known[offset + index] = byte
            if access.after:
                written.add(offset + index)
