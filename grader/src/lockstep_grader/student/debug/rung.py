# SPDX-License-Identifier: MIT
"""A rung in gdb: a judge makes one small call, without time limits, of a worker in gdb."""

import fcntl
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lockstep_grader.model.errors import FaultError
from lockstep_grader.student.debug.start import for_debugging
from lockstep_grader.student.program.build import compile_step
from lockstep_grader.toolchain.description import LabTools, Toolchain

_STUB = Path(__file__).parent / "stub.py"
_PATIENCE = 1e6  # times the judge's limits
_ABOVE = 100  # for file descriptors that move to 3 and 4 in gdb
_START_SECONDS = 60.0

# Moves the channels to where the worker expects them, and becomes gdb.
_MOVE = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); "
    "os.execv(sys.argv[3], sys.argv[3:])"
)


def build_worker(toolchain: Toolchain, tools: LabTools, source: Path, work: Path) -> Path:
    """The rung with its own path in it, every variable in memory. Raises BuildError."""
    extra = {"link": ("-Wl,-u,simt_debug_state", "-Wl,-u,simt_debug_memory")}
    for step in for_debugging({step.name: step for step in toolchain.steps}).values():
        argv = step.filled(source=source, work=work, include=tools.include, calls=tools.calls)
        compile_step([*argv, *extra.get(step.name, ())], work)
    return work / "worker"


@contextmanager
def judged(
    judge: Path, rung_id: str, worker: Path, size: int, work: Path
) -> Iterator[tuple[str, ...]]:
    """Within, a judge waits for the worker; the words start gdb, and its programs, as one."""
    meeting = work / "meeting"
    with socket.socket(socket.AF_UNIX) as listener, (work / "judge.log").open("wb") as log:
        listener.bind(str(meeting))
        listener.listen(1)
        listener.settimeout(_START_SECONDS)
        wrap = [f"--wrap={word}" for word in (sys.executable, _STUB, meeting)]
        argv = [str(judge), f"--rung={rung_id}", f"--worker={worker}", *wrap]
        argv += [f"--profile={size}", f"--patience={_PATIENCE:g}"]
        child = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
        try:
            yield from _with_channels(listener)
        except TimeoutError as error:
            said = (work / "judge.log").read_text("utf-8", "replace").strip()
            raise FaultError(f"the judge made no call: {said[-300:]}") from error
        finally:
            child.kill()
            child.wait()


def _with_channels(listener: socket.socket) -> Iterator[tuple[str, ...]]:
    line, _ = listener.accept()
    with line:
        _, received, _, _ = socket.recv_fds(line, 16, 2)
        channels = [fcntl.fcntl(channel, fcntl.F_DUPFD, _ABOVE) for channel in received]
        for channel in received:
            os.close(channel)
        try:
            for channel in channels:
                os.set_inheritable(channel, True)
            yield (sys.executable, "-c", _MOVE, *map(str, channels))
        finally:
            for channel in channels:
                os.close(channel)
