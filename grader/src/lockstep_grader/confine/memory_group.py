# SPDX-License-Identifier: MIT
"""A control group of Linux (version 2) that is ours to divide, so that the kernel limits memory.

systemd delegates one on request: `systemd-run --user --scope -p Delegate=yes ./lab grade ...`. A
group with processes cannot limit groups below it, so ours move to one of their own. The judge makes
a group for each worker (common/judge/process/memory_group.h).
"""

import os
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.machine.process import output_of
from lockstep_grader.model.errors import InputError

VARIABLE = "LOCKSTEP_MEMORY_GROUP"  # names a group that was prepared
FOR_JUDGES = "LOCKSTEP_DIVIDED_GROUP"  # of this machine and this run: where they make theirs
_OWN = "lockstep"  # the group of the grader's own processes
_UNITS = (".scope", ".service")  # of systemd; its processes may be in a group below it, as ours are
_MOVES = 10  # rounds, since a process may start another one before it is moved itself
_ENTER = 'echo 0 > "$1/cgroup.procs"'  # as each worker does


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
    if "memory" not in _words(root / "cgroup.controllers"):
        return NoMemoryGroup("this system has no control groups of version 2 for memory")
    own = _own_group(proc, root)
    group = own if own.suffix in _UNITS else own.parent
    if "memory" not in _words(group / "cgroup.controllers") or not _is_delegated(group):
        return NoMemoryGroup(f"no control group is delegated; {_request()} requests one")
    return group


def use_memory_group(
    proc: Path = Path("/proc"), root: Path = Path("/sys/fs/cgroup")
) -> Path | NoMemoryGroup:
    """Prepares the group, and has every judge that starts from now on use it.

    Raises InputError for a group that was named and cannot be used.
    """
    os.environ.pop(FOR_JUDGES, None)
    group = find_memory_group(proc, root)
    is_named = bool(os.environ.get(VARIABLE))
    if isinstance(group, NoMemoryGroup):
        if is_named:
            raise InputError(f"{group.reason}; prepare such a group, or unset {VARIABLE}")
        return group
    if not is_named:
        try:
            _divide(group)
        except OSError as error:
            return NoMemoryGroup(f"{group} cannot be divided: {error.strerror}")
    _remove_left_groups(group, proc)
    os.environ[FOR_JUDGES] = os.fspath(group)
    return group


def _problem_of(group: Path) -> str:
    if not group.is_dir():
        return "which is no folder"
    if "memory" not in _words(group / "cgroup.subtree_control"):
        return "whose cgroup.subtree_control lacks memory"
    # Rights to this group are not enough: see docs/sandbox.md.
    return "" if _can_enter(group) else "in which no process of ours may start"


def _can_enter(group: Path) -> bool:
    """Tried with a process: the kernel also asks for rights to a group above this one and ours."""
    try:
        tried = tempfile.mkdtemp(prefix="try-", dir=group)
    except OSError:
        return False
    done = subprocess.run(["/bin/sh", "-c", _ENTER, "sh", tried], capture_output=True, check=False)
    with suppress(OSError):
        os.rmdir(tried)
    return done.returncode == 0


def _divide(group: Path) -> None:
    own = group / _OWN
    own.mkdir(exist_ok=True)
    for _ in range(_MOVES):
        for pid in _words(group / "cgroup.procs"):
            with suppress(ProcessLookupError):  # it has ended meanwhile
                (own / "cgroup.procs").write_text(pid)
    (group / "cgroup.subtree_control").write_text("+memory")


def _remove_left_groups(group: Path, proc: Path) -> None:
    """Removes the groups of judges that were killed. The kernel keeps one that has a process."""
    for left in group.glob("worker-*"):
        if not (proc / left.name.split("-")[1]).exists():
            with suppress(OSError):
                left.rmdir()


def _own_group(proc: Path, root: Path) -> Path:
    lines = (proc / "self/cgroup").read_text("utf-8").splitlines()
    (own,) = (line.removeprefix("0::") for line in lines if line.startswith("0::"))
    return root / own.lstrip("/")


def _is_delegated(group: Path) -> bool:
    """As systemd says of its unit. Other groups are not ours to change, though we may be able to.

    An attribute of the folder says so, too, but not where the user's own systemd has delegated it.
    """
    user = ["--user"] if f"user@{os.getuid()}.service" in group.parts else []
    words = ["systemctl", *user, "show", "--property=Delegate", "--value", group.name]
    return output_of(words, 10) == "yes\n"


def _request() -> str:
    """The beginning of the command that gets one: an ordinary user's systemd, or the system's."""
    user = "" if os.geteuid() == 0 else "--user "
    return f"systemd-run {user}--scope -p Delegate=yes ./lab grade"


def _words(file: Path) -> list[str]:
    try:
        return file.read_text("utf-8").split()
    except OSError:
        return []
