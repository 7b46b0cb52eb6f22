# SPDX-License-Identifier: MIT
"""The labs of this repository, and how a person may name one."""

import difflib
from collections.abc import Iterable, Sequence

from lockstep_grader.intake.labfile import read_lab
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import Lab, Rung

_MAX_GUESSES = 3


def read_labs(workspace: Workspace) -> tuple[Lab, ...]:
    """Every lab of labs/, in order. Raises FaultError when there is none or one is malformed."""
    files = sorted(workspace.labs.glob("*/lab.toml"))
    if not files:
        raise FaultError(f"{workspace.labs} contains no lab: is this a whole checkout?")
    return tuple(read_lab(file) for file in files)


def find_lab(labs: Iterable[Lab], name: str) -> Lab:
    """The lab called `name`: its id, its slug, its number, or the start of one lab's id or slug."""
    known = tuple(labs)
    names = [(lab.id, lab.slug, lab.id.split("-")[0]) for lab in known]
    return known[_position("lab", name, names)]


def find_rung(lab: Lab, name: str) -> Rung:
    """The rung called `name`: its id, its name without the number, its number, or the start of one.

    A start must be no other rung's.
    """
    names = []
    for rung in lab.rungs:
        number, _, rest = rung.id.partition("_")
        names.append((rung.id, rest, number))
    return lab.rungs[_position(f"rung of {lab.id}", name.removesuffix(".cu"), names)]


def find_target(labs: Iterable[Lab], target: str) -> tuple[Lab, tuple[Rung, ...]]:
    """What LAB[/RUNG] names; a path as the shell completes it, labs/LAB/RUNG.cu, will do."""
    lab_name, _, rung_name = target.removeprefix("labs/").strip("/").partition("/")
    lab = find_lab(labs, lab_name)
    return lab, (find_rung(lab, rung_name),) if rung_name else lab.rungs


def _position(what: str, name: str, known: Sequence[tuple[str, ...]]) -> int:
    """Which of the `known` is called so, by whole names first. Raises InputError for none."""
    for position, names in enumerate(known):
        if name in names:
            return position
    begun = [
        position
        for position, names in enumerate(known)
        if name and any(each.startswith(name) for each in names)
    ]
    if len(begun) == 1:
        return begun[0]
    ids = [names[0] for names in known]
    close = difflib.get_close_matches(name, ids, n=1, cutoff=0.5)
    if 0 < len(begun) <= _MAX_GUESSES:
        guess = f"is it {' or '.join(ids[position] for position in begun)}?"
    elif close:
        guess = f"did you mean {close[0]}?"
    else:
        guess = f"there are: {', '.join(ids)}"
    raise InputError(f"there is no {what} called {name!r}; {guess}")
