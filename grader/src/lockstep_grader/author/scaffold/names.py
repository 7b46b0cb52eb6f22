# SPDX-License-Identifier: MIT
"""The names of a lab to be made, checked before anything is written."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import InputError

_LAB_ID = re.compile(r"(?P<number>\d\d)-(?P<slug>[a-z][a-z0-9]*(-[a-z0-9]+)*)")
_RUNG_NAME = re.compile(r"(?:\d\d_)?(?P<name>[a-z][a-z0-9]*(_[a-z0-9]+)*)")
# Words of C++, and names of CMake targets that are taken: a slug names a function and targets.
_WORDS = """
and auto bool break case catch char class concept const continue default delete do double else
enum explicit export extern false final float for friend goto if inline int lab long module
mutable namespace new not operator or private protected public register requires return short
signed sizeof static struct switch template this throw true try typedef typename union
unsigned using virtual void volatile while xor
anchors device host judge lockstep misbehaving std
"""
_TAKEN = frozenset(_WORDS.split())


@dataclass(frozen=True, slots=True)
class LabNames:
    id: str
    number: str
    slug: str  # with underscores: a function and a file
    title: str
    rungs: tuple[str, ...]  # with their numbers: 01_simple

    @property
    def suite(self) -> str:
        """The name of the tests: gtest allows no underscore."""
        return "".join(part.capitalize() for part in self.slug.split("_"))


def lab_names(workspace: Workspace, lab_id: str, title: str, rung_names: Sequence[str]) -> LabNames:
    """Names that fit and are free. Raises InputError for any that does not, or is not."""
    match = _LAB_ID.fullmatch(lab_id)
    if not match:
        raise InputError(
            f"{lab_id!r} is not a lab name: use two digits and words, as in 08-histogram"
        )
    number, slug = match["number"], match["slug"].replace("-", "_")
    if slug in _TAKEN:
        raise InputError(f"{slug!r} names something else already; choose another word")
    for folder in (workspace.labs, workspace.solutions):
        if (folder / lab_id).exists():
            raise InputError(f"{workspace.shown(folder / lab_id)} is there already")
    for lab in sorted(path.name for path in workspace.labs.glob("[0-9][0-9]-*")):
        if lab.startswith(f"{number}-"):
            raise InputError(f"number {number} is taken by {lab}")
        if lab.partition("-")[2].replace("-", "_") == slug:
            raise InputError(f"the name {slug} is taken by {lab}")
    words = match["slug"].replace("-", " ")
    shown = title or words[0].upper() + words[1:]
    if not shown.isprintable() or '"' in shown or "\\" in shown:
        raise InputError(
            f"{shown!r} is not a title: leave out quotes, backslashes and control characters"
        )
    return LabNames(lab_id, number, slug, shown, _numbered(rung_names))


def _numbered(names: Sequence[str]) -> tuple[str, ...]:
    found: list[str] = []
    for name in names:
        match = _RUNG_NAME.fullmatch(name)
        if not match:
            raise InputError(f"{name!r} is not a rung name: use words, as in warp_shuffle")
        if match["name"] in found:
            raise InputError(f"the rung {match['name']} is there twice")
        found.append(match["name"])
    if len(found) > 99:
        raise InputError("a lab has at most 99 rungs")
    return tuple(f"{index:02}_{name}" for index, name in enumerate(found, start=1))
