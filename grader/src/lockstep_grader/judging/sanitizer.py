# SPDX-License-Identifier: MIT
"""Cleanliness on a GPU: the judge once more, with its worker under NVIDIA's compute-sanitizer."""

import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lockstep_grader.confine.sandbox import UNCONFINED, Confinement
from lockstep_grader.judging.judge import run_judge_command
from lockstep_grader.judging.sanitizer_log import read_log
from lockstep_grader.machine.gpus import GpuPool
from lockstep_grader.machine.process import Processes
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Outcome, Part, TestResult
from lockstep_grader.model.text import one_line
from lockstep_grader.toolchain.system import toolkit_nvcc

# The options of each tool in addition to the common ones.
_TOOLS = {
    "memcheck": ("--leak-check=full",),
    "racecheck": ("--racecheck-report=analysis",),
    "initcheck": (),
    "synccheck": (),
}
_PRINT_LIMIT = 100
SANITIZER_ADVICE = "it comes with NVIDIA's CUDA toolkit (package cuda-sanitizer)"


@dataclass(frozen=True)
class Sanitizer:
    program: Path

    @cached_property
    def version(self) -> str:
        """What the program says that it is: part of a result's key."""
        try:
            said = subprocess.run(
                [self.program, "--version"], capture_output=True, text=True, timeout=60
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise FaultError(f"{self.program} does not run: {error}; try --no-sanitizer") from error
        return one_line(said.stdout)

    def wrap(self, tool: str, log: str) -> list[str]:
        """The judge's options that put the worker under one tool."""
        argv = [
            str(self.program),
            f"--tool={tool}",
            f"--log-file={log}",
            f"--print-limit={_PRINT_LIMIT}",
            *_TOOLS[tool],
        ]
        return [f"--wrap={word}" for word in argv]


def find_sanitizer() -> Sanitizer | None:
    """compute-sanitizer on PATH or next to nvcc."""
    found = shutil.which("compute-sanitizer")
    if not found and (nvcc := toolkit_nvcc()):
        found = shutil.which(Path(nvcc).with_name("compute-sanitizer"))
    return Sanitizer(Path(found).resolve()) if found else None


@dataclass(frozen=True, slots=True)
class Patient:
    """What to examine, and by which judge."""

    judge: Path
    rung_id: str
    file_name: str  # of the rung, as findings name it
    worker: Path
    seed: int | None
    work: Path
    gpus: GpuPool
    confinement: Confinement = UNCONFINED


def sanitize(
    sanitizer: Sanitizer, patient: Patient, processes: Processes
) -> tuple[TestResult, ...]:
    """One test of cleanliness per tool. Raises FaultError when a tool or the judge fails."""

    def run(tool: str) -> TestResult:
        with patient.gpus.checking() as gpu:
            return _run_tool(sanitizer, tool, patient, processes, gpu)

    with ThreadPoolExecutor(len(_TOOLS), thread_name_prefix="sanitizer") as pool:
        return tuple(pool.map(run, _TOOLS))


def _run_tool(
    sanitizer: Sanitizer, tool: str, patient: Patient, processes: Processes, gpu: str
) -> TestResult:
    started = time.monotonic()
    # The judge starts a fresh worker after each fault: %p gives each a log of its own.
    work = patient.work / tool  # the tools run side by side
    logs_folder = work / "logs"
    logs_folder.mkdir(parents=True)
    pattern = logs_folder / f"{tool}-%p.log"
    argv = [str(patient.judge), f"--rung={patient.rung_id}", f"--worker={patient.worker}"]
    sandbox = patient.confinement.running(patient.worker, logs_folder, gpu)
    argv += ["--quick", *(f"--sandbox={word}" for word in sandbox)]
    argv += sanitizer.wrap(tool, str(pattern))
    tests, _ = run_judge_command(argv, patient.seed, work, processes, gpu)
    logs = sorted(logs_folder.glob(f"{tool}-*.log"))
    text = "".join(_whole_lines(log.read_text("utf-8", "replace")) for log in logs)
    report = read_log(text, patient.file_name)
    name = f"compute-sanitizer.{tool}"
    if not report.has_run:
        raise FaultError(f"{name} did not start; --no-sanitizer leaves it out")
    if report.findings:
        outcome, message = Outcome.FAILED, f"{tool} found {len(report.findings)} faulty places"
    elif all(test.outcome is Outcome.PASSED for test in tests):
        outcome, message = Outcome.PASSED, ""
    else:  # slower, and in another order: what counts is the verdict of the plain run
        outcome = Outcome.SKIPPED
        message = f"{tool} saw nothing, but not every test came to its end under it"
    seconds = time.monotonic() - started
    return TestResult(name, Part.CLEANLINESS, outcome, message, seconds, report.findings)


def _whole_lines(text: str) -> str:
    """Without a last line that was cut off when the worker was ended."""
    return text[: text.rfind("\n") + 1]
