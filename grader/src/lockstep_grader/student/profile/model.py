# SPDX-License-Identifier: MIT
"""A profile as values: what the judge's `--profile` says, read and checked. No I/O."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Finding, FindingKind, Outcome
from lockstep_grader.model.text import visible

Counters = Mapping[str, float]

WARP_SIZE = 32
SECTOR_BYTES = 32
SPACES = ("global", "shared")
ACCESSES = ("read", "write", "atomic")


@dataclass(frozen=True, slots=True)
class Pattern:
    """One request of one warp: where each lane went."""

    space: str  # one of SPACES
    access: str  # one of ACCESSES
    size_bytes: int  # that each lane moves
    base: str  # what the offsets are counted from, such as d_in
    offsets: tuple[int | None, ...]  # in bytes, one a lane; None: the lane took no part
    passes: int  # 32-byte sectors (global) or wavefronts (shared)


@dataclass(frozen=True, slots=True)
class Line:
    file: str
    line: int
    counters: Counters
    patterns: tuple[Pattern, ...] = ()


@dataclass(frozen=True, slots=True)
class Occupancy:
    blocks: int  # that one multiprocessor holds at a time
    warps: int
    of_warps: int  # that it could hold
    limiter: str


@dataclass(frozen=True, slots=True)
class Kernel:
    name: str
    launches: int
    grid: tuple[int, ...]
    block: tuple[int, ...]
    static_shared_bytes: int
    dynamic_shared_bytes: int
    occupancy: Occupancy
    counters: Counters
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class SizeProfile:
    """One call of one size. `message` says what is wrong when it did not pass."""

    num_items: int
    items: float  # what "per item" means: not always the requested size
    outcome: Outcome
    message: str
    findings: tuple[Finding, ...]
    measures: Counters
    kernels: tuple[Kernel, ...]

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every line with counters, summed over the kernels, by file and number."""
        merged: dict[tuple[str, int], Line] = {}
        for kernel in self.kernels:
            for line in kernel.lines:
                known = merged.get((line.file, line.line))
                merged[line.file, line.line] = _sum(known, line) if known else line
        return tuple(merged[place] for place in sorted(merged))


def read_size(data: Any) -> SizeProfile:
    """One line of the judge's output. Raises FaultError when it is not as agreed."""
    try:
        return SizeProfile(
            num_items=int(data["num_items"]),
            items=float(data.get("items", data["num_items"])),
            outcome=Outcome(data["outcome"]),
            message=visible(str(data["message"])),
            findings=tuple(_finding(item) for item in data["findings"]),
            measures=_numbers(data["measures"]),
            kernels=tuple(_kernel(item) for item in data["kernels"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FaultError(f"the judge wrote a profile that cannot be read: {error!r}") from error


def read_run(kernels: Sequence[Any]) -> SizeProfile:
    """What `run` counted in a whole program, which has no number of items: as of one item."""
    data = {
        "num_items": 1,
        "outcome": Outcome.PASSED,
        "message": "",
        "findings": (),
        "measures": {},
    }
    return read_size({**data, "kernels": kernels})


def _sum(one: Line, other: Line) -> Line:
    counters = dict(one.counters)
    for name, value in other.counters.items():
        # The largest multiplicity of an address is not a sum.
        add = max if "max_" in name else float.__add__
        counters[name] = add(float(counters.get(name, 0)), float(value))
    return Line(one.file, one.line, counters, one.patterns + other.patterns)


def _finding(item: Mapping[str, Any]) -> Finding:
    return Finding(
        FindingKind(item["kind"]),
        visible(str(item["message"])),
        _name(item.get("file", "")),
        int(item.get("line") or 0),
    )


def _kernel(item: Mapping[str, Any]) -> Kernel:
    occupancy = item["occupancy"]
    return Kernel(
        name=visible(str(item["name"])),
        launches=int(item["launches"]),
        grid=_extent(item["grid"]),
        block=_extent(item["block"]),
        static_shared_bytes=int(item["static_shared_bytes"]),
        dynamic_shared_bytes=int(item["dynamic_shared_bytes"]),
        occupancy=Occupancy(
            int(occupancy["blocks"]),
            int(occupancy["warps"]),
            int(occupancy["of_warps"]),
            visible(str(occupancy["limiter"])),
        ),
        counters=_numbers(item["counters"]),
        lines=tuple(_line(line) for line in item["lines"]),
    )


def _line(item: Mapping[str, Any]) -> Line:
    patterns = tuple(_pattern(pattern) for pattern in item.get("patterns", ()))
    return Line(_name(item["file"]), int(item["line"]), _numbers(item["counters"]), patterns)


def _pattern(item: Mapping[str, Any]) -> Pattern:
    offsets = tuple(None if offset is None else int(offset) for offset in item["offsets"])
    if item["space"] not in SPACES or item["access"] not in ACCESSES:
        raise ValueError(f"{item['access']} of {item['space']} memory")
    if len(offsets) != WARP_SIZE:
        raise ValueError(f"{len(offsets)} lanes")
    passes = int(item["sectors"] if item["space"] == "global" else item["wavefronts"])
    base = visible(str(item["base"]))
    size_bytes = int(item["size_bytes"])
    return Pattern(item["space"], item["access"], size_bytes, base, offsets, passes)


def _numbers(item: Mapping[str, Any]) -> dict[str, float]:
    return {visible(str(name)): float(value) for name, value in item.items()}


def _extent(item: Sequence[Any]) -> tuple[int, ...]:
    x, y, z = (int(length) for length in item)
    return (x, y, z)


def _name(path: Any) -> str:
    return visible(Path(str(path)).name)
