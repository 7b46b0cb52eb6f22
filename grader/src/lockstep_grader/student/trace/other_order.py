# SPDX-License-Identifier: MIT
"""Looks for the order of threads in which the accesses of a race come the other way round."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lockstep_grader.model.errors import InputError, SubmissionError
from lockstep_grader.student.trace.model import WARP_SIZE, Recording
from lockstep_grader.student.trace.races import Race, Reversed, Touch, reversed_in
from lockstep_grader.student.trace.record import Recorder, Wish

_IN_STEP_SEEDS, _ONE_BY_ONE_SEEDS = 4, 8
_SECONDS = 20.0  # after which no other order is begun
_STEPS_AFTER = 60  # of the other order, which is shown as far as the race


@dataclass(frozen=True, slots=True)
class OtherOrder:
    """The launch in another order, up to a little after its races."""

    seed: int
    one_by_one: bool
    recording: Recording
    races: tuple[Reversed, ...]


def find_other_orders(
    record: Recorder, wish: Wish, recording: Recording, races: Sequence[Race]
) -> tuple[OtherOrder, ...]:
    """For each race one order, if any was found. One that changes what is read is preferred."""
    best: dict[int, tuple[Wish, Recording, Reversed]] = {}  # by finding
    deadline = time.monotonic() + _SECONDS
    for tried in _wishes(wish, races):
        wanted = [race for race in races if not _is_settled(best.get(race.finding))]
        if not wanted or time.monotonic() > deadline:
            break
        try:
            other = record(tried).recording
        except (SubmissionError, InputError):
            continue
        for race in wanted:
            seen = reversed_in(recording, race, other)
            if seen and (seen.differs or race.finding not in best):
                best[race.finding] = tried, other, seen
    return _by_order(best)


def _wishes(wish: Wish, races: Sequence[Race]) -> Iterator[Wish]:
    """Warps in other orders first: lanes in step are easier to read than one after another."""
    if any(_warp(race.first) != _warp(race.second) for race in races):
        for seed in range(wish.seed + 1, wish.seed + 1 + _IN_STEP_SEEDS):
            yield replace(wish, seed=seed)
    for seed in range(wish.seed, wish.seed + _ONE_BY_ONE_SEEDS):
        yield replace(wish, seed=seed, one_by_one=True)


def _warp(touch: Touch) -> tuple[int, int]:
    return touch.block, touch.thread // WARP_SIZE


def _is_settled(found: tuple[Wish, Recording, Reversed] | None) -> bool:
    return found is not None and found[2].differs


def _by_order(best: dict[int, tuple[Wish, Recording, Reversed]]) -> tuple[OtherOrder, ...]:
    orders: dict[Wish, list[Reversed]] = {}
    recordings: dict[Wish, Recording] = {}
    for tried, other, seen in best.values():
        orders.setdefault(tried, []).append(seen)
        recordings[tried] = other
    return tuple(
        OtherOrder(tried.seed, tried.one_by_one, _cut(recordings[tried], seen), tuple(seen))
        for tried, seen in orders.items()
    )


def _cut(recording: Recording, races: Sequence[Reversed]) -> Recording:
    end = max(race.second.moment for race in races) + _STEPS_AFTER
    if len(recording.moments) <= end:
        return recording
    return replace(recording, is_cut=True, moments=recording.moments[:end])
