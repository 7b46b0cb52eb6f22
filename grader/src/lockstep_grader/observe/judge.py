# SPDX-License-Identifier: MIT
"""Runs the judge, which is trusted, on a worker, which is not.

On a GPU a judge process judges one rung after another: the driver takes 0.1 to 0.3 s to start and
to end a process, and the driver of a machine serves one at a time, however many GPUs there are.
"""

import os
import secrets
import signal
import socket
import tempfile
import threading
import time
import weakref
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from pathlib import Path

from lockstep_grader.machine import gpus
from lockstep_grader.machine.process import Completed, Limits, Processes, patience
from lockstep_grader.model.compat import StrEnum
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Outcome, Part, TestResult
from lockstep_grader.model.text import last_line
from lockstep_grader.observe.gtest import read_gtest
from lockstep_grader.request.job import RungSetup

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


def workers_on_cpu(setup: RungSetup, worker: Path) -> Workers:
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
    standing: "StandingJudges | None" = None

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


class StandingJudges:
    """Starts judges with --serve as they are needed, and keeps them; safe to use from threads."""

    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self._lock = threading.Lock()
        self._idle: dict[tuple[str, str], list[_StandingJudge]] = defaultdict(list)
        weakref.finalize(self, _end_all, self._idle)

    def run(self, argv: Sequence[str], gpu: str, limits: Limits, results: Path) -> Completed:
        """Like Processes.run of the judge argv[0], on this GPU; its tests' results go to a file.

        A judge that fails, or does not end in time, is ended. Raises as Processes.run.
        """
        judge = self._take(argv[0], gpu)
        with ExitStack() as afterwards:
            afterwards.callback(judge.close)
            done = judge.run(argv[1:], limits, results)
            self._processes.check()
            if not judge.has_ended:
                afterwards.pop_all()
                with self._lock:
                    self._idle[argv[0], gpu].append(judge)
        return done

    def _take(self, program: str, gpu: str) -> "_StandingJudge":
        while True:
            with self._lock:
                idle = self._idle[program, gpu]
                judge = idle.pop() if idle else None
            if judge is None:
                return _StandingJudge(program, gpu, self._processes)
            if judge.can_serve():
                return judge
            judge.close()


def _end_all(idle: dict[tuple[str, str], list["_StandingJudge"]]) -> None:
    for judges in idle.values():
        for judge in judges:
            judge.close()


class _StandingJudge:
    """One process, which this object's owner must end."""

    def __init__(self, program: str, gpu: str, processes: Processes) -> None:
        self.has_ended = False
        self._processes = processes
        self._folder = tempfile.TemporaryDirectory(prefix="lockstep-judge-")
        folder = Path(self._folder.name)
        self._results, self._output = folder / "judge.json", folder / "output"
        self._channel, inherited = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        on_gpu = ("env", f"{gpus.VARIABLE}={gpu}") if gpu else ()
        argv = (*on_gpu, program, "--serve", f"--gtest_output=json:{self._results}")
        with inherited, self._output.open("ab") as output:
            self._child = processes.start(argv, folder, inherited.fileno(), output.fileno())

    def can_serve(self) -> bool:
        """Whether nothing has ended it since its last run."""
        return not self._processes.ends_within(self._child, 0)

    def run(self, words: Sequence[str], limits: Limits, results: Path) -> Completed:
        """Runs it with these words as its command line; it may end by that."""
        started = time.monotonic()
        os.truncate(self._output, 0)  # the judge appends to it
        status, timed_out = self._ask(b"\0".join(map(os.fsencode, words)), limits.seconds)
        if status is None:
            if not timed_out:
                self._processes.ends_within(self._child, limits.seconds)
            self._end()
            status = self._child.returncode
        with suppress(FileNotFoundError):
            results.write_bytes(self._results.read_bytes())
            self._results.unlink()
        with self._output.open("rb") as stream:
            output = stream.read(limits.output_bytes).decode("utf-8", "replace")
        return Completed(status, output, timed_out, time.monotonic() - started)

    def _ask(self, request: bytes, seconds: float) -> tuple[int | None, bool]:
        """The status with which it replies, if it does, and whether its time is over."""
        self._channel.settimeout(seconds)
        try:
            self._channel.sendall(request)
            reply = self._channel.recv(1)
        except TimeoutError:
            return None, True
        except OSError:  # it has ended
            return None, False
        return (reply[0] if reply else None), False

    def _end(self) -> None:
        if not self.has_ended:
            self.has_ended = True
            self._channel.close()
            self._processes.end(self._child)

    def close(self) -> None:
        self._end()
        self._folder.cleanup()
