# SPDX-License-Identifier: MIT
"""This machine's GPUs, and who uses which: a measurement wants one for itself, checkers share."""

import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

VARIABLE = "CUDA_VISIBLE_DEVICES"
_MIB_A_CHECKER = 4096  # of GPU memory: a context, an arena and what the checker notes down


@dataclass(frozen=True, slots=True)
class Gpu:
    name: str  # as CUDA_VISIBLE_DEVICES names it; empty: the driver's choice
    memory_mib: int = 0  # 0: not known


@dataclass(slots=True)
class _Use:
    gpu: Gpu
    checkers_limit: int
    is_measuring: bool = False
    checkers: int = 0


class GpuPool:
    """Lends GPUs to threads. Measurements go first: a rung has to be measured to be checked."""

    def __init__(self, gpus: Sequence[Gpu], cores: int) -> None:
        most = cores // 2  # a checker keeps a core busy, and so does its judge
        self._uses = [
            _Use(gpu, max(1, min(most, gpu.memory_mib // _MIB_A_CHECKER))) for gpu in gpus
        ]
        self._changed = threading.Condition()
        self._waiting_to_measure = 0

    @contextmanager
    def measuring(self) -> Iterator[str]:
        """The name of a GPU on which nothing else of ours runs."""
        with self._changed:
            self._waiting_to_measure += 1
            use = self._wait_for(lambda use: not (use.is_measuring or use.checkers))
            self._waiting_to_measure -= 1
            use.is_measuring = True
        try:
            yield use.gpu.name
        finally:
            with self._changed:
                use.is_measuring = False
                self._changed.notify_all()

    @contextmanager
    def checking(self) -> Iterator[str]:
        """The name of a GPU without a measurement, with room for another checker."""
        with self._changed:
            use = self._wait_for(self._has_room)
            use.checkers += 1
        try:
            yield use.gpu.name
        finally:
            with self._changed:
                use.checkers -= 1
                self._changed.notify_all()

    def _has_room(self, use: _Use) -> bool:
        idle = not (use.is_measuring or self._waiting_to_measure)
        return idle and use.checkers < use.checkers_limit

    def _wait_for(self, suits: Callable[[_Use], bool]) -> _Use:
        while True:
            if fit := [use for use in self._uses if suits(use)]:
                return min(fit, key=lambda use: use.checkers)
            self._changed.wait()


def find_gpus() -> list[Gpu]:
    """The GPUs that CUDA_VISIBLE_DEVICES allows; one without a name if they are unknown."""
    listed = _listed()
    allowed = os.environ.get(VARIABLE)
    if allowed is None:
        found = [Gpu(uuid, mib) for _, uuid, mib in listed]
    else:
        names = [name.strip() for name in allowed.split(",") if name.strip()]
        found = [Gpu(name, _memory_of(name, listed)) for name in names]
    return found or [Gpu("")]


def _memory_of(name: str, listed: Sequence[tuple[str, str, int]]) -> int:
    return next((mib for index, uuid, mib in listed if name == index or uuid.startswith(name)), 0)


def _listed() -> list[tuple[str, str, int]]:
    """Index, UUID and MiB of memory of each GPU that nvidia-smi knows."""
    if not (smi := shutil.which("nvidia-smi")):
        return []
    query = [smi, "--query-gpu=index,uuid,memory.total", "--format=csv,noheader,nounits"]
    try:
        said = subprocess.run(query, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return []
    rows = [[cell.strip() for cell in line.split(",")] for line in said.stdout.splitlines()]
    return [(row[0], row[1], int(row[2])) for row in rows if len(row) == 3 and row[2].isdigit()]
