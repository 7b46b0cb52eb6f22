# SPDX-License-Identifier: MIT
"""What a start needs: its three streams, and packages. Standard library only: any package may be
the one that is missing.
"""

import os
import sys
from pathlib import Path

from lockstep_grader.model.errors import ExitCode

_ROOT = Path(__file__).parents[4]


def open_streams() -> None:
    """Gives /dev/null to a stream that `>&-` closed: the next file would take its number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
            setattr(sys, name, open(number, "w" if number else "r"))  # noqa: SIM115


def complain_of_missing(error: ModuleNotFoundError, venv: Path = _ROOT / ".venv") -> ExitCode:
    """Names the module in one line; a .venv without it is made anew at the next start."""
    if (error.name or "").startswith("lockstep_grader"):
        raise error  # ours is not a package that can be installed
    if Path(sys.prefix) == venv:
        (venv / "installed.txt").unlink(missing_ok=True)
        next_step = "run the same command again: it makes .venv anew"
    else:
        next_step = f"run: {sys.executable} -m pip install -r grader/requirements.txt"
    print(f"lab: {sys.prefix} lacks {error.name}; {next_step}", file=sys.stderr)
    return ExitCode.FAULT
