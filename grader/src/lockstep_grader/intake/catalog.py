# SPDX-License-Identifier: MIT
"""The labs of this repository, and how a person may name one."""

import difflib
from collections.abc import Iterable

from lockstep_grader.intake.labfile import read_lab
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import Lab, Rung


def read_labs(workspace: Workspace) -> tuple[Lab, ...]:
    """Every lab of labs/, in order. Raises FaultError when there is none or one is malformed."""
    files = sorted(workspace.labs.glob("*/lab.toml"))
    if not files:
        raise FaultError(f"{workspace.labs} contains no lab: is this a whole checkout?")
    return tuple(read_lab(file) for file in files)


def find_lab(labs: Iterable[Lab], name: str) -> Lab:
    """The lab called `name`: its id, its slug or its number."""
    known = tuple(labs)
    for lab in known:
        if name in (lab.id, lab.slug, lab.id.split("-")[0]):
            return lab
    raise InputError(_unknown("lab", name, [lab.id for lab in known]))


def find_rung(lab: Lab, name: str) -> Rung:
    """The rung called `name`: its id, its name without the number, or its number."""
    stem = name.removesuffix(".cu")
    for rung in lab.rungs:
        number, _, rest = rung.id.partition("_")
        if stem in (rung.id, rest, number):
            return rung
    raise InputError(_unknown(f"rung of {lab.id}", name, [rung.id for rung in lab.rungs]))


def find_target(labs: Iterable[Lab], target: str) -> tuple[Lab, tuple[Rung, ...]]:
    """What LAB[/RUNG] names; a path as the shell completes it, labs/LAB/RUNG.cu, will do."""
    lab_name, _, rung_name = target.removeprefix("labs/").strip("/").partition("/")
    lab = find_lab(labs, lab_name)
    return lab, (find_rung(lab, rung_name),) if rung_name else lab.rungs


def _unknown(what: str, name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    guess = f"did you mean {close[0]}?" if close else f"there are: {', '.join(known)}"
    return f"there is no {what} called {name!r}; {guess}"
