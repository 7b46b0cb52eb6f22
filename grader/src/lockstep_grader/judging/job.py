# SPDX-License-Identifier: MIT
"""What is judged: one rung of one submission."""

from collections.abc import Callable
from dataclasses import dataclass

from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.judge import EVERY_TEST, Sought
from lockstep_grader.model.grades import Finding, Lab, Rung


@dataclass(frozen=True, slots=True)
class Job:
    submission: str
    lab: Lab
    rung: Rung
    read: Callable[[], Source | Finding]  # called once, when the job's turn comes
    sought: Sought = EVERY_TEST
    with_nvcc: bool = True  # where there is one; False: the mistake is not one of the language
    shards: int = 1  # judges that share the tests on the cpu backend, for one waiting person
