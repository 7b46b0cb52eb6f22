# SPDX-License-Identifier: MIT
"""`python -m lockstep_grader`, or this file itself, which is what the `lab` launcher runs.

Running it by its path keeps files in the caller's folder from shadowing a module. -P would do the
same, but Python 3.10 lacks it. Standard library only: any package may be the one that is missing.
"""

import os
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[3]


def open_streams() -> None:
    """Gives /dev/null to a stream that `>&-` closed: the next file would take its number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
            setattr(sys, name, open(number, "w" if number else "r"))  # noqa: SIM115


def complain_of_missing(error: ModuleNotFoundError, venv: Path = _ROOT / ".venv") -> int:
    """Names the module in one line; a .venv without it is made anew at the next start."""
    from lockstep_grader.model.errors import ExitCode

    if (error.name or "").startswith("lockstep_grader"):
        raise error  # ours is not a package that can be installed
    if Path(sys.prefix) == venv:
        (venv / "installed.txt").unlink(missing_ok=True)
        next_step = "run the same command again: it makes .venv anew"
    else:
        next_step = f"run: {sys.executable} -m pip install -r grader/requirements.txt"
    print(f"lab: {sys.prefix} lacks {error.name}; {next_step}", file=sys.stderr)
    return ExitCode.FAULT


def _run() -> int:
    try:
        from lockstep_grader.cli.main import main

        return main(sys.argv[1:])
    except ModuleNotFoundError as error:
        return complain_of_missing(error)


if __name__ == "__main__":
    if not __package__:  # run by its path, and that folder holds modules named like the library's
        sys.path[0] = sys.path[0].rpartition("/")[0]
    open_streams()
    sys.exit(_run())
