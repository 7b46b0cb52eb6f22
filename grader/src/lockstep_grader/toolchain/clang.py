# SPDX-License-Identifier: MIT
"""The clang that compiles rungs for the emulator, and NVIDIA's CCCL, which rungs include.

Each is a person's own, or the pinned one from PyPI.
"""

import importlib.metadata
import importlib.util
import os
import re
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.machine.files import locked
from lockstep_grader.machine.process import output_of
from lockstep_grader.machine.progress import FetchLine, say
from lockstep_grader.model.errors import FaultError
from lockstep_grader.toolchain.installers import pip_cause
from lockstep_grader.toolchain.wheels import CCCL, CLANG, VENV, Bundle, fetch

VARIABLE = "LOCKSTEP_CLANG"  # a clang of the user's choice
CCCL_VARIABLE = "LOCKSTEP_CCCL"  # a folder of CCCL's headers; "off" is for the emulator
_OLDEST = 19
_VERSION = re.compile(r"clang version (\d+)\.[\d.]+")


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
    candidates = [] if CLANG.missing(venv) else [venv / "clang" / "zig"]
    candidates += _importable()
    return next(filter(None, map(_examined, candidates)), None)


def ensure_clang(venv: Path = VENV) -> Clang:
    """The clang to use, fetched if need be. Raises FaultError with the next step."""
    if found := find_clang(venv):
        return found
    path = _ensured(CLANG, "clang, which compiles kernels", venv) / "zig"
    if found := _examined(path):
        return found
    raise FaultError(f"{path} does not run here: name a clang {_OLDEST} or newer in {VARIABLE}")


def ensure_cccl(venv: Path = VENV) -> Path:
    """The folder of CCCL's headers, fetched if need be. Raises FaultError with the next step."""
    named = os.environ.get(CCCL_VARIABLE, "")
    if named in ("", "off"):
        return _ensured(CCCL, "CCCL, NVIDIA's headers for kernels", venv)
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
    (zig,) = CLANG.wheels
    spec = importlib.util.find_spec(zig.name)
    with suppress(importlib.metadata.PackageNotFoundError):
        here = f"{zig.name}=={importlib.metadata.version(zig.name)}"
        if spec and spec.origin and here == CLANG.pin(zig):
            return [Path(spec.origin).with_name("zig")]
    return []


def _examined(path: Path) -> Clang | None:
    match = _VERSION.search(output_of([*_command(path), "--version"], 60))
    return Clang(path, match[0].removeprefix("clang version ")) if match else None


def _command(path: Path) -> list[str]:
    """The words before clang's own."""
    return [str(path), "clang"] if path.name == "zig" else [str(path)]


def _ensured(bundle: Bundle, what: str, venv: Path) -> Path:
    """The folder, fetched if need be."""
    name = bundle.folder
    if not bundle.missing(venv):
        return venv / name
    try:
        venv.mkdir(exist_ok=True)
        with locked(venv / f"{name}.lock"):
            if bundle.missing(venv):  # else the process that had the lock fetched the same
                say(f"lab: fetching {what} ({bundle.megabytes} MB, once)")
                with FetchLine(name, bundle.megabytes, time.monotonic()) as line:
                    fetch(bundle, venv, line.show)
                say(f"lab: {name} is in .venv")
    except (FaultError, OSError) as error:
        cause = pip_cause(str(error)) if isinstance(error, OSError) else str(error)
        raise FaultError(f"{name} cannot be fetched: {cause}, then run this again") from error
    return venv / name
