# SPDX-License-Identifier: MIT
"""Compiles one rung into a worker, under limits; tells the student's failures from ours."""

import re
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from pathlib import Path

from lockstep_grader.confine.sandbox import UNCONFINED, Confinement
from lockstep_grader.intake.submission import Source
from lockstep_grader.machine.process import (
    Completed,
    Limits,
    Processes,
    kills_for_memory,
    patience,
)
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Backend, CompilerWarning, Finding, FindingKind, Lab, Rung
from lockstep_grader.model.text import one_line
from lockstep_grader.request.job import RungSetup, Setup
from lockstep_grader.rules.source import check_source, too_much_shared
from lockstep_grader.toolchain.description import Step, with_usual_linker
from lockstep_grader.words.clang_log import clang_findings, has_crashed
from lockstep_grader.words.nvcc_log import names_an_error, step_finding

# The limits on processor time per program, and on wall-clock time per sandbox. Only a busy machine
# ever reaches the second.
CPU_SECONDS = {Backend.CPU: 10, Backend.CUDA: 60}
SECONDS = {Backend.CPU: 120, Backend.CUDA: 600}
_MEMORY_BYTES = {Backend.CPU: 4 << 30, Backend.CUDA: 16 << 30}
_FILE_BYTES = 256 << 20
_MIN_FREE_BYTES = 1 << 20

_OUT_OF_BOUNDS = re.compile(
    r"signal terminated program|memory exhausted|out of memory allocating|"
    r"File size limit exceeded|File too large|cannot allocate memory|LLVM ERROR: out of memory|"
    r"std::bad_alloc",
    re.IGNORECASE,
)
# The sandbox or the shell reports that it cannot start a program. Text from a rung is never at the
# beginning.
_NOT_STARTED = re.compile(r"\A(?:bwrap|/bin/sh|sh|setpriv): .*")
# What g++ reports about its own compiler, on a separate line. Text from a rung, as in an #error,
# comes after a file and line.
_KILLED = re.compile(
    r"^[\w.+-]+: (?:fatal )?error: Killed signal terminated program \S+$", re.MULTILINE
)
# clang reads its precompiled headers first. A header was changed, and nothing was built since.
_NOT_BUILT = re.compile(
    r"\A(?:fatal )?error: (?:unable to read PCH file|PCH file |malformed or corrupted precompiled|"
    r"file '.*' has been modified since)"
)
# Of a program itself, or of the sandbox around it.
_NOT_RUN = frozenset({126, 127, -signal.SIGKILL, 128 + signal.SIGKILL})
_SHELL_SAYS = "Killed"  # of a step that another one follows
_TOOK_TOO_LONG = frozenset({-signal.SIGXCPU, 128 + signal.SIGXCPU})


# <algorithm> takes clang twice as long as a short rung, and <cuda/atomic> ten times, each three
# times. They are precompiled, too, for rungs that include them: for others their names would be
# there without an include.
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
_USUAL = "20.pch"  # as Clang.cmake names them
_FITTING = (
    (frozenset({"cuda/atomic", "algorithm"}), "20-atomic-algorithm.pch"),
    (frozenset({"cuda/atomic"}), "20-atomic.pch"),
    (frozenset({"algorithm"}), "20-algorithm.pch"),
)


@dataclass(frozen=True, slots=True)
class Made:
    """What became of a rung."""

    worker: Path | None = None
    errors: tuple[Finding, ...] = ()  # why there is no worker
    warnings: tuple[CompilerWarning, ...] = ()


class _UnexplainedLinkError(FaultError):
    """The linker failed, and it does not say over whose object."""


def compile_rung(setup: RungSetup, source: Source, work: Path) -> Path | Finding:
    """The worker, for those who need no judgement; or the first thing that is wrong."""
    if forbidden := check_source(source, may_use_libraries=setup.may_use_libraries):
        return forbidden
    made = make_worker(setup, source, work)
    return made.worker or made.errors[0]


def make_worker(setup: RungSetup, source: Source, work: Path) -> Made:
    """The worker made from a `source` without forbidden things, or why it does not compile.

    It is made in the folder `work`. On cpu, rung.ptx is there, too, and written.ptx, unless clang
    crashes over it. Raises FaultError when the toolchain itself fails: a program missing, the disk
    full, or a link that breaks over something that is not the student's.
    """
    try:
        return _compile(setup, source, work)
    except _UnexplainedLinkError as error:
        # If an empty file links, the rung's code is the reason for the failure.
        control = work / "control"
        control.mkdir(exist_ok=True)
        if _compile(setup, Source(source.file_name, b""), control).errors:
            raise
        return Made(errors=(_finding(source, str(error)),))


def _compile(setup: RungSetup, source: Source, work: Path) -> Made:
    tools, confinement, backend = setup.tools, setup.confinement, setup.whole.backend
    file = work / source.file_name
    file.write_bytes(source.data)
    seconds, cpu_seconds = SECONDS[backend] * patience(), _cpu_seconds(backend)
    limits = Limits(seconds, _MEMORY_BYTES[backend], _FILE_BYTES, cpu_seconds=cpu_seconds)
    room = _Room(work, setup.whole.processes, confinement, tools.include, limits)
    warnings: tuple[CompilerWarning, ...] = ()
    for steps in _batches(setup.whole.toolchain.steps, confinement):
        words: dict[str, Path | str] = {"source": file, "work": work, "include": tools.include}
        commands = [step.filled(**words, calls=tools.calls) for step in steps]
        kills_before = kills_for_memory()
        errors: tuple[Finding, ...] = ()
        if steps[0].at_once:
            ended = room.run_at_once(with_fitting_prelude(commands, source))
            pairs = [
                (each, step)
                for each, step in zip(ended, steps, strict=True)
                # As written it is only looked at more closely.
                if not (step.name == "written" and has_crashed(each.output))
            ]
            errors, warnings = clang_findings("".join(each.output for each, _ in pairs), source)
            done, step = _first_failed(pairs)
        else:
            done, step = room.run_in_turn(steps, commands)
            usual = [with_usual_linker(command) for command in commands]
            if done.returncode != 0 and not done.timed_out and usual != commands:
                done, step = room.run_in_turn(steps, usual)
        if done.timed_out:
            raise FaultError(
                f"the {step.name} step did not end in {seconds:.0f} seconds, nor use the "
                f"{cpu_seconds} s of processor time that it may: is the machine busy?"
            )
        if done.returncode != 0:
            if _is_killed(done.output) and kills_for_memory() > kills_before:
                raise FaultError(f"the {step.name} step was ended, as the machine is out of memory")
            if limit := _limit_reached(step, done, source, work, backend):
                return Made(errors=(limit,))
            return Made(errors=errors or (_explain(step, done, source),), warnings=warnings)
        if steps[0].at_once and (excess := too_much_shared(work / "rung.ptx", source)):
            return Made(errors=(excess,), warnings=warnings)
    worker = work / "worker"
    if not worker.is_file():
        raise FaultError(f"the steps of {setup.whole.toolchain.file} made no {worker.name}")
    return Made(worker, warnings=warnings)


def _first_failed(pairs: Sequence[tuple[Completed, Step]]) -> tuple[Completed, Step]:
    """The first if none failed."""
    return next((each for each in pairs if each[0].timed_out or each[0].returncode), pairs[0])


def _batches(steps: Sequence[Step], confinement: Confinement) -> Iterator[Sequence[Step]]:
    """The steps that one sandbox runs in turn: its own start takes longer than most of them.

    Steps that run at once have a sandbox each.
    """
    ends = [
        number
        for number, (step, following) in enumerate(pairwise(steps), 1)
        if step.at_once != following.at_once or (confinement is UNCONFINED and not step.at_once)
    ]
    for start, end in pairwise((0, *ends, len(steps))):
        if steps[start:end]:
            yield steps[start:end]


@dataclass(frozen=True, slots=True)
class _Room:
    """Where the steps of one compilation run."""

    work: Path
    processes: Processes
    confinement: Confinement
    include: Path
    limits: Limits

    def run_in_turn(
        self, steps: Sequence[Step], commands: Sequence[Sequence[str]]
    ) -> tuple[Completed, Step]:
        """Runs the commands up to the first that fails; how that ended, or else the last."""
        number = self.work / "step"
        number.unlink(missing_ok=True)
        done = self._run(commands[0] if len(commands) == 1 else _in_turn(commands, number))
        reached = int(number.read_text("ascii")) if number.is_file() else 0
        return done, steps[reached]

    def run_at_once(self, commands: Sequence[Sequence[str]]) -> list[Completed]:
        with ThreadPoolExecutor(len(commands), thread_name_prefix="compile") as pool:
            return list(pool.map(self._run, commands))

    def _run(self, argv: Sequence[str]) -> Completed:
        confined = self.confinement.compiling(argv, self.work, self.include)
        return self.processes.run(confined, self.limits, self.work)


def _in_turn(commands: Sequence[Sequence[str]], number: Path) -> list[str]:
    """One command for all of them, which writes the number of the current one into a file.

    The last replaces the shell, so its end is reported as it was.
    """
    parts, words = [], [str(number)]
    for index, command in enumerate(commands):
        places = range(len(words), len(words) + len(command))
        begin = "exec " if index == len(commands) - 1 else ""
        parts.append(f'echo {index} >"$0" && {begin}' + " ".join(f'"${{{at}}}"' for at in places))
        words += command
    return ["sh", "-c", " && ".join(parts), *words]


def _cpu_seconds(backend: Backend) -> int:
    return ceil(CPU_SECONDS[backend] * patience())


def _limit_reached(
    step: Step, done: Completed, source: Source, work: Path, backend: Backend
) -> Finding | None:
    """What the rung takes too much of, if that ended the step. Raises FaultError."""
    # Checks the disk instead of reading the output: an #error could contain the same words.
    if shutil.disk_usage(work).free < _MIN_FREE_BYTES:
        raise FaultError(f"no space left on the disk of {work}; free some and run again")
    if match := _NOT_STARTED.match(done.output):
        raise FaultError(f"the {step.name} step failed: {one_line(match[0])[:300]}")
    if _NOT_BUILT.match(done.output):
        raise FaultError(f"build again, as headers have changed: {one_line(done.output)[:300]}")
    if done.returncode in _NOT_RUN and done.output.strip() in ("", _SHELL_SAYS):
        raise FaultError(f"the {step.name} step could not run (status {done.returncode})")
    if done.returncode in _TOOK_TOO_LONG or _OUT_OF_BOUNDS.search(done.output):
        return _finding(
            source,
            f"compiling took more than {_cpu_seconds(backend)} s of processor time, "
            f"{_MEMORY_BYTES[backend] >> 30} GiB of memory or {_FILE_BYTES >> 20} MiB of output: "
            "do templates, constants or arrays grow without end?",
        )
    return None


def _explain(step: Step, done: Completed, source: Source) -> Finding:
    if found := step_finding(step.name, done.output, source):
        return found
    if step.name == "link":
        raise _UnexplainedLinkError(f"the link step failed: {one_line(done.output)[:300]}")
    return _finding(source, f"the {step.name} step ended with status {done.returncode}")


def _is_killed(output: str) -> bool:
    """Whether the compiler was ended before it complained about the rung.

    A rung with an error of its own has that error, whatever else its messages say.
    """
    return bool(_KILLED.search(output)) and not names_an_error(output)


def _finding(source: Source, message: str) -> Finding:
    return Finding(FindingKind.COMPILE_ERROR, message, source.file_name)


def with_fitting_prelude(
    commands: Sequence[Sequence[str]], source: Source
) -> list[tuple[str, ...]]:
    """`commands`, with the headers that `source` includes precompiled, as far as they are."""
    words = [word for command in commands for word in command]
    folders = [Path(word[2:]) for word in dict.fromkeys(words) if word.startswith("-I")]
    included = frozenset(_included(source.data, folders, set()))
    others = [name for headers, name in _FITTING if headers <= included]

    def fitting(word: str) -> str:
        if not word.endswith(_USUAL):
            return word
        files = (f"{word.removesuffix(_USUAL)}{name}" for name in others)
        return next((file for file in files if Path(file).is_file()), word)

    return [tuple(map(fitting, argv)) for argv in commands]


def _included(text: bytes, folders: Sequence[Path], seen: set[str]) -> Iterator[str]:
    """The headers that the text includes, and those that ours of these include."""
    for name in (match.decode("utf-8", "replace") for match in _INCLUDE.findall(text)):
        if name in seen:
            continue
        seen.add(name)
        yield name
        file = next((folder / name for folder in folders if (folder / name).is_file()), None)
        if file:
            yield from _included(file.read_bytes(), folders, seen)


class References:
    """The solutions' workers, which speed tests on a GPU time with the submission's.

    Each is compiled once a run, on first use. A students' copy has no solutions: its speed tests
    then lack those ratios.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._lock = threading.Lock()
        self._busy: dict[tuple[str, str], threading.Lock] = {}
        self._workers: dict[tuple[str, str], Path | None] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def worker(self, lab: Lab, rung: Rung) -> Path | None:
        """None where there is no solution of the rung."""
        name = (lab.id, rung.id)
        with self._lock:
            busy = self._busy.setdefault(name, threading.Lock())
        with busy:  # different rungs compile at the same time, each once
            if name not in self._workers:
                self._workers[name] = self._compile(lab, rung)
            return self._workers[name]

    def folder_of(self, lab: Lab) -> Path:
        """For what one run needs of the lab's references."""
        with self._lock:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="lockstep-reference-")
            folder = Path(self._folder.name) / lab.id
        folder.mkdir(exist_ok=True)
        return folder

    def _compile(self, lab: Lab, rung: Rung) -> Path | None:
        file = self._setup.workspace.solutions / lab.id / rung.file_name
        if not file.exists():
            return None
        work = self.folder_of(lab) / rung.id
        work.mkdir()
        source = Source(rung.file_name, file.read_bytes())  # our own, which needs no examination
        made = make_worker(self._setup.of(lab, rung), source, work)
        if made.worker is None:
            raise FaultError(f"the reference solution {lab.id}/{rung.id}: {made.errors[0].message}")
        return made.worker
