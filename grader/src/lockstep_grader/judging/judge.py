# SPDX-License-Identifier: MIT
"""Runs the judge, which is trusted, on a worker, which is not."""

import secrets
import signal
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from pathlib import Path

from lockstep_grader.confine.sandbox import Confinement
from lockstep_grader.judging.gtest import read_gtest
from lockstep_grader.judging.standing_judges import StandingJudges
from lockstep_grader.machine.patience import patience
from lockstep_grader.machine.process import Limits, Processes
from lockstep_grader.model.compat import StrEnum
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import FindingKind, Outcome, Part, TestResult
from lockstep_grader.model.text import last_line
from lockstep_grader.toolchain.description import Toolchain

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


def workers_on_cpu(toolchain: Toolchain, worker: Path, confinement: Confinement) -> Workers:
    """What judges `worker`, which the steps of `toolchain` made, on the cpu backend."""
    sandbox = tuple(confinement.running(worker))
    if toolchain.device is None:
        return Workers(worker, sandbox=sandbox)
    ptx, written = worker.with_name("rung.ptx"), worker.with_name("written.ptx")
    kernels = (ptx, written) if written.is_file() else (ptx,)
    around = tuple(confinement.playing(toolchain.device, kernels))
    device = DeviceProcess(toolchain.device, ptx, written if written.is_file() else None, around)
    return Workers(worker, sandbox=sandbox, device=device)


@dataclass(frozen=True, slots=True)
class Sought:
    """The finding that a proof needs: once the judge has reported it, it skips the other tests."""

    kinds: frozenset[FindingKind] = frozenset()  # any of these; none: every test runs
    line: int = 0  # that such a finding names; 0: any
    message: str = ""  # part of its message, or of a failed test's

    def arguments(self) -> list[str]:
        if not self.kinds:
            return []
        kinds = [f"--seek-kind={kind}" for kind in sorted(self.kinds)]
        line = [f"--seek-line={self.line}"] if self.line else []
        message = [f"--seek-message={self.message}"] if self.message else []
        return [*kinds, *line, *message]


EVERY_TEST = Sought()


class Stage(StrEnum):
    """Which tests a judge runs, as its option names them."""

    ALL = "all"
    ALL_BUT_MEASUREMENTS = "all-but-measurements"  # which it reports as skipped
    MEASUREMENTS = "measurements"


def run_judge(
    judge: Path,
    rung_id: str,
    workers: Workers,
    seed: int | None,
    work: Path,
    processes: Processes,
    sought: Sought = EVERY_TEST,
    shards: int = 1,
    is_background: bool = False,
    stage: Stage = Stage.ALL,
    standing: StandingJudges | None = None,
) -> tuple[tuple[TestResult, ...], str]:
    """The judge's tests of one rung, distributed over `shards` judges, and the seed they used.

    `is_background`: the judge gives way to other programs, such as one that measures. `standing`:
    judges of a GPU; without them a judge is started, and its worker runs on no GPU.
    Raises FaultError when a judge crashed, hung, or contradicts itself.
    """
    argv = [str(judge), f"--rung={rung_id}", *workers.arguments(), *sought.arguments()]
    argv.append(f"--stage={stage}")
    if is_background:
        argv = ["nice", "-n", "10", *argv]
    if shards == 1:
        tests, used_seed = run_judge_command(argv, seed, work, processes, workers.gpu, standing)
    else:
        tests, used_seed = _run_shards(argv, seed, work, processes, shards)
    needed = Part.EFFICIENCY if stage is Stage.MEASUREMENTS else Part.CORRECTNESS
    if not any(test.part is needed for test in tests):
        raise FaultError(f"the judge has no {needed} test for {rung_id}")
    return tests, used_seed


def _run_shards(
    argv: Sequence[str], seed: int | None, work: Path, processes: Processes, shards: int
) -> tuple[tuple[TestResult, ...], str]:
    """Runs several judges at the same time, each with every n-th test."""
    if seed is None:
        seed = secrets.randbits(64)

    def run(index: int) -> tuple[TestResult, ...]:
        folder = work / f"shard-{index}"
        folder.mkdir(exist_ok=True)
        shard = ["env", f"GTEST_TOTAL_SHARDS={shards}", f"GTEST_SHARD_INDEX={index}", *argv]
        return run_judge_command(shard, seed, folder, processes)[0]

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


def run_judge_command(
    argv: Sequence[str],
    seed: int | None,
    work: Path,
    processes: Processes,
    gpu: str = "",
    standing: StandingJudges | None = None,
) -> tuple[tuple[TestResult, ...], str]:
    """What the judge found with `argv`, and the seed it used. Raises FaultError.

    `standing`: the judges that use a GPU. Without them one is started for this alone.
    """
    results, images = work / "judge.json", work / "images"
    seeded = [f"--seed={seed}"] if seed is not None else []
    words = [*argv, f"--patience={patience()}", *seeded, f"--images={images}"]
    limits = replace(_LIMITS, seconds=_LIMITS.seconds * max(1.0, patience()))
    for _ in range(2):  # the process that killed a worker may have meant another, or be gone
        results.unlink(missing_ok=True)
        if standing:
            done = standing.run(words, gpu, limits, results)
        else:
            done = processes.run([*words, f"--gtest_output=json:{results}"], limits, work)
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
