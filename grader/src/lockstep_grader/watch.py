# SPDX-License-Identifier: MIT
"""`watch`: checks again on every save."""

from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.text import Text

from lockstep_grader.errors import FaultError, InterruptedRunError, LockstepError
from lockstep_grader.interrupts import interruption


def watch(console: Console, folder: Path, check_once: Callable[[], None]) -> None:
    """Runs `check_once` now and after each change of a .cu or .cuh file in `folder`.

    Ends with Ctrl-C. An error of one round is shown, and the next save tries again.
    """
    try:
        from watchfiles import watch as changes
    except ImportError as error:
        raise FaultError("watch needs the Python package watchfiles; see ./lab doctor") from error

    _round(console, check_once)
    try:
        for _ in changes(folder, watch_filter=_is_source, stop_event=interruption):
            _round(console, check_once)
    except KeyboardInterrupt:
        return


def _is_source(change: object, path: str) -> bool:
    return path.endswith((".cu", ".cuh"))


def _round(console: Console, check_once: Callable[[], None]) -> None:
    console.clear()
    try:
        check_once()
    except InterruptedRunError:
        raise KeyboardInterrupt from None
    except LockstepError as error:
        console.print(Text(str(error), "red"))
    console.print(Text("\nwaiting for the next save; Ctrl-C ends", "dim"))
