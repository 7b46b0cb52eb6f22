# SPDX-License-Identifier: MIT
"""Runs a built program: its input and output are the user's, its findings come by a file.

On a GPU it is built by nvcc, and checked by compute-sanitizer where there is one.
"""

import json
import math
import os
import signal
import struct
import subprocess
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lockstep_grader.machine.process import interruption
from lockstep_grader.machine.progress import say
from lockstep_grader.model.compat import StrEnum
from lockstep_grader.model.errors import ExitCode, FaultError, InputError
from lockstep_grader.model.grades import CompilerWarning, Finding, FindingKind
from lockstep_grader.model.score import causes_first
from lockstep_grader.model.text import count_of, visible
from lockstep_grader.student.program.build import Options, compile_step
from lockstep_grader.toolchain.nvcc import SANITIZER_ADVICE, find_sanitizer
from lockstep_grader.toolchain.system import gpu_name, toolkit_nvcc
from lockstep_grader.words.sanitizer_log import read_log

# Launches, blocks of the launch that runs (0: none does), those that ended, and the kernel's name.
_LAYOUT = struct.Struct("<3Q232s")
_REPORTED = ("finding", "note", "leaks", "kernels", "recording", "launches")
# Of compute-sanitizer. The first runs with the user's input and output; the others repeat the
# program unseen.
_TOOLS = {
    "none": (),
    "memory": ("memcheck",),
    "all": ("memcheck", "racecheck", "initcheck", "synccheck"),
}


class Progress:
    """What the device says while a program runs."""

    def __init__(self, file: Path) -> None:
        self._file = file
        file.write_bytes(bytes(_LAYOUT.size))

    def where(self) -> str:
        """The kernel that runs, and how much of it is done; nothing while the host is at work."""
        launches, num_blocks, num_ended, kernel = _LAYOUT.unpack(self._file.read_bytes())
        if not num_blocks:
            return ""
        name = visible(kernel.split(b"\0")[0].decode("utf-8", "replace"))
        launch = f", launch {launches}" if launches > 1 else ""
        return f"kernel {name} with {num_ended} of {count_of(num_blocks, 'block')} done{launch}"

    def news(self, elapsed: float, timeout: float | None) -> str:
        """One line for a user who wonders why nothing happens."""
        launches = _LAYOUT.unpack(self._file.read_bytes())[0]
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
        """The program's own status, or 1 after a finding."""
        if self.findings or self.status is None:
            return ExitCode.SHORT_OF_FULL_MARKS
        return self.status


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
    argv = [name, *arguments]
    ended = run_to_end(argv, env, settings, program, output=output, progress=progress)
    read = _read(report)
    found = list(read["finding"])
    accident = next(iter(ended.findings), None)
    if accident and not (accident.kind is FindingKind.CRASH and _is_crash_told(found)):
        found.append((accident, ""))
    kernel_of = {id(finding): kernel for finding, kernel in found}
    findings = causes_first([finding for finding, _ in found])
    return replace(
        ended,
        findings=tuple(findings),
        kernels_of=tuple(kernel_of[id(finding)] for finding in findings),
        leaks=tuple(read["leaks"]),
        profile=tuple(read["kernels"]),
        recording=next(iter(read["recording"]), None),
        launches=tuple(read["launches"]),
        notes=tuple(read["note"]),
    )


def _is_crash_told(found: Sequence[tuple[Finding, str]]) -> bool:
    """Whether the last finding is of no kernel, and so says what ended the program.

    Errors that the program ignored are reported at its end, and come after it.
    """
    ending = (FindingKind.CRASH, FindingKind.HOST_POINTER)
    for finding, kernel in reversed(found):
        if finding.kind is not FindingKind.LAUNCH_ERROR:
            return finding.kind in ending and not kernel
    return False


def run_to_end(
    argv: Sequence[str],
    env: Mapping[str, str],
    settings: Settings,
    executable: Path | None = None,
    *,
    output: int | None = None,
    progress: Progress | None = None,
) -> Ran:
    """Runs a program with the caller's input, output and folder; Ctrl-C ends it, too.

    Of findings there is at most one, about how it ended.
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
        return Ran(None, (late,), ("",), seconds=time.monotonic() - started)
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
    seconds = time.monotonic() - started
    if status < 0:
        crash = Finding(FindingKind.CRASH, f"the program was ended by {_signal(-status)}")
        return Ran(None, (crash,), ("",), seconds=seconds)
    return Ran(status, (), seconds=seconds)


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


def _read(file: Path) -> Mapping[str, list[Any]]:
    """What the device reports, by the first word of its lines. A finding has its kernel."""
    read: dict[str, list[Any]] = defaultdict(list)
    for line in file.read_text("utf-8", "replace").splitlines():
        try:
            data = json.loads(line)
        except ValueError:  # cut off: the program was ended while it wrote
            continue
        word = next((word for word in _REPORTED if word in data), "")
        item = data.get(word)
        if word in ("finding", "note"):
            message, name, at = visible(item["message"]), visible(item["file"]), int(item["line"])
            if word == "note":
                read[word].append(CompilerWarning(message, name, at))
            else:
                found = Finding(FindingKind(item["kind"]), message, name, at)
                read[word].append((found, visible(item["kernel"])))
        elif word == "leaks":
            read[word] += [
                Leak(visible(leak["file"]), int(leak["line"]), int(leak["size_bytes"]))
                for leak in item
            ]
        elif word == "launches":
            read[word] += [visible(name) for name in item]
        elif word:
            read[word] += item if word == "kernels" else [item]
    return read


def build_with_nvcc(files: Sequence[Path], options: Options, work: Path) -> Path:
    """The program, with device calls between files. Raises BuildError, FaultError."""
    nvcc = toolkit_nvcc()
    if not nvcc:
        raise FaultError(
            "no nvcc with CUDA's libraries: install NVIDIA's CUDA toolkit, or use --backend cpu"
        )
    if not gpu_name():
        raise FaultError("no GPU: nvidia-smi lists none; use --backend cpu")
    argv = [nvcc, f"-std=c++{options.std}", "-O3", "-lineinfo", "-rdc=true", "-arch=native"]
    argv += [f"-I{folder.absolute()}" for folder in options.include]
    argv += [f"-D{macro}" for macro in options.define]
    program = work / "program"
    compile_step([*argv, *(str(file.absolute()) for file in files), "-o", str(program)], work)
    return program


def run_on_gpu(
    program: Path, arguments: Sequence[str], settings: Settings, work: Path, file_name: str
) -> Ran:
    """Runs `program` once, and once more for each further tool of compute-sanitizer."""
    if settings.profile or settings.seed:
        raise InputError("--profile and --seed are the emulator's: use --backend cpu")
    tools = _TOOLS[str(settings.checks)]
    sanitizer = find_sanitizer() if tools else None
    if tools and sanitizer is None:
        say(f"compute-sanitizer is not here, so nothing is checked: {SANITIZER_ADVICE}")
    if sanitizer is None:
        return run_to_end([str(program), *arguments], dict(os.environ), settings)
    found: dict[Finding, None] = {}
    ended: Ran | None = None
    for tool in tools:
        log = work / f"{tool}.log"
        argv = [str(sanitizer.program), f"--tool={tool}", f"--log-file={log}", "--print-limit=100"]
        hidden = None if ended is None else subprocess.DEVNULL
        now = run_to_end(
            [*argv, str(program), *arguments], dict(os.environ), settings, output=hidden
        )
        ended = ended or now
        report = read_log(log.read_text("utf-8", "replace") if log.is_file() else "", file_name)
        if not report.has_run:
            raise FaultError(
                f"compute-sanitizer's {tool} did not start; --checks none leaves it out"
            )
        found.update(dict.fromkeys(report.findings))
    if ended is None:
        raise FaultError("no tool was run")
    # A crash is news only where nothing else was found.
    accidents = [each for each in ended.findings if not found or each.kind is FindingKind.TIMEOUT]
    every = (*found, *accidents)
    return replace(ended, findings=every, kernels_of=("",) * len(every))
