# SPDX-License-Identifier: MIT
"""Runs the judge, which is trusted, on a worker, which is not."""

import secrets
import signal
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from pathlib import Path

from lockstep_grader.machine.process import Limits, Processes, patience
from lockstep_grader.model.compat import StrEnum
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Outcome, Part, TestResult
from lockstep_grader.model.text import last_line
from lockstep_grader.observe.gtest import read_gtest
from lockstep_grader.observe.standing_judges import StandingJudges
from lockstep_grader.request.setup import LabSetup

# A backstop: the judge itself limits every call of the worker.
_LIMITS = Limits(seconds=900)
_NOT_MEASURED = "not measured, because a result was wrong"  # as judge.cpp says
_PASSED, _FAILED, _WORKER_KILLED = 0, 1, 4  # judge.cpp's exit statuses


@dataclass(frozen=True, slots=True)
class DeviceProcess:
    """The program that plays the device, on cpu, and the kernels of the submission."""

    program: Path
    ptx: Path
    written: Path | None  # the same without optimisation; None: clang could not make it
    sandbox: tuple[str, ...] = ()

    def arguments(self) -> list[str]:
        named = (("device", self.program), ("ptx", self.ptx), ("written", self.written))
        sandbox = [f"--device-sandbox={word}" for word in self.sandbox]
        return [*sandbox, *(f"--{name}={path}" for name, path in named if path)]


@dataclass(frozen=True, slots=True)
class Workers:
    """The executables that one judging needs; all but the first serve speed tests alone."""

    submission: Path
    anchors: Path | None = None
    first: Path | None = None
    first_times: Path | None = None  # where judges keep what calls of `first` take
    reference: Path | None = None
    sandbox: tuple[str, ...] = ()  # the words that confine the submission's
    gpu: str = ""  # where all of them run, as CUDA_VISIBLE_DEVICES names it
    device: DeviceProcess | None = None  # of the submission's

    def arguments(self) -> list[str]:
        named = (
            ("worker", self.submission),
            ("anchors", self.anchors),
            ("first", self.first),
            ("first-times", self.first_times),
            ("reference", self.reference),
        )
        sandbox = [f"--sandbox={word}" for word in self.sandbox]
        device = self.device.arguments() if self.device else []
        return [*sandbox, *device, *(f"--{name}={path}" for name, path in named if path)]


def workers_on_cpu(setup: LabSetup, worker: Path) -> Workers:
    """What judges `worker`, which the steps of the toolchain made, on the cpu backend."""
    confinement, program = setup.confinement, setup.whole.toolchain.device
    sandbox = tuple(confinement.running(worker))
    if program is None:
        return Workers(worker, sandbox=sandbox)
    ptx, written = worker.with_name("rung.ptx"), worker.with_name("written.ptx")
    kernels = (ptx, written) if written.is_file() else (ptx,)
    around = tuple(confinement.playing(program, kernels))
    device = DeviceProcess(program, ptx, written if written.is_file() else None, around)
    return Workers(worker, sandbox=sandbox, device=device)


class Stage(StrEnum):
    """Which tests a judge runs, as its option names them."""

    ALL = "all"
    ALL_BUT_MEASUREMENTS = "all-but-measurements"  # which it reports as skipped
    MEASUREMENTS = "measurements"


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of a judge over one rung."""

    judge: Path
    rung: str
    workers: Workers
    work: Path  # a folder for what the judge writes
    seed: int | None = None  # None: the judge draws one
    stage: Stage = Stage.ALL
    options: tuple[str, ...] = ()  # further ones of the judge
    shards: int = 1  # judges that share the tests
    is_background: bool = False  # the judge gives way to other programs
    # The judges of a GPU; without them one is started for this alone, and its worker runs on none.
    standing: StandingJudges | None = None

    def command(self) -> list[str]:
        niceness = ["nice", "-n", "10"] if self.is_background else []
        named = [f"--rung={self.rung}", f"--stage={self.stage}"]
        return [*niceness, str(self.judge), *named, *self.workers.arguments(), *self.options]


def run_judge(trial: Trial, processes: Processes) -> tuple[tuple[TestResult, ...], str]:
    """The judge's tests of one rung, and the seed that they used.

    Raises FaultError when a judge crashed, hung, or contradicts itself.
    """
    if trial.shards == 1:
        tests, used_seed = _run_one(trial, trial.command(), processes)
    else:
        tests, used_seed = _run_shards(trial, processes)
    needed = Part.EFFICIENCY if trial.stage is Stage.MEASUREMENTS else Part.CORRECTNESS
    if not any(test.part is needed for test in tests):
        raise FaultError(f"the judge has no {needed} test for {trial.rung}")
    return tests, used_seed


def _run_shards(trial: Trial, processes: Processes) -> tuple[tuple[TestResult, ...], str]:
    """Runs several judges at the same time, each with every n-th test."""
    shards, seed = trial.shards, secrets.randbits(64) if trial.seed is None else trial.seed

    def run(index: int) -> tuple[TestResult, ...]:
        folder = trial.work / f"shard-{index}"
        folder.mkdir(exist_ok=True)
        share = [f"GTEST_TOTAL_SHARDS={shards}", f"GTEST_SHARD_INDEX={index}"]
        one = replace(trial, seed=seed, work=folder)
        return _run_one(one, ["env", *share, *trial.command()], processes)[0]

    with ThreadPoolExecutor(shards) as pool:
        parts = list(pool.map(run, range(shards)))
    in_order = chain.from_iterable(zip_longest(*parts))
    return _measured_if_right([test for test in in_order if test]), str(seed)


def _measured_if_right(tests: Sequence[TestResult]) -> tuple[TestResult, ...]:
    """Like a single judge, which knows the earlier failures: does not measure a wrong result."""
    is_wrong = any(
        test.part is Part.CORRECTNESS and test.outcome is Outcome.FAILED for test in tests
    )
    if not is_wrong:
        return tuple(tests)
    return tuple(
        TestResult(test.name, test.part, Outcome.SKIPPED, _NOT_MEASURED)
        if test.part is Part.EFFICIENCY
        else test
        for test in tests
    )


def _run_one(
    trial: Trial, argv: Sequence[str], processes: Processes
) -> tuple[tuple[TestResult, ...], str]:
    results, images = trial.work / "judge.json", trial.work / "images"
    seeded = [] if trial.seed is None else [f"--seed={trial.seed}"]
    words = [*argv, f"--patience={patience()}", *seeded, f"--images={images}"]
    limits = replace(_LIMITS, seconds=_LIMITS.seconds * max(1.0, patience()))
    for _ in range(2):  # the process that killed a worker may have meant another, or be gone
        results.unlink(missing_ok=True)
        if trial.standing:
            done = trial.standing.run(words, trial.workers.gpu, limits, results)
        else:
            done = processes.run([*words, f"--gtest_output=json:{results}"], limits, trial.work)
        if done.returncode != _WORKER_KILLED:
            break
    else:
        raise FaultError(
            "the worker was killed from outside (SIGKILL), twice: is the machine short of memory?"
        )
    if done.timed_out:
        raise FaultError(f"the judge did not end within {limits.seconds:.0f} seconds")
    if done.returncode == -signal.SIGXFSZ:
        raise FaultError(
            "the judge may not write files as large as its memory for buffers; raise the limit "
            "(ulimit -f unlimited)"
        )
    if done.returncode not in (_PASSED, _FAILED):
        raise FaultError(f"the judge ended with status {done.returncode}: {last_line(done.output)}")
    tests, used_seed = read_gtest(results, images)
    claims_passed = done.returncode == _PASSED
    if claims_passed == any(test.outcome in (Outcome.FAILED, Outcome.ERROR) for test in tests):
        raise FaultError("the judge's exit status contradicts its results")
    return tests, used_seed
