# SPDX-License-Identifier: MIT
"""The launches that a lab's handout shows: `labs/NN-slug/figures/traces.toml` lists them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from lockstep_grader.intake.toml_tables import Table, read_table
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.student.trace.model import ACCESSES, Recording

_KINDS = {verb.split()[0].removesuffix("s"): kind for kind, verb in ACCESSES.items()}
_KINDS |= {"barrier": "b", "finding": "f", "operation": "o"}


class KeyIdea(Table):
    lab: str = ""  # whose file lists it
    name: str  # its still is figures/trace_NAME.svg, its page traces/NAME.html
    rung: str
    mutant: str = ""  # empty: the solution itself
    size: int
    kernel: str = ""
    seed: int = 0
    alt: str
    # The still shows such a moment.
    moment: Literal["read", "write", "update", "operation", "barrier", "finding"]
    block: int = 0
    warp: int = -1  # any, as for `array`
    array: str = ""
    nth: int = 1  # of these moments, from 1; or from -1, which is the last
    diverged: bool = False  # only moments at which the warp has diverged
    # What the still shows of its moment.
    arrays: tuple[str, ...] = ()  # by name; empty: the one that is accessed
    warps: bool = True
    access: bool = False  # lanes against sectors or banks
    timeline: bool = True

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

    def moment_in(self, recording: Recording, names: Sequence[str]) -> int:
        """Where the still is taken. `names` are those of the arrays.

        Raises FaultError where the recording has no such moment.
        """
        found = [
            index
            for index, moment in enumerate(recording.moments)
            if moment.kind == _KINDS[self.moment]
            and moment.block == self.block
            and self.warp in (-1, moment.warp)
            and (not self.array or (moment.access and names[moment.access.array] == self.array))
            and (not self.diverged or moment.is_diverged)
        ]
        if not 0 < abs(self.nth) <= len(found):
            known = ", ".join(sorted(set(names)))
            raise FaultError(
                f"{self.lab}: the trace {self.name} has {len(found)} such moments, not {self.nth}; "
                f"its arrays: {known}"
            )
        return found[self.nth - 1 if self.nth > 0 else self.nth]


class _File(Table):
    trace: tuple[KeyIdea, ...]


def read_key_ideas(file: Path) -> tuple[KeyIdea, ...]:
    """Raises FaultError. A lab without the file shows none."""
    if not file.is_file():
        return ()
    try:
        listed = read_table(file, _File).trace
    except InputError as error:
        raise FaultError(str(error)) from error
    return tuple(idea.model_copy(update={"lab": file.parents[1].name}) for idea in listed)
