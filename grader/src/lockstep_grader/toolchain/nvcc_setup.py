# SPDX-License-Identifier: MIT
"""Adds NVIDIA's compiler from PyPI to the private .venv, while the first command builds and judges.

What is fetched whole stays, so that a start after a failure or Ctrl-C goes on with the rest.
"""

import atexit
import contextlib
import os
import sys
import time
from pathlib import Path
from threading import Event, Thread
from typing import IO

from lockstep_grader.machine.files import locked
from lockstep_grader.machine.progress import FetchLine, say
from lockstep_grader.model.errors import FaultError
from lockstep_grader.toolchain.nvcc import NoRungCompiler, RungCompiler, rung_compiler
from lockstep_grader.toolchain.system import toolkit_nvcc
from lockstep_grader.toolchain.wheels import NVCC, VENV, fetch

VARIABLE = "LOCKSTEP_NVCC"  # "off": neither fetched nor used, nor the toolkit's for rungs
_STATE = VENV.parent / ".lockstep"
_ASKED = "--no-nvcc was given"
_RETRY_SECONDS = 24 * 3600  # after a failure, which is told once


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
    if not NVCC.missing(venv) or _failed_lately(memory):
        return None
    try:
        state.mkdir(exist_ok=True)
        lock = locked(state / "nvcc.lock", waits=False)
    except OSError:  # another process fetches it, or the checkout is read-only
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
    """pip at work in a thread."""

    def __init__(self, venv: Path, memory: Path, lock: IO[str]) -> None:
        self._venv, self._memory, self._lock = venv, memory, lock
        self._problem, self._stopped, self._megabytes = "", Event(), 0
        self.is_finished = False
        say(
            f"lab: fetching NVIDIA's compiler meanwhile ({NVCC.megabytes} MB, once; "
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
            with FetchLine("NVIDIA's compiler", NVCC.megabytes, self._started) as line:
                while self._thread.is_alive():
                    self._thread.join(0.2)
                    line.show(self._megabytes)
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
            fetch(NVCC, self._venv, self._show, self._stopped.is_set)
        except FaultError as error:
            self._problem = str(error)

    def _show(self, megabytes: int) -> None:
        self._megabytes = megabytes

    def _stop(self) -> None:
        self._stopped.set()
        self._thread.join(5)
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
