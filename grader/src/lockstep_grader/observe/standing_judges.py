# SPDX-License-Identifier: MIT
"""Judge processes that judge one rung after another.

A process that uses a GPU takes the driver 0.1 to 0.3 s to start and to end, and the driver of a
machine serves one process at a time, however many GPUs there are.
"""

import os
import socket
import tempfile
import threading
import time
import weakref
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from lockstep_grader.machine import gpus
from lockstep_grader.machine.process import Completed, Limits, Processes


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
        """Its run with these words as its command line, which may be its last."""
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
