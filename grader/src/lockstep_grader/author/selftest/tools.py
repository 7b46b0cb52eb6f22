# SPDX-License-Identifier: MIT
"""Runs development tools and counts what they say."""

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.text import Text

from lockstep_grader.author.selftest.sections import Context, Tally
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.text import clipped, visible

_SHOWN_LINES = 60


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
