# SPDX-License-Identifier: MIT
"""The launches that a lab's handout shows: `labs/NN-slug/figures/traces.toml` lists them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lockstep_grader.model.compat import tomllib
from lockstep_grader.model.errors import FaultError
from lockstep_grader.student.trace.model import ACCESSES, Recording
from lockstep_grader.student.trace.still import Look

_KINDS = {verb.split()[0].removesuffix("s"): kind for kind, verb in ACCESSES.items()}
_KINDS |= {"barrier": "b", "finding": "f", "operation": "o"}
_KEYS = {"name", "rung", "mutant", "size", "kernel", "seed", "alt", "moment", "block", "warp"}
_KEYS |= {"array", "nth", "diverged", "arrays", "first_cell", "warps", "access", "timeline"}


@dataclass(frozen=True, slots=True)
class KeyIdea:
    lab: str
    name: str  # its still is figures/trace_NAME.svg, its page traces/NAME.html
    rung: str
    mutant: str  # empty: the solution itself
    size: int
    kernel: str
    seed: int
    alt: str
    moment: str  # one of _KINDS: the still shows such a moment
    block: int
    warp: int  # -1: any, as for `array`
    array: str
    nth: int  # of these moments, from 1; or from -1, which is the last
    diverged: bool  # only moments at which the warp has diverged
    arrays: tuple[str, ...]
    first_cell: int
    warps: bool
    access: bool
    timeline: bool

    @property
    def still(self) -> str:
        return f"trace_{self.name}.svg"

    @property
    def page(self) -> str:
        return f"trace_{self.name}.html"

    @property
    def command(self) -> str:
        """Replays the same launch of a student's own file. Without --kernel it is the first one."""
        kernel = f" --kernel {self.kernel}" if self.kernel else ""
        seed = f" --seed {self.seed}" if self.seed else ""
        return f"./lab trace {self.lab}/{self.rung} --size {self.size}{kernel}{seed}"


def read_key_ideas(file: Path) -> tuple[KeyIdea, ...]:
    """Raises FaultError. A lab without the file shows none."""
    if not file.is_file():
        return ()
    try:
        listed = tomllib.loads(file.read_text("utf-8"))["trace"]
        return tuple(_idea(file.parents[1].name, item) for item in listed)
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise FaultError(f"{file}: {error!r}") from error


def _idea(lab: str, item: dict[str, Any]) -> KeyIdea:
    if unknown := sorted(set(item) - _KEYS):
        raise ValueError(f"unknown key {unknown[0]}")
    if item["moment"] not in _KINDS:
        raise ValueError(f"moment = {item['moment']!r}: one of {', '.join(sorted(_KINDS))}")
    return KeyIdea(
        lab,
        str(item["name"]),
        str(item["rung"]),
        str(item.get("mutant", "")),
        int(item["size"]),
        str(item.get("kernel", "")),
        int(item.get("seed", 0)),
        str(item["alt"]),
        str(item["moment"]),
        int(item.get("block", 0)),
        int(item.get("warp", -1)),
        str(item.get("array", "")),
        int(item.get("nth", 1)),
        bool(item.get("diverged", False)),
        tuple(map(str, item.get("arrays", ()))),
        int(item.get("first_cell", 0)),
        bool(item.get("warps", True)),
        bool(item.get("access", False)),
        bool(item.get("timeline", True)),
    )


def look_of(idea: KeyIdea, recording: Recording, names: list[str], diverged: list[bool]) -> Look:
    """Where the still is taken. `names` are those of the arrays, `diverged` of each moment.

    Raises FaultError where the recording has no such moment.
    """
    found = [
        index
        for index, moment in enumerate(recording.moments)
        if moment.kind == _KINDS[idea.moment]
        and moment.block == idea.block
        and idea.warp in (-1, moment.warp)
        and (not idea.array or (moment.access and names[moment.access.array] == idea.array))
        and (not idea.diverged or diverged[index])
    ]
    if not 0 < abs(idea.nth) <= len(found):
        known = ", ".join(sorted(set(names)))
        raise FaultError(
            f"{idea.lab}: the trace {idea.name} has {len(found)} such moments, not {idea.nth}; "
            f"its arrays: {known}"
        )
    return Look(
        found[idea.nth - 1 if idea.nth > 0 else idea.nth],
        idea.arrays,
        idea.first_cell,
        idea.warps,
        idea.access,
        idea.timeline,
    )
