# SPDX-License-Identifier: MIT
"""effort.toml: the minutes and opened hints of a lab that a student sends along, if the student
wishes. It tells a course where its students' time goes, and changes no points.
"""

from typing import Annotated, Literal

from pydantic import Field

from lockstep_grader.intake.submission import EFFORT, Submission, read_submitted
from lockstep_grader.intake.toml_tables import Table, parse_table
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Effort, Finding, Lab

_MAX_BYTES = 64 << 10
_Minutes = Annotated[float, Field(strict=True, ge=0, le=60_000, allow_inf_nan=False)]
_Count = Annotated[int, Field(strict=True, ge=0, le=100)]


class _File(Table):
    version: Literal[1]
    lab: str
    minutes: dict[str, _Minutes] = Field(default_factory=dict)
    hints: dict[str, _Count] = Field(default_factory=dict)


def effort_text(lab: Lab, effort: Effort) -> str:
    lines = [
        "# Minutes between your checks, and hints that you opened. They change no points.",
        "version = 1",
        f'lab = "{lab.id}"',
        "",
        "[minutes]",
        *(f"{rung} = {minutes:g}" for rung, minutes in effort.minutes.items()),
        "",
        "[hints]",
        *(f"{rung} = {count}" for rung, count in effort.hints.items()),
    ]
    return "\n".join(lines) + "\n"


def effort_of(submission: Submission, lab: Lab) -> Effort | None:
    """What the submission says of the lab's rungs; None where it says nothing that can be read."""
    file = submission.files.get((lab.id, EFFORT))
    source = read_submitted(file, EFFORT) if file else None
    if source is None or isinstance(source, Finding):
        return None
    try:
        read = parse_table(EFFORT, source.data, _File, _MAX_BYTES)
    except InputError:
        return None
    if read.lab != lab.id:
        return None
    ids = [rung.id for rung in lab.rungs]
    return Effort(
        {rung: float(read.minutes[rung]) for rung in ids if rung in read.minutes},
        {rung: read.hints[rung] for rung in ids if rung in read.hints},
    )
