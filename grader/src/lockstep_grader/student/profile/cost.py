# SPDX-License-Identifier: MIT
"""Costs from counters, by one stated rule, and what limits a kernel.

The unit is a pass through the memory system: a 32-byte sector of global memory, a wavefront of
shared memory, or a lane of an atomic. A line's heat is its share of the passes. A kernel is held
back by whatever causes the most passes that another access pattern would save, if these are at
least a tenth of all; failing that by idle lanes, too few warps, barriers, or too few blocks.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lockstep_grader.model.measures import figure
from lockstep_grader.student.profile.model import SECTOR_BYTES, WARP_SIZE, Counters, Kernel, Line

_KINDS = (
    "global_read",
    "global_write",
    "shared_read",
    "shared_write",
    "global_atomic",
    "shared_atomic",
)
_NOTABLE_SHARE = 0.1  # of the passes, for an avoidable cost to be what holds a kernel back
_FEW_LANES = 0.6  # of a warp's lanes, on average over what it executes
_LOW_OCCUPANCY = 0.25
_MOSTLY = 0.5  # of the passes, for shared memory to be named
_BARRIERS_PER_REQUEST = 0.5  # waits of a warp for each of its memory requests


@dataclass(frozen=True, slots=True)
class Diagnosis:
    rule: str  # a word for machines
    sentence: str

    @property
    def is_good(self) -> bool:
        """Whether no rule found a cost that another kernel would not have."""
        return self.rule in ("no_waste", "few_blocks")


def passes(counters: Counters) -> float:
    """What `counters` cost, in passes through the memory system."""
    return sum(
        counters.get(name, 0)
        for name in (
            "global_read_sectors",
            "global_write_sectors",
            "shared_read_wavefronts",
            "shared_write_wavefronts",
            "global_atomic_lanes",
            "shared_atomic_lanes",
        )
    )


def requests(counters: Counters) -> float:
    """Memory requests of warps, of every kind."""
    return sum(counters.get(f"{kind}_requests", 0) for kind in _KINDS)


def wasted_sectors(counters: Counters) -> float:
    """Sectors beyond those that would hold the bytes that are used."""
    waste = 0.0
    for access in ("read", "write"):
        moved = counters.get(f"global_{access}_sectors", 0)
        waste += max(0.0, moved - counters.get(f"global_{access}_bytes", 0) / SECTOR_BYTES)
    return waste


def conflicts(counters: Counters) -> float:
    return counters.get("shared_read_conflicts", 0) + counters.get("shared_write_conflicts", 0)


def queued_lanes(counters: Counters) -> float:
    """Lanes of atomics that wait for another lane of their own request."""
    waiting = 0.0
    for space in ("global", "shared"):
        together = counters.get(f"{space}_atomic_max_same_address", 0)
        if together > 1:
            waiting += counters.get(f"{space}_atomic_lanes", 0) * (1 - 1 / together)
    return waiting


def diagnose(kernel: Kernel, items: float, multiprocessors: int) -> Diagnosis:
    """What holds `kernel` back; the module says by which rules."""
    counters = kernel.counters
    costs = {
        "uncoalesced": wasted_sectors(counters),
        "bank_conflicts": conflicts(counters),
        "atomics": queued_lanes(counters),
    }
    worst = max(costs, key=lambda rule: costs[rule])
    if costs[worst] > 0 and costs[worst] >= _NOTABLE_SHARE * passes(counters):
        return Diagnosis(worst, _avoidable(worst, kernel, costs[worst]))
    if kernel.launches and (idle := _idle(kernel)):  # copies have no threads
        return idle
    blocks = counters.get("blocks", 0) / max(1, kernel.launches)
    if 0 < blocks < multiprocessors:
        said = (
            f"{_no_waste(kernel, items)}; but, at this size, {figure(blocks)} blocks per launch "
            f"leave most of {multiprocessors} multiprocessors without work"
        )
        return Diagnosis("few_blocks", said)
    return Diagnosis("no_waste", _no_waste(kernel, items))


def _avoidable(rule: str, kernel: Kernel, cost: float) -> str:
    counters = kernel.counters
    if rule == "uncoalesced":
        moved = counters.get("global_read_sectors", 0) + counters.get("global_write_sectors", 0)
        where = _worst(kernel.lines, wasted_sectors)
        return (
            f"uncoalesced: {figure(moved)} sectors moved, where {figure(moved - cost)} would hold "
            f"the bytes used{where}. Let neighbouring lanes touch neighbouring words"
        )
    if rule == "bank_conflicts":
        where = _worst(kernel.lines, conflicts)
        return (
            f"bank conflicts: {figure(cost)} extra wavefronts, {cost / passes(counters):.0%} of "
            f"all passes{where}. Let a warp's lanes access 32 different banks, or the same word"
        )
    most = max(
        counters.get(f"{space}_atomic_max_same_address", 0) for space in ("global", "shared")
    )
    where = _worst(kernel.lines, queued_lanes)
    return (
        f"atomics: up to {figure(most)} lanes of a warp access one address and queue there{where}"
        ". Combine within the warp or the block first"
    )


def _idle(kernel: Kernel) -> Diagnosis | None:
    counters, occupancy = kernel.counters, kernel.occupancy
    executed, active = counters.get("basic_blocks", 0), counters.get("active_lanes", 0)
    if executed and active < _FEW_LANES * WARP_SIZE * executed:
        where = _worst(kernel.lines, lambda line: line.get("divergent_branches", 0))
        return Diagnosis(
            "divergence",
            f"divergence: on average {active / executed:.1f} of a warp's {WARP_SIZE} lanes work, "
            f"the others wait{where}",
        )
    if occupancy.of_warps and occupancy.warps < _LOW_OCCUPANCY * occupancy.of_warps:
        return Diagnosis(
            "occupancy",
            f"too few warps: {occupancy.warps} of {occupancy.of_warps} fit on a multiprocessor, "
            f"limited by {occupancy.limiter}: little else runs while a warp waits for memory",
        )
    per_block = counters.get("warps", 0) / max(1.0, counters.get("blocks", 0))
    waits = counters.get("barriers", 0) * per_block
    if waits > _BARRIERS_PER_REQUEST * requests(counters):
        where = _worst(kernel.lines, lambda line: line.get("barriers", 0))
        return Diagnosis(
            "barriers",
            f"barriers: warps wait {figure(waits)} times for the others of their block, and make "
            f"{figure(requests(counters))} memory requests{where}",
        )
    return None


def _no_waste(kernel: Kernel, items: float) -> str:
    counters = kernel.counters
    sectors = counters.get("global_read_sectors", 0) + counters.get("global_write_sectors", 0)
    moved = SECTOR_BYTES * sectors / max(1.0, items)
    said = f"no access is wasted: {figure(moved)} bytes of global memory moved per item"
    shared = _wavefronts(counters)
    if shared > _MOSTLY * passes(counters):
        where = _worst(kernel.lines, _wavefronts)
        said += (
            f"; {shared / passes(counters):.0%} of all passes are shared memory's{where}, "
            "and a word kept in a register needs none"
        )
    return said


def _wavefronts(counters: Counters) -> float:
    return counters.get("shared_read_wavefronts", 0) + counters.get("shared_write_wavefronts", 0)


def _worst(lines: Iterable[Line], cost: Callable[[Counters], float]) -> str:
    """Where most of `cost` arises, as a clause; empty when no line has any."""
    known = [line for line in lines if cost(line.counters) > 0]
    if not known:
        return ""
    worst = max(known, key=lambda line: cost(line.counters))
    return f", most of all in {worst.file}:{worst.line}"
