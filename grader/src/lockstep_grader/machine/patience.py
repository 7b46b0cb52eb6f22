# SPDX-License-Identifier: MIT
"""How long the grader waits for a rung: a factor on its time limits."""

import os

from lockstep_grader.model.errors import InputError

VARIABLE = "LOCKSTEP_PATIENCE"
_MIN, _MAX = 0.1, 100.0


def patience() -> float:
    """The factor that the instructor set for a slow machine, or 1. Raises InputError."""
    said = os.environ.get(VARIABLE, "")
    if not said:
        return 1.0
    try:
        factor = float(said)
    except ValueError:
        factor = 0.0
    if not _MIN <= factor <= _MAX:
        raise InputError(
            f"{VARIABLE} is {said!r}; set it to a factor of the time limits, {_MIN:g} to {_MAX:g}"
        )
    return factor
