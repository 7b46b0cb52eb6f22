# SPDX-License-Identifier: MIT
"""A control group of Linux (version 2) that is ours to divide, so that the kernel limits memory.

systemd delegates one on request: `systemd-run --user --scope -p Delegate=yes ./lab grade ...`. A
group with processes cannot limit groups below it, so ours move to one of their own. The judge makes
a group for each worker (common/judge/process/memory_group.h).
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.model.errors import InputError

VARIABLE = "LOCKSTEP_MEMORY_GROUP"  # the judge reads it; set beforehand, it names a prepared group
DELEGATE = "systemd-run --user --scope -p Delegate=yes ./lab grade"
_OWN = "lockstep"  # the group of the grader's own processes


@dataclass(frozen=True, slots=True)
class NoMemoryGroup:
    """Why there is none here, on one line."""

    reason: str


def find_memory_group(
    proc: Path = Path("/proc"), root: Path = Path("/sys/fs/cgroup")
) -> Path | NoMemoryGroup:
    """The group to divide, as it is: use_memory_group() prepares it."""
    if given := os.environ.get(VARIABLE):
        problem = _problem_of(Path(given))
        return NoMemoryGroup(f"{VARIABLE} names {given}, {problem}") if problem else Path(given)
    own = _own_group(proc, root)
    if own is None:
        return NoMemoryGroup("this system has no control groups of version 2 for memory")
    group = own.parent if own.name == _OWN else own
    if not _is_delegated(group):
        return NoMemoryGroup(f"no control group is delegated; {DELEGATE} requests one")
    return group


def use_memory_group(
    proc: Path = Path("/proc"), root: Path = Path("/sys/fs/cgroup")
) -> Path | NoMemoryGroup:
    """Prepares the group, and has every judge that starts from now on use it.

    Raises InputError for a group that was named and cannot be used.
    """
    group = find_memory_group(proc, root)
    is_named = bool(os.environ.get(VARIABLE))
    if is_named and isinstance(group, NoMemoryGroup):
        raise InputError(f"{group.reason}; prepare such a group, or unset {VARIABLE}")
    if is_named or isinstance(group, NoMemoryGroup):
        return group
    try:
        (group / _OWN).mkdir(exist_ok=True)
        for pid in _words(group / "cgroup.procs"):
            with suppress(ProcessLookupError):  # it has ended meanwhile
                (group / _OWN / "cgroup.procs").write_text(pid)
        (group / "cgroup.subtree_control").write_text("+memory")
    except OSError as error:
        return NoMemoryGroup(f"{group} cannot be divided: {error.strerror}")
    os.environ[VARIABLE] = os.fspath(group)
    return group


def _problem_of(group: Path) -> str:
    if not group.is_dir():
        return "which is no folder"
    if "memory" not in _words(group / "cgroup.subtree_control"):
        return "whose cgroup.subtree_control lacks memory"
    return "" if os.access(group, os.W_OK) else "which you may not write to"


def _own_group(proc: Path, root: Path) -> Path | None:
    try:
        lines = (proc / "self/cgroup").read_text("utf-8").splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("0::"):
            own = root / line[3:].lstrip("/")
            return own if "memory" in _words(own / "cgroup.controllers") else None
    return None


def _is_delegated(group: Path) -> bool:
    """As systemd marks it. Other groups are not ours to change, though root could."""
    try:
        return os.getxattr(group, "user.delegate") == b"1"
    except OSError:
        return False


def _words(file: Path) -> list[str]:
    try:
        return file.read_text("utf-8").split()
    except OSError:
        return []
