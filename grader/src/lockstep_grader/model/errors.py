# SPDX-License-Identifier: MIT
"""Errors that a person is expected to meet: one line each, naming the file and the next step."""

from collections.abc import Sequence
from enum import IntEnum


class ExitCode(IntEnum):
    """What the process reports to its caller."""

    FULL_MARKS = 0
    SHORT_OF_FULL_MARKS = 1
    USAGE = 2
    FAULT = 3
    INTERRUPTED = 130


class LockstepError(Exception):
    """Base of every expected error; caught once, in `cli.main`."""

    exit_code: ExitCode = ExitCode.FAULT


def system_error_line(error: OSError) -> str:
    """The operating system's error message, with the file."""
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason


class InputError(LockstepError):
    """The caller asked for something that does not exist or makes no sense."""

    exit_code = ExitCode.USAGE


class MistakesError(InputError):
    """Several mistakes in one file, each in a line of its own."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("; ".join(lines))
        self.lines = tuple(lines)


class SubmissionError(LockstepError):
    """A submission cannot be run at all, where running it was the point."""

    exit_code = ExitCode.SHORT_OF_FULL_MARKS


class FaultError(LockstepError):
    """The grader or the machine is at fault; never held against a submission."""


class InterruptedRunError(LockstepError):
    """Ctrl-C or SIGTERM; the children are gone and finished results are kept."""

    exit_code = ExitCode.INTERRUPTED
