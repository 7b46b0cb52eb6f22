# SPDX-License-Identifier: MIT
"""Runs a built program: its input and output are the user's, its findings come by a file."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lockstep_grader.machine.interrupts import interruption
from lockstep_grader.model.compat import StrEnum
from lockstep_grader.model.errors import ExitCode
from lockstep_grader.model.grades import Finding, FindingKind
from lockstep_grader.model.text import visible


class Checks(StrEnum):
    """What is checked of a kernel's accesses; barriers and deadlocks always are."""

    NONE = "none"
    MEMORY = "memory"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Settings:
    seed: int = 0
    checks: Checks = Checks.ALL
    profile: bool = False
    timeout: float | None = None  # seconds


@dataclass(frozen=True, slots=True)
class Leak:
    file: str
    line: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program ended, and what was found."""

    status: int | None  # None: a signal ended it, or it ran too long
    findings: tuple[Finding, ...]
    kernels_of: tuple[str, ...] = ()  # of each finding, the kernel; empty: none
    leaks: tuple[Leak, ...] = ()
    profile: tuple[Mapping[str, Any], ...] = ()
    seconds: float = 0.0

    @property
    def exit_code(self) -> int:
        """The program's own, or 1 after a finding."""
        if self.findings or self.status is None:
            return ExitCode.SHORT_OF_FULL_MARKS
        return self.status


@dataclass(slots=True)
class _Report:
    findings: list[Finding] = field(default_factory=list)
    kernels: list[str] = field(default_factory=list)
    leaks: list[Leak] = field(default_factory=list)
    profile: list[Mapping[str, Any]] = field(default_factory=list)


def run_program(
    program: Path, arguments: Sequence[str], settings: Settings, work: Path, name: str
) -> Ran:
    """Runs `program` with the caller's input, output and folder; Ctrl-C ends it, too."""
    report = work / "report"
    report.write_bytes(b"")
    env = {
        **os.environ,
        "LOCKSTEP_REPORT": str(report),
        "LOCKSTEP_SEED": str(settings.seed),
        "LOCKSTEP_CHECKS": settings.checks,
        "LOCKSTEP_PROFILE": str(int(settings.profile)),
    }
    started = time.monotonic()
    child = subprocess.Popen([name, *arguments], executable=program, env=env)
    timed_out = False
    try:
        with interruption.told(lambda: None):  # Ctrl-C reaches the program, too: its end is awaited
            status = child.wait(settings.timeout)
    except subprocess.TimeoutExpired:
        timed_out = True
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
    seconds = time.monotonic() - started
    read = _read(report)
    if timed_out:
        message = (
            f"the program did not end within {settings.timeout:g} s: look for a loop of the host "
            "that never ends, try a smaller size or --checks none, or give it a longer --timeout"
        )
        _add(read, Finding(FindingKind.TIMEOUT, message))
        return _ran(None, read, seconds)
    if status < 0:
        if not read.findings:
            _add(read, Finding(FindingKind.CRASH, f"the program was ended by {_signal(-status)}"))
        return _ran(None, read, seconds)
    return _ran(status, read, seconds)


def _ran(status: int | None, read: _Report, seconds: float) -> Ran:
    return Ran(
        status,
        tuple(read.findings),
        tuple(read.kernels),
        tuple(read.leaks),
        tuple(read.profile),
        seconds,
    )


def _add(read: _Report, finding: Finding) -> None:
    read.findings.append(finding)
    read.kernels.append("")


def _signal(number: int) -> str:
    try:
        return f"{signal.Signals(number).name} ({signal.strsignal(number)})"
    except ValueError:
        return f"signal {number}"


def _read(file: Path) -> _Report:
    read = _Report()
    for line in file.read_text("utf-8", "replace").splitlines():
        try:
            data = json.loads(line)
        except ValueError:  # cut off: the program was ended while it wrote
            continue
        if "finding" in data:
            item = data["finding"]
            message, name = visible(item["message"]), visible(item["file"])
            read.findings.append(
                Finding(FindingKind(item["kind"]), message, name, int(item["line"]))
            )
            read.kernels.append(visible(item["kernel"]))
        elif "leaks" in data:
            read.leaks += [
                Leak(visible(leak["file"]), int(leak["line"]), int(leak["size_bytes"]))
                for leak in data["leaks"]
            ]
        elif "kernels" in data:
            read.profile += data["kernels"]
    return read
