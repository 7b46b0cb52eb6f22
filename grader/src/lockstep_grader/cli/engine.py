# SPDX-License-Identifier: MIT
"""--engine, which no page of --help shows: on which of its two engines the cpu backend runs.

It is read here and not by each verb, as it goes when the emulator goes.
"""

import os
from collections.abc import Sequence

from lockstep_grader.model.errors import InputError

_OPTION = "--engine"


def without_engine(arguments: Sequence[str]) -> list[str]:
    """`arguments` without the option, which goes to the environment. Raises InputError."""
    words = iter(arguments)
    kept = []
    for word in words:
        name, equals, value = word.partition("=")
        if name == _OPTION:
            value = value if equals else next(words, "")
            if not value:
                raise InputError(f"{_OPTION} needs a value")
            from lockstep_grader.machine.workspace import ENGINE, engine_of  # --help is quick

            os.environ[ENGINE] = engine_of(value)
            continue
        kept.append(word)
        if word == "--":  # what follows is a program's own
            kept += words
    return kept
