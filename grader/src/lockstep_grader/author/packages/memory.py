# SPDX-License-Identifier: MIT
"""How many compilers fit into this container's memory at the same time."""

from collections.abc import Iterator
from pathlib import Path

from lockstep_grader.judging.session import default_jobs

COMPILE_BYTES = 464 << 20  # the largest compile of a judge takes 440 MiB (g++ 14, 2026-11-23)
OWN_BYTES = 96 << 20  # the grader, CMake and Ninja, without the compilers

_SYSTEM = Path("/")


def jobs_that_fit(root: Path = _SYSTEM, cores: int | None = None) -> int:
    """The cores, or fewer if memory is short: a container sees its host's cores, not its own.

    Gradescope's default container has 768 MiB and half a core.
    """
    room = min(_limits(root), default=None)
    cores = cores or default_jobs()
    return cores if room is None else max(1, min(cores, (room - OWN_BYTES) // COMPILE_BYTES))


def _limits(root: Path) -> Iterator[int]:
    """What the container may use (control groups, versions 2 and 1), and what is free."""
    for name in ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"):
        text = _read(root / name).strip()
        if text.isdigit():  # "max" means no limit
            yield int(text)
    for line in _read(root / "proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            yield int(line.split()[1]) << 10


def _read(file: Path) -> str:
    try:
        return file.read_text("ascii")
    except OSError:
        return ""
