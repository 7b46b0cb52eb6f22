# SPDX-License-Identifier: MIT
"""Whether the kernel ended a process of this task because Slurm's memory limit was reached."""

from pathlib import Path


def oom_kills(proc: Path = Path("/proc"), cgroups: Path = Path("/sys/fs/cgroup")) -> int:
    """How many processes of our control group the kernel has killed so far; 0 where unknown.

    The limit is the task's, not the submission's: such an end says nothing about the worker.
    """
    try:
        lines = (proc / "self/cgroup").read_text("utf-8").splitlines()
    except OSError:
        return 0
    total = 0
    for line in lines:  # hierarchy-ID:controllers:path
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            total += _count(cgroups / path.lstrip("/") / "memory.events")
        elif "memory" in controllers.split(","):
            total += _count(cgroups / "memory" / path.lstrip("/") / "memory.oom_control")
    return total


def _count(file: Path) -> int:
    try:
        fields = dict(line.split(maxsplit=1) for line in file.read_text("utf-8").splitlines())
        return int(fields.get("oom_kill", 0))
    except (OSError, ValueError):
        return 0
