# SPDX-License-Identifier: MIT
"""What is debugged: a program, or one call of a rung's judge. Its device connects to a socket."""

import json
import os
import socket
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lockstep_grader.model.errors import FaultError
from lockstep_grader.student.program.build import compile_step
from lockstep_grader.toolchain.description import LabTools, Toolchain

_PATIENCE = 1e6  # times the judge's limits
_START_SECONDS = 60.0
VARIABLE = "LOCKSTEP_DEBUG"


@dataclass(frozen=True, slots=True)
class Target:
    """How to start it, and the PTX of its kernels."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    texts: tuple[Path, ...]
    is_program: bool  # whose output a person wants to see
    socket_option: str = ""  # of a judge: takes the words that start the device in its environment


def program_target(
    program: Path, arguments: Sequence[str], texts: Sequence[Path], seed: int, checks: str
) -> Target:
    env = {
        "LOCKSTEP_SEED": str(seed),
        "LOCKSTEP_CHECKS": checks,
        "LOCKSTEP_REPORT": os.devnull,  # the program need not print what it stops at
    }
    return Target((str(program), *arguments), env, tuple(texts), is_program=True)


def rung_target(
    judge: Path, rung_id: str, worker: Path, *, device: Path, written: Path, size: int
) -> Target:
    argv = [str(judge), f"--rung={rung_id}", f"--worker={worker}", f"--device={device}"]
    argv += [f"--ptx={written}", f"--profile={size}", f"--patience={_PATIENCE:g}"]
    return Target(tuple(argv), {}, (written,), is_program=False, socket_option="--device-sandbox=")


class Running:
    """A target that runs, and the line to its device."""

    def __init__(self, target: Target, output: int | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="lockstep-")  # only this user enters it
        path = Path(self._folder.name) / "device"
        log = (Path(self._folder.name) / "log").open("wb")
        with socket.socket(socket.AF_UNIX) as listener, log:
            listener.bind(str(path))
            listener.listen(1)
            listener.settimeout(0.05)
            words = ["/usr/bin/env", f"{VARIABLE}={path}"]
            around = [f"{target.socket_option}{word}" for word in words]
            said = output if target.is_program else log.fileno()
            self.process = subprocess.Popen(
                [*target.argv, *(around if target.socket_option else ())],
                env={
                    **os.environ,
                    **target.env,
                    **({VARIABLE: str(path)} if not around or target.is_program else {}),
                },
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said if output is None or not target.is_program else subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is the debugger's
            )
            self._line = self._accept(listener, log.name)
        path.unlink()  # one connection, made before the program's own code runs
        self._file = self._line.makefile("rb") if self._line else None

    def _accept(self, listener: socket.socket, log: str) -> socket.socket | None:
        """None: the target has ended without a device."""
        for _ in range(int(_START_SECONDS / 0.05)):
            try:
                return listener.accept()[0]
            except TimeoutError:
                if self.process.poll() is not None:
                    said = Path(log).read_text("utf-8", "replace").strip()
                    if self.process.returncode not in (0, 1):
                        raise FaultError(f"the device did not start: {said[-300:]}") from None
                    return None
        raise FaultError("the device did not start in time")

    def send(self, **command: object) -> None:
        if self._line:
            try:
                self._line.sendall(json.dumps(command, ensure_ascii=False).encode() + b"\n")
            except OSError:  # it has ended, which read() says
                return

    def read(self) -> Any:
        """The next message; None: there will be no more."""
        try:
            line = self._file.readline() if self._file else b""
        except OSError:
            return None
        return json.loads(line) if line.endswith(b"\n") else None

    def wait(self) -> int:
        return self.process.wait()

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self._line:
            self._line.close()
        self._folder.cleanup()


def build_rung(
    toolchain: Toolchain, tools: LabTools, rung_id: str, call: tuple[Path, int], work: Path
) -> Target:
    """`call`: the rung's file, and the size of the call. Raises BuildError."""
    source, size = call
    if toolchain.device is None:
        raise FaultError("the toolchain has no device: build the cpu backend anew")
    for step in toolchain.steps:
        if step.name == "device":  # kernels as compiled, which no debugger can follow
            continue
        argv = step.filled(source=source, work=work, include=tools.include, calls=tools.calls)
        compile_step(argv, work)
    written = work / "written.ptx"
    return rung_target(
        tools.judge, rung_id, work / "worker", device=toolchain.device, written=written, size=size
    )
