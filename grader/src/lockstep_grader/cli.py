# SPDX-License-Identifier: MIT
"""The command line: its verbs are thin functions over the library; errors are caught here, once."""

import os
import sys
import traceback
from collections.abc import Sequence

import typer

from lockstep_grader.errors import ExitCode, LockstepError, system_error_line
from lockstep_grader.interrupts import interruption
from lockstep_grader.text import accept_all_text, one_line
from lockstep_grader.verbs import VerbGroup

# The base of typer's complaints about arguments; its module differs between typer's versions.
_ArgumentError: type[Exception] = next(
    base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException"
)

app = typer.Typer(
    cls=VerbGroup,
    callback=lambda: None,  # without one, typer wants verbs that are registered here
    help="Lockstep: labs for parallel algorithms in CUDA C++ that grade themselves.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def main(arguments: Sequence[str]) -> int:
    """Runs one command and returns the exit status of the process."""
    accept_all_text()
    interruption.heed()
    try:
        status = app(args=list(arguments) or ["--help"], prog_name="lab", standalone_mode=False)
        if status == ExitCode.INTERRUPTED:
            _complain("interrupted")
        return int(status or 0)
    except LockstepError as error:
        _complain(str(error))
        return error.exit_code
    except _ArgumentError as error:
        _complain(f"{error.format_message()} (./lab --help lists the commands)")  # type: ignore[attr-defined]
        return ExitCode.USAGE
    except (KeyboardInterrupt, typer.Abort):
        _complain("interrupted")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:  # the reader of our output left, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.FAULT
    except OSError as error:
        _complain(system_error_line(error))
        return ExitCode.FAULT
    except Exception:
        traceback.print_exc()
        _complain("this is a bug in the grader, not in a submission; please report it")
        return ExitCode.FAULT


def _complain(message: str) -> None:
    print(f"lab: {one_line(message)}", file=sys.stderr)
