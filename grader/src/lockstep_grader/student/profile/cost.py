# SPDX-License-Identifier: MIT
"""Costs from counters, by one stated rule; what limits a kernel; the counters in words.

The unit is a pass through the memory system: a 32-byte sector of global memory, a wavefront of
shared memory, or a lane of an atomic. A line's heat is its share of the passes. A kernel is held
back by whatever causes the most passes that another access pattern would save, if these are at
least a tenth of all; failing that by idle lanes, too few warps, barriers, or too few blocks.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lockstep_grader.model.measures import figure
from lockstep_grader.student.profile.run import (
    SECTOR_BYTES,
    WARP_SIZE,
    Counters,
    Kernel,
    Line,
    SizeProfile,
)

MULTIPROCESSORS = 16  # of the device that the cpu backend presents
PER_ITEM = "bytes moved per item"
_KINDS = (
    "global_read",
    "global_write",
    "shared_read",
    "shared_write",
    "global_atomic",
    "shared_atomic",
)
_MEMORY = (
    ("global_read", "reads", "sectors"),
    ("global_write", "writes", "sectors"),
    ("shared_read", "shared reads", "wavefronts"),
    ("shared_write", "shared writes", "wavefronts"),
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
    return sectors(counters) + _wavefronts(counters) + _atomics(counters)


def _both(counters: Counters, pattern: str, *words: str) -> float:
    return sum(counters.get(pattern.format(word), 0) for word in words)


def sectors(counters: Counters) -> float:
    return _both(counters, "global_{}_sectors", "read", "write")


def _wavefronts(counters: Counters) -> float:
    return _both(counters, "shared_{}_wavefronts", "read", "write")


def _atomics(counters: Counters) -> float:
    return _both(counters, "{}_atomic_lanes", "global", "shared")


def requests(counters: Counters) -> float:
    """Memory requests of warps, of every kind."""
    return _both(counters, "{}_requests", *_KINDS)


def wasted_sectors(counters: Counters) -> float:
    """Sectors beyond those that would hold the bytes that are used."""
    waste = 0.0
    for access in ("read", "write"):
        moved = counters.get(f"global_{access}_sectors", 0)
        waste += max(0.0, moved - counters.get(f"global_{access}_bytes", 0) / SECTOR_BYTES)
    return waste


def conflicts(counters: Counters) -> float:
    return _both(counters, "shared_{}_conflicts", "read", "write")


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
    # A copy of a few bytes moves a sector, and no lanes could change that.
    if kernel.launches and costs[worst] > 0 and costs[worst] >= _NOTABLE_SHARE * passes(counters):
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
        moved = sectors(counters)
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
    moved = SECTOR_BYTES * sectors(counters) / max(1.0, items)
    said = f"no access is wasted: {figure(moved)} bytes of global memory moved per item"
    shared = _wavefronts(counters)
    if shared > _MOSTLY * passes(counters):
        where = _worst(kernel.lines, _wavefronts)
        said += (
            f"; {shared / passes(counters):.0%} of all passes are shared memory's{where}, "
            "and a word kept in a register needs none"
        )
    return said


def _worst(lines: Iterable[Line], cost: Callable[[Counters], float]) -> str:
    """Where most of `cost` arises, as a clause; empty when no line has any."""
    known = [line for line in lines if cost(line.counters) > 0]
    if not known:
        return ""
    worst = max(known, key=lambda line: cost(line.counters))
    return f", most of all in {worst.file}:{worst.line}"


@dataclass(frozen=True, slots=True)
class LineNote:
    """One source line's counters: its share of the kernels' passes, and the counts in words."""

    line: Line
    share: float
    texts: tuple[str, ...]

    @property
    def percent(self) -> str:
        """The share as it is shown; empty when the line costs no pass."""
        if self.share == 0:
            return ""
        return "<1%" if self.share < 0.005 else f"{self.share:.0%}"


def line_notes(size: SizeProfile) -> tuple[LineNote, ...]:
    """A note for each line with counters worth showing, by file and line."""
    lines = size.lines
    whole = sum(passes(line.counters) for line in lines)
    notes = []
    for line in lines:
        share = passes(line.counters) / whole if whole else 0.0
        if (texts := _texts(line.counters)) and line.line > 0:
            notes.append(LineNote(line, share, tuple(texts)))
    return tuple(notes)


def kernel_columns(kernel: Kernel, items: float) -> Sequence[tuple[str, str]]:
    """The kernel's row of the table: headings and values."""
    counters = kernel.counters
    blocks = max(1.0, counters.get("blocks", 0))
    occupancy = kernel.occupancy
    last = " (last)" if kernel.launches > 1 else ""
    shape = f"{extent(kernel.grid)} x {extent(kernel.block)}{last}"
    held = f"{occupancy.warps}/{occupancy.of_warps} warps ({occupancy.limiter})"
    is_launched = kernel.launches > 0  # copies that the host issues are not
    return (
        ("kernel", kernel.name),
        ("launches", figure(kernel.launches)),
        ("grid x block", shape if is_launched else "-"),
        ("occupancy", held if is_launched else "-"),
        (PER_ITEM, figure(SECTOR_BYTES * sectors(counters) / max(1.0, items))),
        ("sectors per read", _ratio(counters, "global_read_sectors", "global_read_requests")),
        ("sectors per write", _ratio(counters, "global_write_sectors", "global_write_requests")),
        ("bank conflicts", figure(conflicts(counters))),
        ("barriers per block", figure(counters.get("barriers", 0) / blocks)),
        ("atomics", figure(_atomics(counters))),
        ("divergent branches", figure(counters.get("divergent_branches", 0))),
    )


def extent(lengths: Sequence[int]) -> str:
    """(1024, 1, 1) as 1024, (32, 8, 1) as 32x8."""
    kept = list(lengths)
    while len(kept) > 1 and kept[-1] == 1:
        kept.pop()
    return "x".join(map(str, kept))


def _ratio(counters: Counters, above: str, below: str) -> str:
    return figure(counters.get(above, 0) / counters[below]) if counters.get(below) else "-"


def _texts(counters: Counters) -> list[str]:
    texts = []
    for kind, name, unit in _MEMORY:
        if count := counters.get(f"{kind}_requests", 0):
            each = _ratio(counters, f"{kind}_{unit}", f"{kind}_requests")
            unit = unit.removesuffix("s") if each == "1" else unit
            texts.append(f"{_counted(count, name)} of {each} {unit}")
    if count := conflicts(counters):
        texts.append(_counted(count, "bank conflicts"))
    for space in ("global", "shared"):
        if lanes := counters.get(f"{space}_atomic_lanes", 0):
            most = figure(counters.get(f"{space}_atomic_max_same_address", 0))
            texts.append(f"{_counted(lanes, f'{space} atomics')}, up to {most} at one address")
    for counter in ("barriers", "warp_operations", "divergent_branches"):
        if count := counters.get(counter, 0):
            texts.append(_counted(count, counter.replace("_", " ")))
    return texts


def _counted(count: float, plural: str) -> str:
    """As in: 1 branch, 2 branches."""
    if count != 1:
        return f"{figure(count)} {plural}"
    return f"1 {plural.removesuffix('es' if plural.endswith('ches') else 's')}"
