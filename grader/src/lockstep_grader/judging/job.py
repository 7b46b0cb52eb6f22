# SPDX-License-Identifier: MIT
"""What is judged: one rung of one submission."""

from collections.abc import Callable
from dataclasses import dataclass

from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.judge import EVERY_TEST, Sought
from lockstep_grader.model.grades import Finding, Judgement, Lab, Rung
from lockstep_grader.model.measures import COMPILER_MEASURES
from lockstep_grader.toolchain.nvcc import Phase


@dataclass(frozen=True, slots=True)
class Job:
    submission: str
    lab: Lab
    rung: Rung
    read: Callable[[], Source | Finding]  # called once, when the job's turn comes
    sought: Sought = EVERY_TEST
    # How nvcc compiles it, where there is one; None: not at all, as no mistake is of the language.
    nvcc: Phase | None = Phase.RESOURCES
    shards: int = 1  # judges that share the tests on the cpu backend, for one waiting person
    # Gets the judgement before nvcc is asked, which takes longer than all the rest: a person waits.
    tell: Callable[[Judgement], None] | None = None

    @property
    def phase(self) -> Phase | None:
        """`nvcc`; but a budget of registers needs them in any case."""
        is_gated = any(gate.name in COMPILER_MEASURES for gate in self.rung.budget)
        return Phase.RESOURCES if self.nvcc is Phase.ERRORS and is_gated else self.nvcc
