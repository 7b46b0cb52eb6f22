# SPDX-License-Identifier: MIT
"""Runs a built program: its input and output are the user's, its findings come by a file."""

import json
import math
import os
import signal
import struct
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lockstep_grader.machine.interrupts import interruption
from lockstep_grader.machine.progress import say
from lockstep_grader.model.compat import StrEnum
from lockstep_grader.model.errors import ExitCode
from lockstep_grader.model.grades import CompilerWarning, Finding, FindingKind
from lockstep_grader.model.score import causes_first
from lockstep_grader.model.text import visible

_LAYOUT = struct.Struct("<3Q232s")


@dataclass(frozen=True, slots=True)
class Seen:
    num_launches: int
    num_blocks: int  # of the launch that runs; 0: none does
    num_ended: int
    kernel: str


class Progress:
    def __init__(self, file: Path) -> None:
        self._file = file
        file.write_bytes(bytes(_LAYOUT.size))

    def seen(self) -> Seen:
        launches, blocks, ended, kernel = _LAYOUT.unpack(self._file.read_bytes())
        name = kernel.split(b"\0")[0].decode("utf-8", "replace")
        return Seen(launches, blocks, ended, visible(name))

    def where(self) -> str:
        """The kernel that runs, and how much of it is done; nothing while the host is at work."""
        seen = self.seen()
        if not seen.num_blocks:
            return ""
        blocks = "1 block" if seen.num_blocks == 1 else f"{seen.num_blocks} blocks"
        launch = f", launch {seen.num_launches}" if seen.num_launches > 1 else ""
        return f"kernel {seen.kernel} with {seen.num_ended} of {blocks} done{launch}"

    def news(self, elapsed: float, timeout: float | None) -> str:
        """One line for a user who wonders why nothing happens."""
        launches = self.seen().num_launches
        so_far = "1 launch" if launches == 1 else f"{launches} launches"
        what = self.where() or f"the host's code, after {so_far}"
        limit = f"; --timeout ends it after {timeout:g} s" if timeout else "; Ctrl-C ends it"
        return f"after {elapsed:.0f} s: {what}{limit}"


_FIRST_NEWS = 3.0  # seconds
_NEWS_FACTOR = 2.0  # from one news to the next: a long run has few lines


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
    record: str | None = None  # the kernel whose first launch is recorded; "": any


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
    recording: Mapping[str, Any] | None = None  # where Settings.record asked for it
    launches: tuple[str, ...] = ()  # with it: the kernels that were launched
    notes: tuple[CompilerWarning, ...] = ()  # what may be wrong, and is no finding

    @property
    def exit_code(self) -> int:
        """The program's own, or 1 after a finding."""
        if self.findings or self.status is None:
            return ExitCode.SHORT_OF_FULL_MARKS
        return self.status


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended; `accident` is a finding about that, if there is one to make."""

    status: int | None
    seconds: float
    accident: Finding | None = None

    def ran(self, findings: tuple[Finding, ...]) -> Ran:
        """With what a tool found. A crash is news only where nothing else was found."""
        every = findings
        if self.accident and (not findings or self.accident.kind is FindingKind.TIMEOUT):
            every = (*findings, self.accident)
        return Ran(self.status, every, ("",) * len(every), seconds=self.seconds)


@dataclass(slots=True)
class _Report:
    findings: list[Finding] = field(default_factory=list)
    kernels: list[str] = field(default_factory=list)
    leaks: list[Leak] = field(default_factory=list)
    profile: list[Mapping[str, Any]] = field(default_factory=list)
    recording: Mapping[str, Any] | None = None
    launches: list[str] = field(default_factory=list)
    notes: list[CompilerWarning] = field(default_factory=list)

    def is_crash_told(self) -> bool:
        """Whether the last finding is of no kernel, and so says what ended the program.

        Errors that the program ignored are reported at its end, and come after it.
        """
        ending = (FindingKind.CRASH, FindingKind.HOST_POINTER)
        for finding, kernel in zip(reversed(self.findings), reversed(self.kernels), strict=True):
            if finding.kind is not FindingKind.LAUNCH_ERROR:
                return finding.kind in ending and not kernel
        return False


def run_program(
    program: Path,
    arguments: Sequence[str],
    settings: Settings,
    work: Path,
    *,
    name: str,
    output: int | None = None,
) -> Ran:
    """Runs `program`, made for the emulator, as `name`; `output` as for `run_to_end`."""
    report, shared = work / "report", work / "progress"
    report.write_bytes(b"")
    progress = Progress(shared)
    env = {
        **os.environ,
        "LOCKSTEP_REPORT": str(report),
        "LOCKSTEP_PROGRESS": str(shared),
        "LOCKSTEP_SEED": str(settings.seed),
        "LOCKSTEP_CHECKS": settings.checks,
        "LOCKSTEP_PROFILE": str(int(settings.profile)),
    }
    if settings.record is not None:
        env["LOCKSTEP_RECORD"] = settings.record
    ended = run_to_end([name, *arguments], env, settings, program, output=output, progress=progress)
    read = _read(report)
    if ended.accident and not (ended.accident.kind is FindingKind.CRASH and read.is_crash_told()):
        read.findings.append(ended.accident)
        read.kernels.append("")
    kernel_of = dict(zip(map(id, read.findings), read.kernels, strict=True))
    findings = causes_first(read.findings)
    return Ran(
        ended.status,
        tuple(findings),
        tuple(kernel_of[id(finding)] for finding in findings),
        tuple(read.leaks),
        tuple(read.profile),
        ended.seconds,
        read.recording,
        tuple(read.launches),
        tuple(read.notes),
    )


def run_to_end(
    argv: Sequence[str],
    env: Mapping[str, str],
    settings: Settings,
    executable: Path | None = None,
    *,
    output: int | None = None,
    progress: Progress | None = None,
) -> Ended:
    """Runs a program with the caller's input, output and folder; Ctrl-C ends it, too.

    `output`, if it is given, takes the place of both outputs, and then there is no input.
    `progress` is told while it runs.
    """
    started = time.monotonic()
    child = subprocess.Popen(
        argv,
        executable=executable,
        env=env,
        stdin=None if output is None else subprocess.DEVNULL,
        stdout=output,
        stderr=output,
    )
    try:
        # Ctrl-C reaches the program by itself. A signal to us alone ends it here.
        with interruption.calling(child.terminate):
            status = _wait(child, started, settings.timeout, progress)
    except subprocess.TimeoutExpired:
        where = progress.where() if progress else ""
        cause = "" if where else "look for a loop of the host that never ends, "
        can_be_faster = settings.checks is not Checks.NONE and settings.record is None
        faster = " or --checks none" if can_be_faster else ""
        message = (
            f"the program did not end within {settings.timeout:g} s"
            f"{f' and was in {where}' if where else ''}: {cause}try a smaller size{faster}, "
            "or give it a longer --timeout"
        )
        late = Finding(FindingKind.TIMEOUT, message)
        return Ended(None, time.monotonic() - started, late)
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
    seconds = time.monotonic() - started
    if status < 0:
        crash = Finding(FindingKind.CRASH, f"the program was ended by {_signal(-status)}")
        return Ended(None, seconds, crash)
    return Ended(status, seconds)


def _wait(
    child: "subprocess.Popen[bytes]",
    started: float,
    timeout: float | None,
    progress: Progress | None,
) -> int:
    """Its status. Says every now and then what it does; raises TimeoutExpired."""
    said = 0.0
    while True:
        elapsed = time.monotonic() - started
        due = max(_FIRST_NEWS, _NEWS_FACTOR * said) if progress else math.inf
        left = min(due, timeout or math.inf) - elapsed
        try:
            return child.wait(None if left == math.inf else max(left, 0))
        except subprocess.TimeoutExpired:
            elapsed = time.monotonic() - started
            if timeout is not None and elapsed >= timeout:
                raise
            if progress:
                say(progress.news(elapsed, timeout))
            said = elapsed


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
        elif "note" in data:
            item = data["note"]
            message, name = visible(item["message"]), visible(item["file"])
            read.notes.append(CompilerWarning(message, name, int(item["line"])))
        elif "leaks" in data:
            read.leaks += [
                Leak(visible(leak["file"]), int(leak["line"]), int(leak["size_bytes"]))
                for leak in data["leaks"]
            ]
        elif "kernels" in data:
            read.profile += data["kernels"]
        elif "recording" in data:
            read.recording = data["recording"]
        elif "launches" in data:
            read.launches += [visible(name) for name in data["launches"]]
    return read
