# SPDX-License-Identifier: MIT
"""Child processes: each in its own group, under limits, and gone when we are done with it.

Ctrl-C and other signals to end: handled once, and never lost.
"""

import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from lockstep_grader.model.errors import FaultError, InputError, InterruptedRunError

VARIABLE = "LOCKSTEP_PATIENCE"
_MIN, _MAX = 0.1, 100.0
_VMSTAT = Path("/proc/vmstat")


def patience() -> float:
    """The factor that the instructor set for a slow machine, or 1. Raises InputError."""
    said = os.environ.get(VARIABLE, "")
    if not said:
        return 1.0
    try:
        factor = float(said)
    except ValueError:
        factor = 0.0
    if not _MIN <= factor <= _MAX:
        raise InputError(
            f"{VARIABLE} is {said!r}; set it to a factor of the time limits, {_MIN:g} to {_MAX:g}"
        )
    return factor


def is_off(variable: str) -> bool:
    """Whether the variable of the environment says off. Raises InputError where it says more."""
    said = os.environ.get(variable, "")
    if said not in ("", "off"):
        raise InputError(f"{variable} is {said!r}; set it to off, or do not set it")
    return said == "off"


# Asks the kernel to end the child when we are killed ourselves, where util-linux is there.
_DIE_WITH_PARENT = ("setpriv", "--pdeathsig", "KILL", "--") if shutil.which("setpriv") else ()
_POLL_SECONDS = 0.02
_LIMIT = """ulimit -c 0
[ "$1" = 0 ] || ulimit -f "$1"
[ "$2" = 0 ] || ulimit -v "$2"
[ "$3" = 0 ] || ulimit -S -t "$3"
shift 3
exec "$@"
"""


@dataclass(frozen=True, slots=True)
class Limits:
    seconds: float
    memory_bytes: int = 0  # address space of each process; 0: no limit
    file_bytes: int = 0  # the largest file it may write, its captured output included; 0: no limit
    output_bytes: int = 64 << 10  # how much of its output we keep
    cpu_seconds: int = 0  # processor time of each process; 0: no limit


@dataclass(frozen=True, slots=True)
class Completed:
    returncode: int
    output: str  # stdout and stderr together
    timed_out: bool
    seconds: float


class Processes:
    """Starts children and can end them all, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[int] = set()
        self._cancelled = False

    def run(self, argv: Sequence[str], limits: Limits, cwd: Path) -> Completed:
        """Runs `argv` to its end or its time limit, in a new session.

        Raises FaultError when the program cannot be started, InterruptedRunError after `cancel`.
        """
        _find(argv[0])
        started = time.monotonic()
        with tempfile.TemporaryFile() as capture:
            words = (*_limited(limits), *_DIE_WITH_PARENT, *argv)
            child = self._start(words, cwd, subprocess.DEVNULL, capture.fileno())
            timed_out = True
            try:
                timed_out = not _ends_within(child.pid, limits.seconds)
            finally:
                self.end(child)
            self.check()
            capture.seek(0)
            output = capture.read(limits.output_bytes).decode("utf-8", "replace")
        return Completed(child.returncode, output, timed_out, time.monotonic() - started)

    def cancel(self) -> None:
        """Ends every child; a caller that waits for one gets InterruptedRunError."""
        with self._lock:  # or one of them could end, and its number be another's
            self._cancelled = True
            for pid in self._running:
                _kill_tree(pid)

    def start(
        self, argv: Sequence[str], cwd: Path, stdin: int, output: int
    ) -> subprocess.Popen[bytes]:
        """Starts `argv` in a new session, to run until `end` is called.

        It has to end by itself when we have gone and its `stdin` is closed. (The kernel could only
        tie it to the thread that starts it.) Raises FaultError and InterruptedRunError as `run`.
        """
        _find(argv[0])
        return self._start((*_limited(Limits(seconds=0)), *argv), cwd, stdin, output)

    def check(self) -> None:
        """Raises InterruptedRunError after `cancel`."""
        if self._cancelled:
            raise InterruptedRunError("interrupted")

    def _start(
        self, words: Sequence[str], cwd: Path, stdin: int, output: int
    ) -> subprocess.Popen[bytes]:
        with self._lock:
            self.check()
            child = subprocess.Popen(
                words,
                cwd=cwd,
                stdin=stdin,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._running.add(child.pid)
        return child

    def ends_within(self, child: subprocess.Popen[bytes], seconds: float) -> bool:
        """Waits for the end of a child, at most so long; `end` is still to be called."""
        return _ends_within(child.pid, seconds)

    def end(self, child: subprocess.Popen[bytes]) -> None:
        """Ends what is left of the child. Its number stays its own until it is waited for."""
        if _ends_within(child.pid, 0):
            _kill_group(child.pid)  # what it may have left behind
        else:
            _kill_tree(child.pid)
        with self._lock:
            self._running.discard(child.pid)
        child.wait()


def captured(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Stdout and stderr together in `stdout`. Raises FaultError when the tool is missing."""
    try:
        return subprocess.run(
            argv,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    except OSError as error:
        raise FaultError(f"cannot run {argv[0]}: {error.strerror}; see ./lab doctor") from error


def output_of(argv: Sequence[str], seconds: float = 30) -> str:
    """What a program of the system prints; empty where it does not run, or fails."""
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, errors="replace", timeout=seconds
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def _find(program: str) -> None:
    if shutil.which(program) is None:
        raise FaultError(f"cannot run {program}: no such program; ./lab doctor says what to do")


def _limited(limits: Limits) -> tuple[str, ...]:
    """The words before a program that put it under limits."""
    numbers = (limits.file_bytes // 512, limits.memory_bytes // 1024, limits.cpu_seconds)
    return ("/bin/sh", "-c", _LIMIT, "sh", *map(str, numbers))


def _ends_within(pid: int, seconds: float) -> bool:
    """Waits for the end of a child, at most so long, and leaves the child to be waited for."""
    try:
        process = os.pidfd_open(pid)
    except OSError:  # an old kernel, or a container that forbids it: look again and again
        deadline = time.monotonic() + seconds
        while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_SECONDS)
        return True
    try:
        end = select.poll()
        end.register(process, select.POLLIN)
        return bool(end.poll(seconds * 1000))
    finally:
        os.close(process)


def _kill_tree(pid: int) -> None:
    """Kills `pid`, its group, and descendants that moved to groups of their own."""
    descendants = _descendants(pid)
    _kill_group(pid)
    for descendant in descendants:
        _kill(descendant)


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def _descendants(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # pid (name) state parent ...; a name may hold spaces and brackets
            parent = int(stat.read_text("utf-8", "replace").rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    found: list[int] = []
    queue = [pid]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found


def kills_for_memory() -> int:
    """How many processes the kernel has ended to have their memory, since the machine started."""
    try:
        counted = re.search(r"^oom_kill (\d+)$", _VMSTAT.read_text("ascii"), re.MULTILINE)
    except OSError:
        return 0
    return int(counted[1]) if counted else 0


_NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interruption:
    """Whether a person or a program wants this process to end.

    The KeyboardInterrupt that says so can get lost, as Python drops what is raised in a `__del__`
    or a weak reference's callback; `is_set` stays.
    """

    def __init__(self) -> None:
        self._is_set = False
        self._tell: Callable[[], None] | None = None

    def is_set(self) -> bool:  # watchfiles asks for it, see student/check.py
        return self._is_set

    def listen(self, *numbers: signal.Signals) -> None:
        """From now on these signals, all by default, raise KeyboardInterrupt in the main thread."""
        self._is_set = False
        for number in numbers or _NUMBERS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup: it does not end us
                signal.signal(number, self._hear)

    @contextmanager
    def calling(self, tell: Callable[[], None]) -> Iterator[None]:
        """Within, an interruption calls `tell`, at any point, and KeyboardInterrupt has to wait."""
        self._tell = tell
        try:
            if self._is_set:
                tell()
            yield
        finally:
            self._tell = None
        if self._is_set:
            raise KeyboardInterrupt

    def _hear(self, number: int, frame: FrameType | None) -> None:
        """Once is enough: a second signal must not break off the tidying that the first began."""
        for other in _NUMBERS:
            signal.signal(other, signal.SIG_IGN)
        self._is_set = True
        if self._tell is None:
            raise KeyboardInterrupt
        self._tell()


interruption = Interruption()  # signals are the whole process's
