# SPDX-License-Identifier: MIT
"""The clang that compiles rungs for the emulator, and NVIDIA's CCCL, which rungs include.

Each is a person's own, or the pinned one from PyPI, of which only what is needed is kept: of the
411 MB of ziglang the program zig, which has clang inside, and clang's headers. A folder of .venv
appears whole or not at all.
"""

import fcntl
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.machine.process import output_of
from lockstep_grader.machine.progress import FetchLine, say
from lockstep_grader.model.errors import FaultError
from lockstep_grader.toolchain.installers import pip_cause, pip_command, pip_environment

VARIABLE = "LOCKSTEP_CLANG"  # a clang of the user's choice
CCCL_VARIABLE = "LOCKSTEP_CCCL"  # a folder of CCCL's headers; "off" is for the emulator
_ROOT = Path(__file__).parents[4]
VENV = _ROOT / ".venv"
REQUIREMENTS = _ROOT / "grader" / "requirements-clang.txt"
_OLDEST = 19
_STAMP = "whole.txt"  # in a folder: the package, and the size of the marker
_VERSION = re.compile(r"clang version (\d+)\.[\d.]+")
_AGAIN = "then run this again"
_STALL_SECONDS = 120.0  # a download of which nothing more arrives is given up


@dataclass(frozen=True, slots=True)
class _Package:
    name: str  # of PyPI's package
    what: str
    folder: str  # in .venv
    kept: Mapping[str, str]  # which files, as a pattern, and the folder that they go to
    marker: str  # a file by which it is known
    megabytes: int  # to fetch
    disk_bytes: int  # to fetch and to unpack

    @property
    def pin(self) -> str:
        lines = REQUIREMENTS.read_text("utf-8").splitlines()
        return next(line for line in lines if line.startswith(f"{self.name}=="))

    def stamp(self, folder: Path) -> str:
        return f"{self.pin} {(folder / self.marker).stat().st_size}\n"

    def is_in(self, venv: Path) -> bool:
        folder = venv / self.folder
        try:
            return (folder / _STAMP).read_text("utf-8") == self.stamp(folder)
        except OSError:
            return False

    def place(self, name: str) -> str:
        """Where the file of the package goes; empty if it is not needed."""
        for pattern, folder in self.kept.items():
            if match := re.fullmatch(pattern, name):
                return f"{folder}{match[1]}"
        return ""


_ZIG = _Package(
    "ziglang",
    "clang, which compiles kernels",
    "clang",
    {r"ziglang/(zig|LICENSE|lib/include/.+[^/])": ""},
    "zig",
    101,
    450 << 20,
)
# Most rungs have no CUB and no Thrust, which are apart: what these do is some lab's to write.
_CCCL = _Package(
    "nvidia-cuda-cccl",
    "CCCL, NVIDIA's headers for kernels",
    "cccl",
    {
        r"nvidia/cu13/include/cccl/((?:cuda|nv)/.+[^/])": "rungs/",
        r"nvidia/cu13/include/cccl/((?:cub|thrust)/.+[^/])": "programs/",
        r"nvidia/cu13/cccl/(LICENSE)": "",
    },
    "rungs/cuda/atomic",
    4,
    80 << 20,
)


@dataclass(frozen=True, slots=True)
class Clang:
    path: Path  # clang, or zig
    version: str

    @property
    def command(self) -> list[str]:
        return _command(self.path)

    @property
    def words(self) -> str:
        """How doctor describes it."""
        return f"{self.path} {self.version}"


def find_clang(venv: Path = VENV) -> Clang | None:
    """The clang to use, if it is here. Raises FaultError where LOCKSTEP_CLANG names a wrong one."""
    if named := os.environ.get(VARIABLE):
        return _named(named)
    candidates = [venv / "clang" / "zig"] if _ZIG.is_in(venv) else []
    candidates += _importable()
    return next(filter(None, map(_examined, candidates)), None)


def ensure_clang(venv: Path = VENV) -> Clang:
    """The clang to use, fetched if need be. Raises FaultError with the next step."""
    if found := find_clang(venv):
        return found
    path = _ensured(_ZIG, venv) / "zig"
    if found := _examined(path):
        return found
    raise FaultError(f"{path} does not run here: name a clang {_OLDEST} or newer in {VARIABLE}")


def ensure_cccl(venv: Path = VENV) -> Path:
    """The folder of CCCL's headers, fetched if need be. Raises FaultError with the next step."""
    named = os.environ.get(CCCL_VARIABLE, "")
    if named in ("", "off"):
        return _ensured(_CCCL, venv)
    if not Path(named, "cuda", "atomic").is_file():
        raise FaultError(f"{CCCL_VARIABLE} names {named}, which has no cuda/atomic")
    return Path(named).absolute()


def _named(name: str) -> Clang:
    path = shutil.which(name)
    found = _examined(Path(path).absolute()) if path else None
    wish = f"{VARIABLE} must name clang {_OLDEST} or newer, or be unset to fetch one"
    if found is None:
        raise FaultError(f"{name} is no clang that runs: {wish}")
    if int(found.version.partition(".")[0]) < _OLDEST:
        raise FaultError(f"{name} is clang {found.version}: {wish}")
    if "nvptx64" not in output_of([*found.command, "--print-targets"], 60):
        raise FaultError(f"{name} was built without the target NVPTX: {wish}")
    return found


def _importable() -> list[Path]:
    """The pinned package in this Python's environment, where it is installed whole."""
    spec = importlib.util.find_spec(_ZIG.name)
    with suppress(importlib.metadata.PackageNotFoundError):
        here = f"{_ZIG.name}=={importlib.metadata.version(_ZIG.name)}"
        if spec and spec.origin and here == _ZIG.pin:
            return [Path(spec.origin).with_name("zig")]
    return []


def _examined(path: Path) -> Clang | None:
    match = _VERSION.search(output_of([*_command(path), "--version"], 60))
    return Clang(path, match[0].removeprefix("clang version ")) if match else None


def _command(path: Path) -> list[str]:
    """The words before clang's own."""
    return [str(path), "clang"] if path.name == "zig" else [str(path)]


def _ensured(package: _Package, venv: Path) -> Path:
    """The package's folder."""
    if not package.is_in(venv):
        with _lock(package, venv):
            if not package.is_in(venv):  # another process may have waited for the same
                _fetch(package, venv)
    return venv / package.folder


def _fetch(package: _Package, venv: Path) -> None:
    for old in venv.glob(f"{package.folder}-*"):  # of a start that was killed: we have the lock
        shutil.rmtree(old, ignore_errors=True)
    say(f"lab: fetching {package.what} ({package.megabytes} MB, once)")
    try:
        if shutil.disk_usage(venv).free < package.disk_bytes:
            raise _cannot(package, "the disk is full: free 1 GB")
        with tempfile.TemporaryDirectory(prefix=f"{package.folder}-", dir=venv) as scratch:
            wheel = _downloaded(package, Path(scratch))
            made = _unpacked(package, wheel, Path(scratch, package.folder))
            shutil.rmtree(venv / package.folder, ignore_errors=True)
            made.rename(venv / package.folder)
    except (OSError, zipfile.BadZipFile) as error:
        raise _cannot(package, pip_cause(str(error))) from error
    say(f"lab: {package.folder} is in .venv")


def _cannot(package: _Package, cause: str) -> FaultError:
    return FaultError(f"{package.folder} cannot be fetched: {cause}, {_AGAIN}")


def _downloaded(package: _Package, scratch: Path) -> Path:
    log = scratch / "log"
    argv = [*pip_command(sys.executable, "download"), "--no-deps", "--only-binary", ":all:"]
    argv += ["--dest", str(scratch), package.pin]
    env = {**pip_environment(), "TMPDIR": str(scratch)}
    with (
        log.open("wb") as output,
        FetchLine(package.folder, package.megabytes, time.monotonic()) as line,
    ):
        pip = subprocess.Popen(
            argv,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is ours to pass on
        )
        try:
            there, moved = 0, time.monotonic()
            while pip.poll() is None:
                if (now_there := _arrived(scratch)) > there:
                    there, moved = now_there, time.monotonic()
                if time.monotonic() - moved > _STALL_SECONDS:
                    raise _cannot(package, f"nothing came for {_STALL_SECONDS:.0f} s: wait a while")
                line.show(there // 1_000_000)
                time.sleep(0.1)
        finally:
            pip.terminate()
            pip.wait()
    wheel = next(scratch.glob("*.whl"), None)
    if pip.returncode != 0 or wheel is None:
        raise _cannot(package, pip_cause(log.read_text("utf-8", "replace")))
    return wheel


def _arrived(scratch: Path) -> int:
    """Bytes, wherever pip has them at the moment."""
    total = 0
    for file in (*scratch.glob("*.whl"), *scratch.glob("*/*.whl")):
        with suppress(OSError):  # it has been moved just now
            total = max(total, file.stat().st_size)
    return total


def _unpacked(package: _Package, wheel: Path, folder: Path) -> Path:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if place := package.place(name):
                target = folder / place
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(name) as packed, target.open("wb") as unpacked:
                    shutil.copyfileobj(packed, unpacked, 1 << 20)
    marker = folder / package.marker
    if not marker.is_file():
        raise FaultError(f"{wheel.name} has no {package.marker}: is {REQUIREMENTS.name} right?")
    marker.chmod(0o755)
    (folder / _STAMP).write_text(package.stamp(folder), "utf-8")
    return folder


@contextmanager
def _lock(package: _Package, venv: Path) -> Iterator[None]:
    try:
        venv.mkdir(exist_ok=True)
        stream = (venv / f"{package.folder}.lock").open("w")
    except OSError as error:
        raise _cannot(package, pip_cause(str(error))) from error
    with stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield
