# SPDX-License-Identifier: MIT
"""`watch`: checks again on every save."""

from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.text import Text

from lockstep_grader.machine.interrupts import interruption
from lockstep_grader.model.errors import FaultError, InterruptedRunError, LockstepError

_UNTIL_FIRST_MS = 100  # by then saves are noticed, and the first round may begin


def watch(console: Console, folder: Path, check_once: Callable[[], None]) -> None:
    """Runs `check_once` now and after each change of a .cu or .cuh file in `folder`.

    A save during a round brings another. An error of one round is shown, and the next save tries
    again. Ends with Ctrl-C.
    """
    try:
        from watchfiles import watch as changes
    except ImportError as error:
        raise FaultError("watch needs the Python package watchfiles; see ./lab doctor") from error

    saves = changes(
        folder,
        watch_filter=_is_source,
        stop_event=interruption,
        rust_timeout=_UNTIL_FIRST_MS,
        yield_on_timeout=True,
    )
    is_first = True
    try:
        for saved in saves:
            if saved or is_first:
                _round(console, check_once)
            is_first = False
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
