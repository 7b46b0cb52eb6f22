# SPDX-License-Identifier: MIT
"""Text that reads differently in the students' copy: cut blocks, left labs, links that lead out.

The copy leaves out the text between a line with `release:cut` and one with `release:end`, in a
comment of any language. In Markdown, lines between `<!-- release:only` and `-->` are for the copy
alone: a comment in the repository, text in the copy.
"""

import posixpath
import re
from collections.abc import Sequence, Set

from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Lab

_END = {"cut": "release:end", "only": "-->"}
_LAB = re.compile(r"\b(?P<lab>\d\d-\w[\w-]*)(?P<rung>/\d\d[a-z]?_\w+)?")
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")


def without_cuts(path: str, text: str) -> str:
    """`text` without its cut blocks, and with the blocks that are for the copy alone.

    Raises InputError for a block that does not end.
    """
    kept: list[str] = []
    open_at, inside = 0, ""
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        if not inside and ("release:cut" in line or "release:only" in line):
            open_at, inside = number, "cut" if "release:cut" in line else "only"
        elif inside and _END[inside] in line:
            inside = ""
        elif inside != "cut":
            kept.append(line)
    if inside:
        raise InputError(f"{path}:{open_at}: a release:{inside} block that does not end")
    return "".join(kept)


def only_lab_folders(text: str, labs: Set[str]) -> str:
    """The editors' compile_flags.txt without the folder of any other lab."""
    kept = []
    for flag in text.splitlines(keepends=True):
        _, is_lab, lab = flag.strip().partition("/labs/")
        if not is_lab or lab in labs:
            kept.append(flag)
    return "".join(kept)


def fit_examples(text: str, left: Set[str], chosen: Sequence[Lab]) -> str:
    """Instructions whose examples are of a lab that the copy brings, not of one that is `left`."""
    example = chosen[0]

    def fitted(found: re.Match[str]) -> str:
        if found["lab"] not in left:
            return found[0]
        return f"{example.id}/{example.rungs[0].id}" if found["rung"] else example.id

    return _LAB.sub(fitted, text)


def fit_links(path: str, text: str, kept: Set[str]) -> str:
    """Markdown whose links to what is not in the copy are plain words."""

    def fitted(link: re.Match[str]) -> str:
        target = link["target"].partition("#")[0]
        if not target or "://" in target or target.startswith("mailto:"):
            return link[0]
        there = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        is_kept = there in kept or any(name.startswith(f"{there}/") for name in kept)
        return link[0] if is_kept else link["text"]

    return _LINK.sub(fitted, text)
