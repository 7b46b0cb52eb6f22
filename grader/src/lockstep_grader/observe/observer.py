# SPDX-License-Identifier: MIT
"""Lets the lab's judge try one rung, on the cpu backend or on a GPU.

Cleanliness on a GPU has two judges: the lab's judge once more, with its worker under NVIDIA's
compute-sanitizer; and the same file and the same judge on the emulator. A kernel can notice
compute-sanitizer, by the time that it takes, and behave. It cannot notice what the emulator's
checkers see: there it always runs under them.
"""

import hashlib
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from lockstep_grader.confine.sandbox import UNCONFINED, Confinement
from lockstep_grader.machine.gpus import VARIABLE
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import (
    EMULATOR,
    WRONG,
    Backend,
    Finding,
    FindingKind,
    Judgement,
    Outcome,
    Part,
    TestResult,
)
from lockstep_grader.model.score import causes_first
from lockstep_grader.observe.judge import Stage, StandingJudges, Trial, Workers, run_judge
from lockstep_grader.request.job import Job, RungSetup, Setup
from lockstep_grader.toolchain.nvcc import TOOLS, Sanitizer
from lockstep_grader.words.sanitizer_log import read_log

# A checker would be useless: the rung does not end, is not written yet, or attacks.
_HOPELESS = frozenset(
    {FindingKind.TODO, FindingKind.TIMEOUT, FindingKind.DEADLOCK, FindingKind.FORBIDDEN}
)
_JUDGE_OPTIONS = {"racecheck": ("--few-launches",)}  # each takes it 10 to 60 ms
# What others on the same GPU may have caused, by taking its memory or its time.
_OF_A_BUSY_GPU = {
    FindingKind.OUT_OF_MEMORY,
    FindingKind.LAUNCH_ERROR,
    FindingKind.CRASH,
    FindingKind.TIMEOUT,
}


class Observer:
    """Observes the workers of one session; safe to use from several threads."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        on_gpu = setup.backend is Backend.CUDA
        self._standing = StandingJudges(setup.processes) if on_gpu else None

    def observe(self, job: Job, lab: RungSetup, workers: Workers, work: Path) -> Judgement:
        """The tests of a rung, and their seed; `work` is the folder that it was built in.

        Raises FaultError when a judge or a checker fails.
        """
        trial = Trial(
            lab.tools.judge,
            job.rung.id,
            workers,
            work,
            self._setup.seed,
            options=tuple(job.awaited.arguments()),
            shards=job.shards,
            is_background=self._setup.is_background,
        )
        if self._setup.backend is Backend.CUDA:
            return self._on_gpu(trial, lab, job.rung.file_name)
        return self._judged(trial)

    def _on_gpu(self, trial: Trial, lab: RungSetup, file_name: str) -> Judgement:
        """Tests while others use the GPU, too. A measurement needs it alone."""
        setup = self._setup
        whole = replace(trial, shards=1, standing=self._standing)

        def on(gpu: str) -> Trial:
            return replace(whole, workers=_on(gpu, whole.workers, lab))

        tested = None
        with setup.gpus.checking() as gpu, suppress(FaultError):
            tested = self._judged(replace(on(gpu), stage=Stage.ALL_BUT_MEASUREMENTS))
        if tested is None or any(map(may_be_of_a_busy_gpu, tested.tests)):
            with setup.gpus.measuring() as gpu:
                tested = self._judged(on(gpu))
        else:
            tested = self._measured(tested, on)
        if any(finding.kind in _HOPELESS for test in tested.tests for finding in test.findings):
            return tested
        again = replace(whole, seed=_number(tested.seed), options=())
        checked = sanitize(setup, again, file_name, tested)
        return replace(tested, tests=(*tested.tests, *checked))

    def _measured(self, tested: Judgement, on: Callable[[str], Trial]) -> Judgement:
        """`tested` with its measurements, if its results are right."""
        to_measure = [test.name for test in tested.tests if test.part is Part.EFFICIENCY]
        if not to_measure or any(test.outcome in WRONG for test in tested.tests):
            return tested
        with self._setup.gpus.measuring() as gpu:
            trial = replace(on(gpu), stage=Stage.MEASUREMENTS, seed=_number(tested.seed))
            measured = self._judged(trial)
        others = [test for test in tested.tests if test.name not in to_measure]
        return replace(tested, tests=(*others, *measured.tests))

    def _judged(self, trial: Trial) -> Judgement:
        tests, used_seed = run_judge(trial, self._setup.processes)
        notes = dict.fromkeys(note for test in tests for note in test.notes)
        return Judgement(tests=tests, seed=used_seed, warnings=tuple(notes))


def _on(gpu: str, workers: Workers, lab: RungSetup) -> Workers:
    """`workers` on this GPU. Once per run and GPU a judge times the lab's first rung there."""
    sandbox = tuple(lab.confinement.running(workers.submission, gpu=gpu))
    times = workers.first_times
    if times:
        times = times / f"first-times-{hashlib.sha256(gpu.encode()).hexdigest()[:16]}"
    return replace(workers, gpu=gpu, sandbox=sandbox, first_times=times)


def _number(seed: str) -> int | None:
    return int(seed) if seed.isdigit() else None


def may_be_of_a_busy_gpu(test: TestResult) -> bool:
    """Whether other work on the GPU may have made the test fail. It is then repeated alone."""
    kinds = {finding.kind for finding in test.findings}
    return test.outcome is Outcome.FAILED and (not kinds or bool(kinds & _OF_A_BUSY_GPU))


def sanitize(
    setup: Setup, trial: Trial, file_name: str, plain: Judgement
) -> tuple[TestResult, ...]:
    """One test of cleanliness per tool.

    `trial` is of the rung without a tool, and `plain` its judgement; `file_name` is the rung's.
    Raises FaultError when a tool does not work on this machine.
    """
    if setup.sanitizer is None:
        return ()
    examination = _Examination(setup, setup.sanitizer, trial, file_name, plain)
    with ThreadPoolExecutor(len(TOOLS), thread_name_prefix="sanitizer") as pool:
        return tuple(pool.map(examination.by, TOOLS))


@dataclass(frozen=True, slots=True)
class _Examination:
    setup: Setup
    sanitizer: Sanitizer
    trial: Trial
    file_name: str
    plain: Judgement

    def by(self, tool: str) -> TestResult:
        with self.setup.gpus.checking() as gpu:
            try:
                result = self._run(tool, gpu)
            except FaultError as error:
                if not self.plain.is_right:  # a checker's trouble replaces no verdict
                    return _not_run(tool, Outcome.SKIPPED, str(error))
            else:
                if not self._is_to_be_repeated(result):
                    return result
        # Others ran at the same time, and one of them may have taken the device's memory.
        with self.setup.gpus.measuring() as gpu:
            try:
                return self._run(tool, gpu, "-alone")
            except FaultError as error:
                if not self.plain.is_right:
                    return _not_run(tool, Outcome.SKIPPED, str(error))
                probe, confinement = self.setup.toolchain.anchors, self.setup.confinement
                if probe is None or not works(self.sanitizer, tool, probe, gpu, confinement):
                    raise
                return self._blamed(tool, str(error))

    def _is_to_be_repeated(self, result: TestResult) -> bool:
        """Whether other work on the GPU may be the cause.

        A wrong rung fails by itself, so it is repeated only if it lacks memory under the tool and
        did not lack it before.
        """
        if self.plain.is_right:
            return may_be_of_a_busy_gpu(result)
        own = {finding.kind for test in self.plain.tests for finding in test.findings}
        found = {finding.kind for finding in result.findings}
        return FindingKind.OUT_OF_MEMORY in found - own

    def _blamed(self, tool: str, trouble: str) -> TestResult:
        """The rung is right, and the tool works: so the rung behaves otherwise under it."""
        message = (
            f"the run under {tool} did not end as a run does ({trouble}); without the tool this "
            "rung's does, and a program of ours does under it"
        )
        finding = Finding(FindingKind.FORBIDDEN, message, self.file_name)
        return _not_run(tool, Outcome.FAILED, message, finding)

    def _run(self, tool: str, gpu: str, suffix: str = "") -> TestResult:
        started = time.monotonic()
        work = self.trial.work / f"{tool}{suffix}"  # the tools run side by side
        work.mkdir(parents=True)
        log = work / "checker.log"  # the judge writes it: the rung reaches neither file nor channel
        worker = self.trial.workers.submission
        sandbox = tuple(self.setup.confinement.running(worker, gpu, is_checked=True))
        wrap = [f"--wrap={word}" for word in self.sanitizer.command(tool)]
        checked = replace(
            self.trial,
            workers=Workers(worker, sandbox=sandbox, gpu=gpu),
            work=work,
            stage=Stage.ALL,
            options=("--quick", f"--checker-log={log}", *_JUDGE_OPTIONS.get(tool, ()), *wrap),
        )
        tests, _ = run_judge(checked, self.setup.processes)
        text = log.read_text("utf-8", "replace") if log.exists() else ""
        whole_lines = text[: text.rfind("\n") + 1]  # the last may be cut: the worker was ended
        report = read_log(whole_lines, self.file_name)
        name = f"compute-sanitizer.{tool}"
        if not report.has_run:
            raise FaultError(f"{name} did not start; --no-sanitizer leaves it out")
        findings, message = report.findings, ""
        if findings:
            outcome, message = Outcome.FAILED, f"{tool} found {len(findings)} faulty places"
        elif changed := differing(self.plain.tests, tests):
            outcome = Outcome.FAILED
            message = (
                f"{tool} saw nothing, but {changed.name}, which passes without it, does not under "
                f"it: {changed.message}"
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


def works(
    sanitizer: Sanitizer, tool: str, probe: Path, gpu: str, confinement: Confinement = UNCONFINED
) -> bool:
    """Whether the tool runs a program of ours where it runs rungs: the worker `probe`."""
    sandbox = confinement.running(probe, gpu, is_checked=True)
    argv = [*sandbox, *sanitizer.command(tool), str(probe), "--probe"]
    env = {**os.environ, **({VARIABLE: gpu} if gpu else {})}
    try:
        said = subprocess.run(argv, capture_output=True, text=True, timeout=300, env=env)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return read_log(said.stdout, "").has_run


def _not_run(tool: str, outcome: Outcome, message: str, *findings: Finding) -> TestResult:
    name = f"compute-sanitizer.{tool}"
    return TestResult(name, Part.CLEANLINESS, outcome, message, findings=findings)


def differing(plain: Sequence[TestResult], checked: Sequence[TestResult]) -> TestResult | None:
    """The first test under a tool that passed without the tool and does not pass under it.

    A rung that notices the tool could otherwise choose to end where nothing is checked.
    """
    passed = {test.name for test in plain if test.outcome is Outcome.PASSED}
    return next(
        (test for test in checked if test.outcome in WRONG and test.name in passed),
        None,
    )


def emulators_test(judgement: Judgement) -> TestResult:
    """The test `emulator`, from its judgement. Raises FaultError where it could not judge."""
    if judgement.fault:
        raise FaultError(f"the emulator, which judges cleanliness, too: {judgement.fault}")
    findings = _findings(judgement)
    failed = [test for test in judgement.tests if test.outcome is Outcome.FAILED]
    outcome, message = Outcome.FAILED, ""
    if judgement.findings:
        message = (
            "cleanliness is judged on the emulator, too, and this file does not run there: "
            "./lab check --backend cpu shows how it fares"
        )
    elif failed or findings:
        what = (
            f"{failed[0].name} fails on the emulator" if failed else "the emulator found mistakes"
        )
        message = f"{what}: ./lab check --backend cpu shows more"
    else:
        outcome = Outcome.PASSED
    return TestResult(EMULATOR, Part.CLEANLINESS, outcome, message, judgement.seconds, findings)


def _findings(judgement: Judgement) -> tuple[Finding, ...]:
    """Each kind and place once."""
    unique: dict[tuple[str, str, int], Finding] = {}
    for finding in (
        *judgement.findings,
        *(one for test in judgement.tests for one in test.findings),
    ):
        named = replace(finding, message=f"on the emulator: {finding.message}")
        unique.setdefault((finding.kind, finding.file, finding.line), named)
    return tuple(causes_first(unique.values()))


def emulator_file(toolchain_file: Path) -> Path:
    """Where the cpu backend's toolchain is if another one's is `toolchain_file`."""
    return toolchain_file.parent.with_name(str(Backend.CPU)) / toolchain_file.name
