# SPDX-License-Identifier: MIT
"""The command line: its verbs are thin functions over the library; errors are caught here, once."""

import contextlib
import os
import sys
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from lockstep_grader import __version__
from lockstep_grader.cli.verbs import VerbGroup
from lockstep_grader.machine.process import interruption
from lockstep_grader.model.errors import ExitCode, LockstepError, MistakesError, system_error_line
from lockstep_grader.model.text import accept_all_text, one_line

if TYPE_CHECKING:
    from lockstep_grader.toolchain.nvcc_setup import Installation

# The base of typer's complaints about arguments; its module differs between typer's versions.
ArgumentError: type[Exception] = next(
    base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException"
)

app = typer.Typer(
    cls=VerbGroup,
    help="Lockstep: labs for parallel algorithms in CUDA C++ that grade themselves.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

# The verbs that can use NVIDIA's compiler, or show that it is there.
_NVCC_VERBS = frozenset(
    {"bench", "check", "class", "doctor", "grade", "lint", "profile", "test", "watch"}
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"lockstep {__version__}")
        raise typer.Exit


@app.callback()
def before_each_verb(
    ctx: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    nvcc: Annotated[
        bool | None,
        typer.Option(
            "--nvcc/--no-nvcc",
            help="Fetch NVIDIA's compiler where there is none (129 MB), or do without; remembered.",
            show_default=False,
        ),
    ] = None,
    install: Annotated[
        bool,
        typer.Option(
            "--install/--no-install",
            help="As root: install missing system packages, or only name the command for them.",
        ),
    ] = True,
) -> None:
    if not install:
        os.environ["LOCKSTEP_INSTALL"] = "off"  # for the commands that we start, too
    del version  # its callback has dealt with it
    verb = ctx.invoked_subcommand
    if ctx.obj.asks_for_help or (nvcc is None and verb not in _NVCC_VERBS):
        return
    from lockstep_grader.toolchain.nvcc_setup import begin  # takes long to import

    under_way = begin(nvcc, fetch=verb != "doctor")
    if under_way and nvcc:
        under_way.finish()
    else:
        ctx.obj.nvcc = under_way


class _Start:
    """One command."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.asks_for_help = "--help" in arguments
        self.nvcc: Installation | None = None  # in progress while the verb runs


def main(arguments: Sequence[str]) -> int:
    """Runs one command and returns the exit status of the process."""
    accept_all_text()
    interruption.listen()
    try:
        start = _Start(arguments)
        words = list(arguments) or ["--help"]
        status = app(args=words, prog_name="lab", standalone_mode=False, obj=start)
        if start.nvcc:
            start.nvcc.finish()
        if status == ExitCode.INTERRUPTED:
            _complain("interrupted")
        sys.stdout.flush()  # here a full disk or a reader that left is still reported
        return int(status or 0)
    except LockstepError as error:
        for line in error.lines if isinstance(error, MistakesError) else [str(error)]:
            _complain(line)
        return error.exit_code
    except ArgumentError as error:
        _complain(_usage_line(error))
        return ExitCode.USAGE
    except (KeyboardInterrupt, typer.Abort):
        _complain("interrupted")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:  # the reader of our output left, as `head` does
        _drop_output()
        return ExitCode.FAULT
    except OSError as error:
        _complain(system_error_line(error))
        _drop_output()
        return ExitCode.FAULT
    except ModuleNotFoundError:
        raise  # __main__ names the package that is missing
    except Exception:
        traceback.print_exc()
        _complain("this is a bug in the grader, not in a submission; please report it")
        return ExitCode.FAULT


def _drop_output() -> None:
    """Python writes what is left of it at the end, and must not fail a second time."""
    with contextlib.suppress(OSError, ValueError):  # a stream of a test has no number
        sys.stdout.flush()
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _usage_line(error: Exception) -> str:
    """What is wrong with the arguments, and where the right ones are described."""
    said = error.format_message()  # type: ignore[attr-defined]
    said = said.replace("Value error, ", "").replace("valid int range", "whole number")
    context = getattr(error, "ctx", None)
    if context is None or context.parent is None:
        return f"{said} (./lab --help lists the commands)"
    option = getattr(error, "option_name", "")
    if any(option in (*each.opts, *each.secondary_opts) for each in context.parent.command.params):
        verb = f"{context.parent.command_path} {option} {context.command.name}"
        return f"{option} comes before the name of the command: ./{verb} ..."
    return f"{said} (./{context.command_path} --help describes the arguments)"


def _complain(message: str) -> None:
    print(f"lab: {one_line(message)}", file=sys.stderr)
