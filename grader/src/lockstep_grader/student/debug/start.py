# SPDX-License-Identifier: MIT
"""Starts gdb on a program that was built for debugging."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lockstep_grader.machine.progress import say
from lockstep_grader.student.program.run import Checks
from lockstep_grader.toolchain.description import Step

_SETUP = Path(__file__).parent / "inside" / "setup.py"
_BEGIN = "run stops at the first finding, break KERNEL in a kernel; docs/debugging.md has more"

# The hooks at the beginning and the end of each function: gdb would stop in front of the first, and
# the second needs the first.
_HOOKS = frozenset({"-pg", "-mfentry", "-mfunction-return=thunk-extern"})


def for_debugging(steps: Mapping[str, Step]) -> Mapping[str, Step]:
    """The same program with every variable in memory, and described to gdb."""

    def changed(step: Step) -> Step:
        kept = (word for word in step.argv if word not in _HOOKS)
        return replace(step, argv=(*kept, "-O0", "-g"))

    return {
        name: changed(step) if name.startswith("compile") else step for name, step in steps.items()
    }


def run_gdb(
    gdb: str,
    program: Path,
    arguments: Sequence[str],
    options: Sequence[str],
    common: Path,
    source: Path,
    seed: int = 0,
    checks: Checks = Checks.ALL,
    before: Sequence[str] = (),
) -> int:
    """gdb's exit code. `options` are gdb's own; the words `before` start it."""
    env = {
        **os.environ,
        "LOCKSTEP_DEBUG_COMMON": str(common),
        "LOCKSTEP_DEBUG_SOURCE": str(source),
        "LOCKSTEP_SEED": str(seed),
        "LOCKSTEP_CHECKS": checks,
        "LOCKSTEP_REPORT": os.devnull,  # the program need not print what it stops at
        "DEBUGINFOD_URLS": "",
    }
    argv = [*before, gdb, "-q", "-iex", "set debuginfod enabled off", "-x", str(_SETUP), *options]
    if not options:  # a person meets a bare prompt
        say(_BEGIN)
    # Ctrl-C is gdb's: it stops the program, and ends neither of us.
    earlier = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        done = subprocess.run(
            [*argv, "--args", str(program), *arguments], env=env, close_fds=not before
        )
    finally:
        signal.signal(signal.SIGINT, earlier)
    return done.returncode
