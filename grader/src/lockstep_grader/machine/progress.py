# SPDX-License-Identifier: MIT
"""What is going on, on stderr: a bar on a terminal, a few plain lines anywhere else."""

import math
import os
import sys
import threading
import time
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
)
from rich.text import Text

from lockstep_grader.model.compat import Self

_PLAIN_SECONDS = 2.0  # before the first plain line of a stage
_FETCH_SECONDS = 10.0  # between two plain lines about something that is fetched
_CLEAR = "\r\x1b[K"
_MOST_TOO_LOW, _SLACK_SECONDS = 2.0, 5.0  # a time left that is further off is not shown
_PLAIN_SHARE = 0.05  # of the time so far, between two of them: a long run has few lines


class Stage(Protocol):
    """One counted stretch of work."""

    def advance(self, done: int, total: int, label: str = "") -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> None: ...


class Countdown:
    """The time left of a stretch of work, from how far it is: an estimate that only falls.

    Steps differ in length, so that the plain estimate rises again and again. This one waits until
    the work has caught up with it. Where that would take long, it says nothing, not "nearly done".
    """

    def __init__(self) -> None:
        self._end = math.inf  # on the stage's own clock

    def left(self, elapsed: float, done: int, total: int) -> float | None:
        """Seconds; None as long as nothing is done, or if the estimate was far too low."""
        if not done:
            return None
        plain_end = elapsed / done * total
        self._end = min(self._end, plain_end)
        left = max(self._end - elapsed, 0.0)
        return left if plain_end - elapsed <= _MOST_TOO_LOW * left + _SLACK_SECONDS else None


class _LeftColumn(ProgressColumn):
    def __init__(self) -> None:
        super().__init__()
        self._countdown = Countdown()

    def render(self, task: Task) -> Text:
        elapsed, total = task.elapsed or 0.0, int(task.total or 0)
        left = self._countdown.left(elapsed, int(task.completed), total)
        return Text(_left(left), "progress.remaining")


def stage(title: str, stream: TextIO | None = None) -> Stage:
    """A stage called `title`; use it in a `with` and call `advance` as it goes."""
    stream = stream or sys.stderr
    return _BarStage(title, stream) if stream.isatty() else _PlainStage(title, stream)


class _BarStage:
    def __init__(self, title: str, stream: TextIO) -> None:
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            _LeftColumn(),
            TextColumn("{task.fields[label]}", markup=False),
            console=Console(file=stream),
            transient=True,
        )
        self._task = self._progress.add_task(title, total=None, label="")

    def advance(self, done: int, total: int, label: str = "") -> None:
        self._progress.update(self._task, completed=done, total=total, label=label)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> None:
        self._progress.stop()


class _PlainStage:
    def __init__(self, title: str, stream: TextIO) -> None:
        self._title, self._stream = title, stream
        self._started = self._last = time.monotonic()
        self._done = self._total = 0
        self._countdown = Countdown()

    def advance(self, done: int, total: int, label: str = "") -> None:
        self._done, self._total = done, total
        now = time.monotonic()
        elapsed = now - self._started
        remaining = self._countdown.left(elapsed, done, total)
        if now - self._last >= max(_PLAIN_SECONDS, elapsed * _PLAIN_SHARE):
            self._last = now
            left = _left(remaining) if done < total else ""
            self._say(", ".join(filter(None, (self._counted(), left, label))))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> None:
        seconds = time.monotonic() - self._started
        if kind is None and seconds >= _PLAIN_SECONDS:
            self._say(f"{self._counted()}, {_spoken(seconds)}")

    def _counted(self) -> str:
        return f"{self._title}: {self._done} of {self._total}" if self._total else self._title

    def _say(self, line: str) -> None:
        print(line, file=self._stream, flush=True)


def _left(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"about {_spoken(seconds)} left" if seconds >= 1 else "nearly done"


def _spoken(seconds: float) -> str:
    """A length of time, rounded to what an estimate can give."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


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
        elif now - self._last >= _FETCH_SECONDS:
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
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> None:
        if self._stream.isatty():
            print(_CLEAR, end="", file=self._stream, flush=True)


@contextmanager
def said_if_slow(line: str, seconds: float = 3.0) -> Iterator[None]:
    """Says `line` if the block takes longer than that."""
    timer = threading.Timer(seconds, say, [line])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def say(line: str) -> None:
    """One plain line of news on stderr."""
    Console(stderr=True, highlight=False).print(Text(line), soft_wrap=True)


def tell_of_page(what: str, page: Path, opens: bool) -> None:
    """Says where a page is: as a link in a terminal, as a path where a program may read it."""
    say(f"{what}: {page.absolute().as_uri() if os.isatty(2) else page}")
    if opens:
        open_page(page)


def open_page(page: Path) -> None:
    """In the browser, if there is one."""
    link = page.absolute().as_uri()
    if not webbrowser.open(link):
        say(f"no browser opens here; the address of the page: {link}")
