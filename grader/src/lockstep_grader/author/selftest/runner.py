# SPDX-License-Identifier: MIT
"""Runs the sections of `test`: development tools, what they say, how many tests went which way."""

import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, system_error_line
from lockstep_grader.model.text import clipped, visible

_SHOWN_LINES = 60


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


def run_tool(context: Context, name: str, argv: Sequence[str], cwd: Path | None = None) -> Tally:
    """One test: the tool's exit status. Its output is shown when it fails."""
    done = capture(argv, cwd or context.workspace.root)
    report(context, name, done.returncode == 0, done.stdout)
    return Tally(passed=1) if done.returncode == 0 else Tally(failed=1)


def tool(name: str) -> str:
    """A program of the pinned Python packages, or else the one on PATH.

    Pinned, since another version of clang-format or clang-tidy has other opinions.
    """
    pinned = Path(sys.executable).parent / name
    return str(pinned) if pinned.is_file() else name


def capture(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Stdout and stderr together in `stdout`. Raises FaultError when the tool is missing."""
    try:
        return subprocess.run(
            argv,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    except OSError as error:
        raise FaultError(f"cannot run {argv[0]}: {error.strerror}; see ./lab doctor") from error


def report(context: Context, name: str, good: bool, output: str = "") -> None:
    """One line for a test, and its output when it failed."""
    context.console.print(Text(f"  {'ok  ' if good else 'FAIL'}  {name}", "" if good else "red"))
    if not good and output.strip():
        context.console.print(Text(clipped(visible(output.strip()), _SHOWN_LINES)))


def junit_tally(file: Path, returncode: int) -> Tally:
    """The counts in a JUnit file; a bad exit status without a failure counts as one."""
    try:
        root = ElementTree.parse(file).getroot()  # noqa: S314 - our own tools wrote it
    except (OSError, ElementTree.ParseError):
        return Tally(failed=1)
    suites = [root] if root.tag == "testsuite" else root.findall("testsuite")

    def count(*names: str) -> int:
        return sum(int(suite.get(name, 0)) for suite in suites for name in names)

    failed, skipped = count("failures", "errors"), count("skipped", "disabled")
    passed = count("tests") - failed - skipped
    return Tally(passed, failed or int(returncode != 0), skipped)
