# SPDX-License-Identifier: MIT
"""A profile as values: what the judge's `--profile` says, read and checked, and written as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BeforeValidator, Field, TypeAdapter, ValidationError

from lockstep_grader.intake.toml_lines import spelled
from lockstep_grader.intake.toml_tables import first_problem
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Finding, FindingKind, Outcome, Place
from lockstep_grader.model.text import visible

WARP_SIZE = 32
SECTOR_BYTES = 32


def _name(path: Any) -> str:
    return visible(Path(str(path)).name)


def _finding(item: Mapping[str, Any]) -> Finding:
    message, line = visible(str(item["message"])), int(item.get("line") or 0)
    return Finding(FindingKind(item["kind"]), message, _name(item.get("file", "")), line)


_Words = Annotated[str, BeforeValidator(lambda text: visible(str(text)))]
_FileName = Annotated[str, BeforeValidator(_name)]
Counters = Mapping[_Words, float]
# In bytes, one a lane; None: the lane took no part.
_Offsets = Annotated[tuple[int | None, ...], Field(min_length=WARP_SIZE, max_length=WARP_SIZE)]


@dataclass(frozen=True, slots=True)
class Pattern:
    """One request of one warp: where each lane went."""

    space: Literal["global", "shared"]
    access: Literal["read", "write", "atomic"]
    size_bytes: int  # that each lane moves
    base: _Words  # what the offsets are counted from, such as d_in
    offsets: _Offsets
    # 32-byte sectors (global) or wavefronts (shared)
    passes: Annotated[int, Field(validation_alias=AliasChoices("sectors", "wavefronts"))]


@dataclass(frozen=True, slots=True)
class Line:
    file: _FileName
    line: int
    counters: Counters
    patterns: tuple[Pattern, ...] = ()


@dataclass(frozen=True, slots=True)
class Occupancy:
    blocks: int  # that one multiprocessor holds at a time
    warps: int
    of_warps: int  # that it could hold
    limiter: _Words


@dataclass(frozen=True, slots=True)
class Kernel:
    name: _Words
    launches: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
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
    message: _Words
    findings: tuple[Annotated[Finding, BeforeValidator(_finding)], ...]
    measures: Counters
    kernels: tuple[Kernel, ...]
    places: Mapping[_Words, Place] = field(default_factory=dict)  # by measure: the most of it

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every line with counters, summed over the kernels, by file and number."""
        merged: dict[tuple[str, int], Line] = {}
        for kernel in self.kernels:
            for line in kernel.lines:
                known = merged.get((line.file, line.line))
                merged[line.file, line.line] = _sum(known, line) if known else line
        return tuple(merged[place] for place in sorted(merged))


_SIZE = TypeAdapter(SizeProfile)


def read_size(data: Any) -> SizeProfile:
    """One line of the judge's output. Raises FaultError when it is not as agreed."""
    try:
        return _SIZE.validate_python({"items": data["num_items"], **data})
    except ValidationError as error:
        path, said = first_problem(error)
        raise FaultError(
            f"the judge wrote a profile that cannot be read: {spelled(path)}: {said}"
        ) from error
    except (KeyError, TypeError, ValueError) as error:
        raise FaultError(f"the judge wrote a profile that cannot be read: {error!r}") from error


def read_run(kernels: Sequence[Any]) -> SizeProfile:
    """What `run` counted in a whole program, which has no number of items: as of one item."""
    data = {"num_items": 1, "outcome": "passed", "message": "", "findings": (), "measures": {}}
    return read_size({**data, "kernels": kernels})


def size_json(size: SizeProfile) -> dict[str, Any]:
    """As schemas/profile.schema.json has it, without the diagnoses of the kernels."""
    made: dict[str, Any] = _SIZE.dump_python(size, mode="json")
    del made["places"]
    made["findings"] = [
        {
            "kind": finding.kind.value,
            "file": finding.file,
            "line": finding.line or None,
            "message": finding.message,
        }
        for finding in size.findings
    ]
    for line in (line for kernel in made["kernels"] for line in kernel["lines"]):
        line["line"] = line["line"] or None
        for pattern in line["patterns"]:
            unit = "sectors" if pattern["space"] == "global" else "wavefronts"
            pattern[unit] = pattern.pop("passes")
    return made


def _sum(one: Line, other: Line) -> Line:
    counters = dict(one.counters)
    for name, value in other.counters.items():
        # The largest multiplicity of an address is not a sum.
        add = max if "max_" in name else float.__add__
        counters[name] = add(counters.get(name, 0.0), value)
    return Line(one.file, one.line, counters, one.patterns + other.patterns)
