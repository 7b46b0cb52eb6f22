# SPDX-License-Identifier: MIT
"""Counters in words: the columns of a kernel's table and the notes next to a source line."""

from collections.abc import Sequence
from dataclasses import dataclass

from lockstep_grader.model.measures import figure
from lockstep_grader.student.profile.cost import passes
from lockstep_grader.student.profile.model import SECTOR_BYTES, Counters, Kernel, Line, SizeProfile

_MEMORY = (
    ("global_read", "reads", "sectors"),
    ("global_write", "writes", "sectors"),
    ("shared_read", "shared reads", "wavefronts"),
    ("shared_write", "shared writes", "wavefronts"),
)
PER_ITEM = "bytes moved per item"


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
    sectors = counters.get("global_read_sectors", 0) + counters.get("global_write_sectors", 0)
    atomics = counters.get("global_atomic_lanes", 0) + counters.get("shared_atomic_lanes", 0)
    conflicts = counters.get("shared_read_conflicts", 0) + counters.get("shared_write_conflicts", 0)
    return (
        ("kernel", kernel.name),
        ("launches", figure(kernel.launches)),
        ("grid x block", shape if is_launched else "-"),
        ("occupancy", held if is_launched else "-"),
        (PER_ITEM, figure(SECTOR_BYTES * sectors / max(1.0, items))),
        ("sectors per read", _ratio(counters, "global_read_sectors", "global_read_requests")),
        ("sectors per write", _ratio(counters, "global_write_sectors", "global_write_requests")),
        ("bank conflicts", figure(conflicts)),
        ("barriers per block", figure(counters.get("barriers", 0) / blocks)),
        ("atomics", figure(atomics)),
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
    conflicts = counters.get("shared_read_conflicts", 0) + counters.get("shared_write_conflicts", 0)
    if conflicts:
        texts.append(_counted(conflicts, "bank conflicts"))
    for space in ("global", "shared"):
        if lanes := counters.get(f"{space}_atomic_lanes", 0):
            most = figure(counters.get(f"{space}_atomic_max_same_address", 0))
            texts.append(f"{_counted(lanes, f'{space} atomics')}, up to {most} at one address")
    for counter, name in (
        ("barriers", "barriers"),
        ("warp_operations", "warp operations"),
        ("divergent_branches", "divergent branches"),
    ):
        if count := counters.get(counter, 0):
            texts.append(_counted(count, name))
    return texts


def _counted(count: float, plural: str) -> str:
    """As in: 1 branch, 2 branches."""
    if count != 1:
        return f"{figure(count)} {plural}"
    return f"1 {plural.removesuffix('es' if plural.endswith('ches') else 's')}"
