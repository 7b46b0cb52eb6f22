# SPDX-License-Identifier: MIT
"""This machine's GPUs, and who uses which: a measurement wants one for itself, checkers share.

Threads of one grader share a GpuPool. Graders of one machine queue by locks on files.
"""

import fcntl
import os
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path

from lockstep_grader.machine.process import interruption, output_of
from lockstep_grader.model.errors import InterruptedRunError

VARIABLE = "CUDA_VISIBLE_DEVICES"
_DRIVERS_LIST = Path("/proc/driver/nvidia/gpus")
_MIB_A_CHECKER = 4096  # of GPU memory: a context, an arena and what the checker notes down
_LINE = re.compile(r"^([^:\n]+):[ \t]*(\S+)", re.MULTILINE)  # Device Minor:  3
_LOOK_SECONDS = 0.2  # between two looks at a lock that another process holds
_SHORT_WAIT_SECONDS = 10.0  # what is not worth a word


@dataclass(frozen=True, slots=True)
class Gpu:
    name: str  # as CUDA_VISIBLE_DEVICES names it; empty: the driver's choice
    memory_mib: int = 0  # 0: not known
    uuid: str = field(default="", compare=False)  # the same for every process, if it is known


@dataclass(slots=True)
class _Use:
    gpu: Gpu
    checkers_limit: int
    is_measuring: bool = False
    is_kept: bool = False  # for the measurements that wait: checkers go elsewhere
    checkers: int = 0


class GpuQueue:
    """The graders of this machine that want a GPU, of all users: first come, first served.

    Two locks per GPU, which end with their owner. A door, which each holds only while it waits
    for the other lock: so checkers that come and go do not keep a measurement waiting for ever.
    """

    def __init__(self, folder: Path, say: Callable[[str], None]) -> None:
        self._folder, self._say = folder, say

    @contextmanager
    def turn(self, gpu: Gpu, *, alone: bool) -> Iterator[None]:
        """Holds the GPU, `alone` or with others that share it; says so if that takes a while."""
        with ExitStack() as held:
            room = held.enter_context(self._opened(gpu, "room"))
            with self._opened(gpu, "door") as door:
                self._take(door, fcntl.LOCK_EX, gpu)
                self._take(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH, gpu)
            yield

    @contextmanager
    def _opened(self, gpu: Gpu, part: str) -> Iterator[int | None]:
        """The lock file, which its maker leaves for all; None where we may not even read it."""
        name = re.sub(r"[^\w-]", "_", gpu.uuid or gpu.name) or "default"
        file = self._folder / f"lockstep-gpu-{name}.{part}"
        try:
            handle = _readable(file)
        except OSError as error:
            self._say(f"cannot queue for the GPU: {file}: {error.strerror}")
            handle = None
        try:
            yield handle
        finally:
            if handle is not None:
                os.close(handle)

    def _take(self, handle: int | None, kind: int, gpu: Gpu) -> None:
        begin, has_said = time.monotonic(), False
        while handle is not None:
            with suppress(BlockingIOError):
                fcntl.flock(handle, kind | fcntl.LOCK_NB)
                break
            if interruption.is_set():
                raise InterruptedRunError("interrupted")
            waited = time.monotonic() - begin
            if waited > _SHORT_WAIT_SECONDS and not has_said:
                name = gpu.name or "the GPU"
                self._say(f"{name} is in use by another grader of this machine; waiting for it")
                has_said = True
            time.sleep(_LOOK_SECONDS)


def _readable(file: Path) -> int:
    """The open file, also one that another user made; a lock needs no right to write."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.open(file, flags)
    except FileNotFoundError:
        handle = os.open(file, flags | os.O_CREAT, 0o644)
        os.fchmod(handle, 0o644)  # whatever the umask says
        return handle


def queue_of_machine(say: Callable[[str], None]) -> GpuQueue:
    folder = Path("/tmp")  # noqa: S108 - the one folder that all users share
    return GpuQueue(folder if folder.is_dir() else Path(tempfile.gettempdir()), say)


class GpuPool:
    """Lends GPUs to threads, for measurements and checkers by turns.

    Before each measurement a GPU is idle until the last of several checkers has ended. So
    measurements wait for each other, and then all of them have their turn on one GPU. Checkers
    go on elsewhere, unless so many measurements wait that they are worth another GPU.
    """

    def __init__(
        self, gpus: Sequence[Gpu], cores: int, queue: GpuQueue | None = None, gathered: int = 1
    ) -> None:
        """`gathered`: so many waiting measurements end the turn of one GPU's checkers."""
        most = cores // 2  # a checker keeps a core busy, and so does its judge
        self._uses = [
            _Use(gpu, max(1, min(most, gpu.memory_mib // _MIB_A_CHECKER))) for gpu in gpus
        ]
        self._changed = threading.Condition()
        self._waiting_to_measure = 0
        self._gathered = gathered
        self._queue = queue

    @contextmanager
    def measuring(self) -> Iterator[str]:
        """The name of a GPU on which nothing else of ours runs."""
        with self._changed:
            self._waiting_to_measure += 1
            self._keep_another()
            use = self._wait_for(lambda use: not (use.is_measuring or use.checkers))
            self._waiting_to_measure -= 1
            use.is_measuring = use.is_kept = True
            self._keep_for_those_who_wait()
        try:
            with self._turn(use.gpu, alone=True):
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
            with self._turn(use.gpu, alone=False):
                yield use.gpu.name
        finally:
            with self._changed:
                use.checkers -= 1
                self._changed.notify_all()

    def _turn(self, gpu: Gpu, *, alone: bool) -> AbstractContextManager[None]:
        """This process's turn among those of the machine."""
        return self._queue.turn(gpu, alone=alone) if self._queue else nullcontext()

    def _keep_another(self) -> None:
        """Ends the turn of one GPU's checkers, if that is worth it by now."""
        kept = sum(use.is_kept for use in self._uses)
        others = [use for use in self._uses if not use.is_kept]
        if others and self._waiting_to_measure >= self._gathered * (kept + 1):
            min(others, key=lambda use: use.checkers).is_kept = True

    def _keep_for_those_who_wait(self) -> None:
        if not self._waiting_to_measure:
            for use in self._uses:
                use.is_kept = False
            self._changed.notify_all()

    @staticmethod
    def _has_room(use: _Use) -> bool:
        return not (use.is_measuring or use.is_kept) and use.checkers < use.checkers_limit

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
        found = [Gpu(uuid, mib, uuid) for _, uuid, mib in listed]
    else:
        names = [name.strip() for name in allowed.split(",") if name.strip()]
        found = [_gpu_named(name, listed) for name in names]
    return found or [Gpu("")]


def files_of_others(name: str, drivers_list: Path = _DRIVERS_LIST) -> set[str]:
    """The device files of all GPUs but the one whose UUID is `name`; none if that is not sure.

    A process that uses CUDA opens every GPU that it can see, which takes the driver time.
    """
    files: dict[str, str] = {}
    for information in drivers_list.glob("*/information"):
        with suppress(OSError, KeyError):
            said = dict(_LINE.findall(information.read_text("utf-8", "replace")))
            files[said["GPU UUID"]] = f"/dev/nvidia{said['Device Minor']}"
    return set(files.values()) - {files[name]} if name in files else set()


def _gpu_named(name: str, listed: Sequence[tuple[str, str, int]]) -> Gpu:
    fit = ((uuid, mib) for index, uuid, mib in listed if name == index or uuid.startswith(name))
    uuid, mib = next(fit, ("", 0))
    return Gpu(name, mib, uuid)


def _listed() -> list[tuple[str, str, int]]:
    """Index, UUID and MiB of memory of each GPU that nvidia-smi knows."""
    if not (smi := shutil.which("nvidia-smi")):
        return []
    query = [smi, "--query-gpu=index,uuid,memory.total", "--format=csv,noheader,nounits"]
    rows = [[cell.strip() for cell in line.split(",")] for line in output_of(query).splitlines()]
    return [(row[0], row[1], int(row[2])) for row in rows if len(row) == 3 and row[2].isdigit()]
