# SPDX-License-Identifier: MIT
"""The sections of `test`, their order, and their sum."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, system_error_line


@dataclass(frozen=True, slots=True)
class Context:
    workspace: Workspace
    console: Console
    jobs: int
    test_files: Sequence[Path] = ()  # of pytest; none: all


@dataclass(frozen=True, slots=True)
class Tally:
    """How many tests of a section went which way."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
        )

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


@dataclass(frozen=True, slots=True)
class Section:
    name: str
    purpose: str
    run: Callable[[Context], Tally]
    needs: str = "."  # the folder without which there is nothing to do: a release lacks some


def run_sections(context: Context, sections: Sequence[Section]) -> Tally:
    """Runs every section, whatever the others did, and prints the summary.

    A section that cannot even start counts as one failure. The last line is the sum, plain.
    """
    rows: list[tuple[Section, Tally, float]] = []
    for section in sections:
        context.console.print(Text(f"== {section.name}: {section.purpose}", "bold"))
        started = time.monotonic()
        try:
            tally = section.run(context)
        except (FaultError, OSError) as error:
            cause = system_error_line(error) if isinstance(error, OSError) else str(error)
            context.console.print(Text(cause, "red"))
            tally = Tally(failed=1)
        rows.append((section, tally, time.monotonic() - started))
    _print_summary(context.console, rows)
    total = sum((tally for _, tally, _ in rows), Tally())
    print(total, flush=True)
    return total


def _print_summary(console: Console, rows: Sequence[tuple[Section, Tally, float]]) -> None:
    table = Table(box=None)
    table.add_column("section", no_wrap=True)
    for name in ("passed", "failed", "skipped", "seconds"):
        table.add_column(name, justify="right")
    for section, tally, seconds in rows:
        failed = Text(str(tally.failed), "red" if tally.failed else "")
        table.add_row(section.name, str(tally.passed), failed, str(tally.skipped), f"{seconds:.1f}")
    console.print(table)
