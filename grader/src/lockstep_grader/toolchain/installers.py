# SPDX-License-Identifier: MIT
"""How pip is run, and why it or apt-get failed, in one line.

Standard library only: bootstrap.py uses it before there is any package.
"""

import importlib.util
import os
import re
import sys
import sysconfig
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TextIO

from lockstep_grader.machine.progress import Countdown
from lockstep_grader.model.compat import Self

# What pip wrote, and what it means; the first that fits. pip's own last line often names a symptom.
_CAUSES = (
    (r"No space left on device|Disk quota exceeded", "the disk is full: free 1 GB"),
    (
        r"ProxyError|Cannot connect to proxy|Tunnel connection failed|Proxy Authentication",
        "the proxy refuses: check HTTPS_PROXY",
    ),
    (
        r"CERTIFICATE_VERIFY_FAILED|SSLError",
        "the server's certificate is not trusted: name your network's in PIP_CERT",
    ),
    (
        r"NewConnectionError|NameResolutionError|Temporary failure in name resolution"
        r"|ConnectTimeoutError|Network is unreachable|Failed to establish a new connection"
        r"|ReadTimeoutError|IncompleteRead|Connection (?:reset|aborted|broken)",
        "the package server cannot be reached: connect this machine to the network",
    ),
    (r"Read-only file system", "the checkout is read-only: copy it to a folder of your own"),
    (r"Permission denied", "no permission to write: chown the checkout, or copy it"),
    (r"No module named pip", "it has no pip: remove .venv"),
)

_APT_CAUSES = (
    (r"No space left on device|don't have enough free space", "the disk is full: free 1 GB"),
    (
        r"Temporary failure resolving|Could not connect|Network is unreachable|Could not resolve",
        "the package server cannot be reached: connect this machine to the network",
    ),
    (r"Could not get lock", "another apt-get runs: wait for its end, then run again"),
)


def apt_cause(output: str) -> str:
    """Why apt-get failed and what to do about it, in one line."""
    for pattern, meaning in _APT_CAUSES:
        if re.search(pattern, output):
            return meaning
    return _last_line(output)


def bundled_pip() -> Path | None:
    """The wheel from which ensurepip installs pip: Python's own, or the distribution's."""
    own = importlib.util.find_spec("ensurepip")
    folders = [Path(own.origin).parent / "_bundled"] if own and own.origin else []
    folders += [Path(sysconfig.get_config_var("WHEEL_PKG_DIR") or "/usr/share/python-wheels")]
    return next((wheel for folder in folders for wheel in folder.glob("pip-*.whl")), None)


def pip_command(python: str, verb: str = "install") -> list[str]:
    return [python, "-m", "pip", verb, "--quiet", "--no-input", "--retries", "1"]


def pip_environment(env: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Our environment variables, except those that do not concern the new environment."""
    clean = {**env, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore"}
    clean.pop("PYTHONPATH", None)
    return clean


def pip_cause(output: str) -> str:
    """Why pip failed and what to do about it, in one line."""
    for pattern, meaning in _CAUSES:
        if re.search(pattern, output):
            return meaning
    return _last_line(output)


def _last_line(output: str) -> str:
    """The last error, or the last line where none is called one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("ERROR:", "E: "))]
    return (errors or lines or ["no output"])[-1]


_PLAIN_SECONDS = 10.0  # between two lines where they cannot be redrawn
_CLEAR = "\r\x1b[K"


class FetchLine:
    """Megabytes there, megabytes in all, and an estimate of the time left that only falls."""

    def __init__(self, what: str, total: int, started: float, stream: TextIO | None = None) -> None:
        self._what, self._total, self._started = what, total, started
        self._stream = stream or sys.stderr
        self._countdown = Countdown()
        self._first: int | None = None
        self._last = time.monotonic()

    def show(self, done: int) -> None:
        now = time.monotonic()
        line = self.text(min(done, self._total), now)
        if self._stream.isatty():
            print(f"{_CLEAR}{line}", end="", file=self._stream, flush=True)
        elif now - self._last >= _PLAIN_SECONDS:
            self._last = now
            print(line, file=self._stream, flush=True)

    def text(self, done: int, now: float) -> str:
        line = f"lab: {self._what}: {done} of {self._total} MB"
        if done == self._total:
            return f"{line}, unpacking"
        if self._first is None:
            self._first = done  # there from an earlier start
        fetched, wanted = done - self._first, self._total - self._first
        left = self._countdown.left(now - self._started, fetched, wanted)
        return line if left is None else f"{line}, {left:.0f} s left"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._stream.isatty():
            print(_CLEAR, end="", file=self._stream, flush=True)
