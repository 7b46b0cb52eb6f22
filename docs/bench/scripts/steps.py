# SPDX-License-Identifier: MIT
"""What follows from the sources: the new code of each rung, figures that are older, systems that were tried.

`steps` counts the code lines of each solution. A line that holds no letter and no digit, such as a brace alone, does not count,
nor do comments, blank lines and indentation; clang-format has already settled where a line ends. A line is new unless
the solution of an earlier rung of the same lab has it, as often as this one. A new line is given if the rung's starter
has it. The others are the step: what a student writes who has solved the rungs before. A line that changes by one word
is a new line.
"""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated

import sources
import typer
from measurements import NOTHING, ROOT, SCRIPTS, TABLES, measurement, write_section

from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Lab

MOST = 60  # lines; a rung that needs more is split, or its starter gives more

TEXT_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)

Lines = Counter[str]


@dataclass(frozen=True)
class Step:
    lab: str
    rung: str
    lines: int
    new: int
    given: int

    @property
    def to_write(self) -> int:
        return self.new - self.given


def code_lines(text: str) -> Lines:
    """Each code line, without its indentation, and how often it occurs."""
    code = TEXT_OR_COMMENT.sub(lambda found: found[0] if found[0].startswith('"') else "", text)
    return Counter(line.strip() for line in code.splitlines() if re.search(r"\w", line))


def lab_steps(lab: str, rungs: Iterable[tuple[str, str, str]]) -> Iterator[Step]:
    """The steps of (name, starter, solution), in the lab's order."""
    known: Lines = Counter()
    for rung, starter, solution in rungs:
        lines = code_lines(solution)
        new = (lines - known).total()
        to_write = (lines - (known | code_lines(starter))).total()
        yield Step(lab, rung, lines.total(), new, new - to_write)
        known |= lines


def rungs_of(lab: Lab) -> Iterator[tuple[str, str, str]]:
    for rung in lab.rungs:
        starter, solution = (
            (ROOT / folder / lab.id / rung.file_name).read_text("utf-8")
            for folder in ("labs", "solutions")
        )
        yield rung.id, starter, solution


def all_steps() -> list[Step]:
    labs = read_labs(Workspace(ROOT, ROOT / "build"))
    return [step for lab in labs for step in lab_steps(lab.id, rungs_of(lab))]


def page(steps: Iterable[Step]) -> str:
    head = f"""`docs/bench/measure steps` counts the lines of code of the starters and the solutions.

- **lines**: code lines of the solution. Comments, blank lines and lines without a letter or a digit do not count.
- **new**: of these, the lines that no earlier solution of the lab has as often.
- **given**: of the new lines, those that the rung's starter has.
- **to write**: the rest, at most {MOST}.

| rung | lines | new | given | to write |
|---|---:|---:|---:|---:|
"""
    return head + "".join(
        f"| `{step.lab}/{step.rung}` | {step.lines} | {step.new} | {step.given} | "
        f"{step.to_write} |\n"
        for step in steps
    )


@measurement("steps", needs=NOTHING, writes=[TABLES])
def steps() -> None:
    """Count the new lines of code from each rung's solution to the next."""
    counted = all_steps()
    for step in counted:
        if step.to_write > MOST:
            print(f"{step.lab}/{step.rung}: {step.to_write} lines to write, more than {MOST}")
    write_section(TABLES, "Steps", page(counted))


@measurement(
    "older",
    needs=NOTHING,
    writes=["../measured.md", "sources.json"],
    uses=["docs/bench/scripts/sources.py"],
)
def older() -> None:
    """Find the figures that are older than the code they describe."""
    sources.write_older()
    print("wrote docs/measured.md")


@measurement(
    "systems",
    needs=NOTHING,
    writes=["systems/*.json", "../measured.md"],
    uses=["docs/bench/scripts/system.py", ".ci/matrix", ".ci/aarch64"],
)
def systems(
    name: Annotated[str, typer.Argument(help="The file's name; none: only the table.")] = "",
) -> None:
    """Try this checkout on this machine (`.ci/matrix` does it on others), and make the table anew."""
    script = SCRIPTS / "system.py"
    tried = [sys.executable, script, name] if name else ["true"]
    status = subprocess.run(tried, cwd=ROOT, check=False).returncode
    subprocess.run([sys.executable, script, "--table"], cwd=ROOT, check=True)
    raise typer.Exit(status)
