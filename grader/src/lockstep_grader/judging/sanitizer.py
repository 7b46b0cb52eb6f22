# SPDX-License-Identifier: MIT
"""Cleanliness on a GPU: the judge once more, with its worker under NVIDIA's compute-sanitizer."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from lockstep_grader.confine.sandbox import UNCONFINED, Confinement
from lockstep_grader.judging.full_device import may_be_anothers
from lockstep_grader.judging.judge import run_judge_command
from lockstep_grader.judging.sanitizer_log import read_log
from lockstep_grader.judging.standing_judges import StandingJudges
from lockstep_grader.machine.gpus import VARIABLE, GpuPool
from lockstep_grader.machine.process import Processes
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import (
    WRONG,
    Finding,
    FindingKind,
    Outcome,
    Part,
    TestResult,
)
from lockstep_grader.model.text import one_line
from lockstep_grader.toolchain.system import toolkit_nvcc

# The options of each tool in addition to the common ones.
_TOOLS = {
    "memcheck": ("--leak-check=full",),
    "racecheck": ("--racecheck-report=analysis",),
    "initcheck": (),
    "synccheck": (),
}
_JUDGE_OPTIONS = {"racecheck": ("--few-launches",)}  # each takes it 10 to 60 ms
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

    def works(
        self, tool: str, probe: Path, gpu: str, confinement: Confinement = UNCONFINED
    ) -> bool:
        """Whether the tool runs a program of ours where it runs rungs: the worker `probe`."""
        sandbox = confinement.running(probe, gpu, is_checked=True)
        argv = [*sandbox, *self.command(tool), str(probe), "--probe"]
        env = {**os.environ, **({VARIABLE: gpu} if gpu else {})}
        try:
            said = subprocess.run(argv, capture_output=True, text=True, timeout=300, env=env)
        except (OSError, subprocess.TimeoutExpired):
            return False
        return read_log(said.stdout, "").has_run

    def wrap(self, tool: str) -> list[str]:
        """The judge's options that put the worker under one tool."""
        return [f"--wrap={word}" for word in self.command(tool)]

    def command(self, tool: str) -> list[str]:
        """The words before those of a program that runs under the tool."""
        program, limit = str(self.program), f"--print-limit={_PRINT_LIMIT}"
        return [program, f"--tool={tool}", limit, *_TOOLS[tool]]


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
    standing: StandingJudges
    confinement: Confinement = UNCONFINED
    probe: Path | None = None  # a worker of ours, to see whether a tool works


def sanitize(
    sanitizer: Sanitizer, patient: Patient, plain: Sequence[TestResult], processes: Processes
) -> tuple[TestResult, ...]:
    """One test of cleanliness per tool; `plain`: how the tests ended without a tool.

    Raises FaultError when a tool does not work on this machine.
    """

    def run(tool: str) -> TestResult:
        with patient.gpus.checking() as gpu:
            try:
                result = _run_tool(sanitizer, tool, patient, plain, processes, gpu)
            except FaultError as error:
                if not is_right(plain):  # a checker's trouble replaces no verdict
                    return _not_run(tool, Outcome.SKIPPED, str(error))
            else:
                if not _may_be_anothers(result, plain):
                    return result
        # Others ran at the same time, and one of them may have taken the device's memory.
        with patient.gpus.measuring() as gpu:
            try:
                return _run_tool(sanitizer, tool, patient, plain, processes, gpu, "-alone")
            except FaultError as error:
                if not is_right(plain):
                    return _not_run(tool, Outcome.SKIPPED, str(error))
                probe, confined = patient.probe, patient.confinement
                if probe is None or not sanitizer.works(tool, probe, gpu, confined):
                    raise
                return _blamed(tool, patient, str(error))

    with ThreadPoolExecutor(len(_TOOLS), thread_name_prefix="sanitizer") as pool:
        return tuple(pool.map(run, _TOOLS))


def _may_be_anothers(result: TestResult, plain: Sequence[TestResult]) -> bool:
    """A wrong rung has trouble of its own; only memory that it never lacked may be another's."""
    if is_right(plain):
        return may_be_anothers(result)
    own = {finding.kind for test in plain for finding in test.findings}
    found = {finding.kind for finding in result.findings}
    return FindingKind.OUT_OF_MEMORY in found - own


def is_right(tests: Iterable[TestResult]) -> bool:
    correctness = [test.outcome for test in tests if test.part is Part.CORRECTNESS]
    return bool(correctness) and set(correctness) == {Outcome.PASSED}


def _not_run(tool: str, outcome: Outcome, message: str, *findings: Finding) -> TestResult:
    name = f"compute-sanitizer.{tool}"
    return TestResult(name, Part.CLEANLINESS, outcome, message, findings=findings)


def _blamed(tool: str, patient: Patient, trouble: str) -> TestResult:
    """The rung is right, and the tool works: so the rung behaves otherwise under it."""
    message = (
        f"the run under {tool} did not end as a run does ({trouble}); without the tool this rung's "
        "does, and a program of ours does under it"
    )
    finding = Finding(FindingKind.FORBIDDEN, message, patient.file_name)
    return _not_run(tool, Outcome.FAILED, message, finding)


def _run_tool(
    sanitizer: Sanitizer,
    tool: str,
    patient: Patient,
    plain: Sequence[TestResult],
    processes: Processes,
    gpu: str,
    suffix: str = "",
) -> TestResult:
    started = time.monotonic()
    work = patient.work / f"{tool}{suffix}"  # the tools run side by side
    work.mkdir(parents=True)
    log = work / "checker.log"  # the judge writes it: the rung can reach neither file nor channel
    argv = [str(patient.judge), f"--rung={patient.rung_id}", f"--worker={patient.worker}"]
    sandbox = patient.confinement.running(patient.worker, gpu, is_checked=True)
    argv += ["--quick", f"--checker-log={log}", *(f"--sandbox={word}" for word in sandbox)]
    argv += [*_JUDGE_OPTIONS.get(tool, ()), *sanitizer.wrap(tool)]
    tests, _ = run_judge_command(argv, patient.seed, work, processes, gpu, patient.standing)
    text = log.read_text("utf-8", "replace") if log.exists() else ""
    report = read_log(_whole_lines(text), patient.file_name)
    name = f"compute-sanitizer.{tool}"
    if not report.has_run:
        raise FaultError(f"{name} did not start; --no-sanitizer leaves it out")
    findings, message = report.findings, ""
    if findings:
        outcome, message = Outcome.FAILED, f"{tool} found {len(findings)} faulty places"
    elif changed := differing(plain, tests):
        outcome = Outcome.FAILED
        message = (
            f"{tool} saw nothing, but {changed.name}, which passes without it, does not under it: "
            f"{changed.message}"
        )
        findings = tuple(
            replace(finding, message=f"only under {tool}: {finding.message}")
            for finding in changed.findings
        )
    elif all(test.outcome in (Outcome.PASSED, Outcome.SKIPPED) for test in tests):
        outcome = Outcome.PASSED
    else:  # it fails without the tool, too
        outcome = Outcome.SKIPPED
        message = f"{tool} saw nothing, but not every test came to its end under it"
    seconds = time.monotonic() - started
    return TestResult(name, Part.CLEANLINESS, outcome, message, seconds, findings)


def differing(plain: Sequence[TestResult], checked: Sequence[TestResult]) -> TestResult | None:
    """The first test under a tool that passed without the tool and does not pass under it.

    A rung that notices the tool could otherwise choose to end where nothing is checked.
    """
    passed = {test.name for test in plain if test.outcome is Outcome.PASSED}
    return next(
        (test for test in checked if test.outcome in WRONG and test.name in passed),
        None,
    )


def _whole_lines(text: str) -> str:
    """Without a last line that was cut off when the worker was ended."""
    return text[: text.rfind("\n") + 1]
