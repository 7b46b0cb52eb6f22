# SPDX-License-Identifier: MIT
"""Compilers and headers that come as wheels from PyPI, unpacked into folders of .venv.

pip downloads a wheel, and of its files only those are kept that are needed: of the 411 MB of
ziglang the program zig, which has clang inside, and clang's headers. A wheel counts as there when
it was unpacked to its end, so that a start after a failure or Ctrl-C fetches only the rest.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.model.errors import FaultError
from lockstep_grader.toolchain.installers import pip_cause, pip_command, pip_environment

_ROOT = Path(__file__).parents[4]
VENV = _ROOT / ".venv"
_STAMP = "whole.txt"  # in a folder, a line per wheel: its pin, and the size of its marker
_STALL_SECONDS = 120.0  # a download of which nothing more arrives is given up


@dataclass(frozen=True, slots=True)
class Wheel:
    name: str  # of PyPI's package
    marker: str  # a file by which it is known
    megabytes: int  # to fetch
    kept: Mapping[str, str]  # which files, as a pattern, and the folder that they go to

    def place(self, name: str) -> str:
        """Where a file of the wheel goes; empty if it is not needed."""
        for pattern, folder in self.kept.items():
            if match := re.fullmatch(pattern, name):
                return f"{folder}{match[1]}"
        return ""


@dataclass(frozen=True, slots=True)
class Bundle:
    """What lies in one folder."""

    folder: str  # in .venv
    requirements: Path  # which pin the wheels
    disk_bytes: int  # to fetch and to unpack
    wheels: tuple[Wheel, ...]

    @property
    def megabytes(self) -> int:
        return sum(wheel.megabytes for wheel in self.wheels)

    def pin(self, wheel: Wheel) -> str:
        lines = self.requirements.read_text("utf-8").splitlines()
        return next(line for line in lines if line.startswith(f"{wheel.name}=="))

    def stamp(self, wheel: Wheel, venv: Path) -> str:
        marker = venv / self.folder / wheel.marker
        return f"{self.pin(wheel)} {marker.stat().st_size if marker.is_file() else 'missing'}"

    def stamps(self, venv: Path) -> list[str]:
        with suppress(OSError):
            return (venv / self.folder / _STAMP).read_text("utf-8").splitlines()
        return []

    def missing(self, venv: Path = VENV) -> list[Wheel]:
        known = self.stamps(venv)
        return [wheel for wheel in self.wheels if self.stamp(wheel, venv) not in known]


def _all_of(wheel: str, marker: str, megabytes: int) -> Wheel:
    return Wheel(wheel, marker, megabytes, {r"nvidia/cu13/(.+[^/])": ""})


_GRADER = _ROOT / "grader"
CLANG = Bundle(
    "clang",
    _GRADER / "requirements-clang.txt",
    450 << 20,
    (Wheel("ziglang", "zig", 101, {r"ziglang/(zig|LICENSE|lib/include/.+[^/])": ""}),),
)
# Most rungs have no CUB and no Thrust, which are apart: what these do is some lab's to write.
_HEADERS = {
    r"nvidia/cu13/include/cccl/((?:cuda|nv)/.+[^/])": "rungs/",
    r"nvidia/cu13/include/cccl/((?:cub|thrust)/.+[^/])": "programs/",
    r"nvidia/cu13/cccl/(LICENSE)": "",
}
CCCL = Bundle(
    "cccl",
    _GRADER / "requirements-clang.txt",
    80 << 20,
    (Wheel("nvidia-cuda-cccl", "rungs/cuda/atomic", 4, _HEADERS),),
)
NVCC = Bundle(
    "nvcc",
    _GRADER / "requirements-nvcc.txt",
    600 << 20,
    (
        _all_of("nvidia-cuda-cccl", "include/cccl/cuda/atomic", 4),
        _all_of("nvidia-cuda-crt", "include/crt/host_config.h", 0),
        _all_of("nvidia-cuda-nvcc", "bin/nvcc", 47),
        _all_of("nvidia-cuda-runtime", "include/cuda_runtime.h", 3),
        _all_of("nvidia-nvvm", "nvvm/bin/cicc", 75),
    ),
)


def fetch(
    bundle: Bundle,
    venv: Path,
    show: Callable[[int], None],
    is_stopped: Callable[[], bool] = lambda: False,
) -> None:
    """Adds the wheels that are missing, for a caller with the lock; `show` gets the megabytes.

    Raises FaultError with the cause. Returns early where `is_stopped`.
    """
    for old in venv.glob(f"{bundle.folder}-*"):  # of a start that was killed: we have the lock
        shutil.rmtree(old, ignore_errors=True)
    missing = bundle.missing(venv)
    there = bundle.megabytes - sum(wheel.megabytes for wheel in missing)
    kept = [bundle.stamp(wheel, venv) for wheel in bundle.wheels if wheel not in missing]
    try:
        if shutil.disk_usage(venv).free < bundle.disk_bytes:
            raise FaultError("the disk is full: free 1 GB")
        if not kept:  # other versions, which may have files that ours lack
            shutil.rmtree(venv / bundle.folder, ignore_errors=True)
        for wheel in missing:
            with tempfile.TemporaryDirectory(prefix=f"{bundle.folder}-", dir=venv) as scratch:
                pin, folder = bundle.pin(wheel), Path(scratch)
                file = _downloaded(pin, folder, there, show, is_stopped)
                if file is None:
                    return
                _unpack(wheel, file, venv / bundle.folder)
            kept.append(bundle.stamp(wheel, venv))
            (venv / bundle.folder / _STAMP).write_text("\n".join(kept) + "\n", "utf-8")
            there += wheel.megabytes
    except (OSError, zipfile.BadZipFile) as error:
        raise FaultError(pip_cause(str(error))) from error


def _downloaded(
    pin: str,
    scratch: Path,
    before: int,
    show: Callable[[int], None],
    is_stopped: Callable[[], bool],
) -> Path | None:
    """The wheel, after `before` megabytes of others; None where `is_stopped`."""
    log = scratch / "log"
    argv = [*pip_command(sys.executable, "download"), "--no-deps", "--only-binary", ":all:"]
    with log.open("wb") as output:
        pip = subprocess.Popen(
            [*argv, "--dest", str(scratch), pin],
            env={**pip_environment(), "TMPDIR": str(scratch)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is ours to pass on
        )
        try:
            there, moved = 0, time.monotonic()
            while pip.poll() is None and not is_stopped():
                if (now_there := _arrived(scratch)) > there:
                    there, moved = now_there, time.monotonic()
                if time.monotonic() - moved > _STALL_SECONDS:
                    raise FaultError(f"nothing came for {_STALL_SECONDS:.0f} s: wait a while")
                show(before + there // 1_000_000)
                time.sleep(0.1)
        finally:
            pip.terminate()
            pip.wait()
    if is_stopped():
        return None
    wheel = next(scratch.glob("*.whl"), None)
    if pip.returncode != 0 or wheel is None:
        raise FaultError(pip_cause(log.read_text("utf-8", "replace")))
    return wheel


def _arrived(scratch: Path) -> int:
    """Bytes, wherever pip has them at the moment."""
    total = 0
    with suppress(OSError):  # a file or folder of pip's is gone since it was listed
        for file in (*scratch.glob("*.whl"), *scratch.glob("*/*.whl")):
            total = max(total, file.stat().st_size)
    return total


def _unpack(wheel: Wheel, file: Path, folder: Path) -> None:
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            if place := wheel.place(info.filename):
                target = folder / place
                target.parent.mkdir(parents=True, exist_ok=True)
                target.unlink(missing_ok=True)  # an older one may run
                with archive.open(info) as packed, target.open("wb") as unpacked:
                    shutil.copyfileobj(packed, unpacked, 1 << 20)
                if info.external_attr >> 16 & 0o111 or place == wheel.marker:
                    target.chmod(0o755)
    if not (folder / wheel.marker).is_file():
        raise FaultError(f"{file.name} has no {wheel.marker}: is its pin right?")
