# SPDX-License-Identifier: MIT
"""Adds NVIDIA's compiler from PyPI to the private .venv, while the first command builds and judges.

What is fetched whole stays, so that a start after a failure or Ctrl-C goes on with the rest.
"""

import atexit
import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import Thread
from typing import IO

from lockstep_grader.machine.progress import FetchLine, say
from lockstep_grader.toolchain.installers import (
    pip_cause,
    pip_command,
    pip_environment,
)
from lockstep_grader.toolchain.nvcc import NoRungCompiler, RungCompiler, rung_compiler
from lockstep_grader.toolchain.system import (
    DONE,
    MEGABYTES,
    VENV,
    missing_pins,
    pins,
    size,
    toolkit_nvcc,
)

VARIABLE = "LOCKSTEP_NVCC"  # "off": neither fetched nor used, nor the toolkit's for rungs
_STATE = VENV.parent / ".lockstep"
_ASKED = "--no-nvcc was given"
_RETRY_SECONDS = 24 * 3600  # after a failure, which is told once
_DISK_BYTES = 600 << 20  # to fetch and to unpack


def begin(
    choice: bool | None, fetch: bool = True, state: Path = _STATE, venv: Path = VENV
) -> "Installation | None":
    """Starts to fetch what is missing; None where there is nothing to do.

    `choice`: --nvcc or --no-nvcc, which is remembered, or neither; without it `fetch` decides.
    """
    memory = state / "no-nvcc"
    if choice is False:
        _remember(memory, _ASKED)
    elif choice:
        memory.unlink(missing_ok=True)
    if os.environ.get(VARIABLE) == "off" or _reason(memory) == _ASKED:
        os.environ[VARIABLE] = "off"  # for all that this command starts, too
        return None
    if not (fetch or choice) or Path(sys.prefix) != venv or toolkit_nvcc():
        return None
    if not missing_pins(venv) or _failed_lately(memory):
        return None
    lock = _locked(state)
    if lock is None:
        return None
    global _under_way
    _under_way = Installation(venv, memory, lock)
    return _under_way


_under_way: "Installation | None" = None


def finish_fetching() -> None:
    """Waits for what `begin` started, if anything: a verdict that is kept needs the compiler."""
    if _under_way:
        _under_way.finish()


def rung_compiler_here() -> RungCompiler | NoRungCompiler:
    """The compiler for rungs, unless it is switched off, or not whole yet."""
    if os.environ.get(VARIABLE) == "off":
        return NoRungCompiler("nvcc is switched off")
    if _under_way and not _under_way.is_finished and not toolkit_nvcc():
        return NoRungCompiler("nvcc is still being fetched")
    return rung_compiler()


def state_of_nvcc(state: Path = _STATE, venv: Path = VENV) -> str:
    """Why there is no nvcc in the .venv and what to do, for doctor."""
    if os.environ.get(VARIABLE) == "off" or _reason(state / "no-nvcc") == _ASKED:
        return "switched off; ./lab --nvcc doctor fetches it"
    if Path(sys.prefix) != venv:
        return "NVIDIA's CUDA toolkit, https://developer.nvidia.com/cuda-downloads"
    why = f"{reason}; " if (reason := _reason(state / "no-nvcc")) else ""
    return f"{why}./lab --nvcc doctor fetches it"


class Installation:
    """pip at work in a thread, a package at a time."""

    def __init__(self, venv: Path, memory: Path, lock: IO[str]) -> None:
        self._venv, self._memory, self._lock = venv, memory, lock
        self._pip: subprocess.Popen[str] | None = None
        self._problem, self._stopped, self._done_megabytes = "", False, 0
        self.is_finished = False
        for old in memory.parent.glob("nvcc-*"):  # of a start that was killed: we have the lock
            shutil.rmtree(old, ignore_errors=True)
        self._scratch = Path(tempfile.mkdtemp(prefix="nvcc-", dir=memory.parent))
        say(
            f"lab: fetching NVIDIA's compiler meanwhile ({MEGABYTES} MB, once; "
            "--no-nvcc does without it)"
        )
        atexit.register(self._stop)
        self._started = time.monotonic()
        self._thread = Thread(target=self._install, daemon=True)
        self._thread.start()

    def finish(self) -> None:
        """Waits for the rest and shows how far it is; Ctrl-C leaves the rest for the next start."""
        if self.is_finished:
            return
        self.is_finished = True
        try:
            with FetchLine("NVIDIA's compiler", MEGABYTES, self._started) as line:
                while self._thread.is_alive():
                    self._thread.join(0.2)
                    line.show(self._megabytes())
        except KeyboardInterrupt:
            self._stop()
            say("lab: NVIDIA's compiler is not whole; the next start fetches the rest")
            return
        if self._problem:
            _remember(self._memory, self._problem)
            next_step = f"{self._problem}, then ./lab --nvcc doctor"
            say(f"lab: going on without NVIDIA's compiler: {next_step}")
        else:
            self._memory.unlink(missing_ok=True)
            say("lab: NVIDIA's compiler is in .venv")
        self._stop()

    def _install(self) -> None:
        try:
            self._problem = self._install_missing()
        except OSError as error:
            self._problem = pip_cause(str(error))

    def _install_missing(self) -> str:
        """Why it failed; empty when all is there."""
        if shutil.disk_usage(self._venv).free < _DISK_BYTES:
            return "the disk is full: free 1 GB"
        needed = missing_pins(self._venv)
        self._done_megabytes = MEGABYTES - sum(map(size, needed))
        kept = [pin for pin in pins() if pin not in needed]
        for pin in needed:
            # Half a package may lie there of which pip believes that it is whole.
            options = ["--no-deps", "--no-compile", "--force-reinstall", "--only-binary", ":all:"]
            self._pip = subprocess.Popen(
                [*pip_command(sys.executable), *options, pin],
                env={**pip_environment(), "TMPDIR": str(self._scratch)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,  # Ctrl-C is ours to pass on
            )
            output = self._pip.communicate()[0]
            if self._stopped:
                return ""
            if self._pip.returncode != 0:
                return pip_cause(output)
            kept.append(pin)
            (self._venv / DONE).write_text("\n".join(kept) + "\n", "utf-8")
            self._done_megabytes += size(pin)
        return ""

    def _megabytes(self) -> int:
        """How much is there: whole packages, and what pip has of the next."""
        arriving = 0
        for file in self._scratch.glob("*/*.whl"):
            with contextlib.suppress(OSError):  # pip has moved it just now
                arriving += file.stat().st_size
        return self._done_megabytes + arriving // 1_000_000

    def _stop(self) -> None:
        self._stopped = True
        if self._pip and self._pip.poll() is None:
            self._pip.terminate()
        self._thread.join(5)
        shutil.rmtree(self._scratch, ignore_errors=True)
        self._lock.close()
        atexit.unregister(self._stop)


def _reason(memory: Path) -> str:
    try:
        return memory.read_text("utf-8").strip()
    except OSError:
        return ""


def _failed_lately(memory: Path) -> bool:
    try:
        return time.time() - memory.stat().st_mtime < _RETRY_SECONDS
    except OSError:
        return False


def _remember(memory: Path, reason: str) -> None:
    with contextlib.suppress(OSError):  # a checkout that is read-only forgets
        memory.parent.mkdir(exist_ok=True)
        memory.write_text(reason + "\n", "utf-8")


def _locked(state: Path) -> IO[str] | None:
    """The lock of one installation at a time; None where another has it or none can be had."""
    try:
        state.mkdir(exist_ok=True)
        stream = (state / "nvcc.lock").open("w")
    except OSError:
        return None
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        stream.close()
        return None
    return stream
