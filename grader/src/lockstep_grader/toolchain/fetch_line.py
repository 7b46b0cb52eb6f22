# SPDX-License-Identifier: MIT
"""The progress of a download: one line on a terminal, a line every few seconds elsewhere."""

import sys
import time
from types import TracebackType
from typing import TextIO

from lockstep_grader.machine.progress import Countdown
from lockstep_grader.model.compat import Self

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
