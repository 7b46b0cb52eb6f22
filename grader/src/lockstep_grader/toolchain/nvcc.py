# SPDX-License-Identifier: MIT
"""The nvcc that compiles a rung to an object file: no driver and no CUDA libraries needed.

The first of these that can: the toolkit's, on PATH or in /usr/local/cuda; NVIDIA's packages from
PyPI (requirements-nvcc.txt) in this Python's environment.
"""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.toolchain.system import pypi_nvcc, toolkit_nvcc

_OLDEST = (12, 0)  # the first nvcc with C++20
_RELEASE = re.compile(r"release (\d+)\.(\d+), V([\d.]+)")
_NEWEST_GXX = re.compile(r"^#if __GNUC__ > (\d+)", re.MULTILINE)  # crt/host_config.h refuses it


@dataclass(frozen=True, slots=True)
class RungCompiler:
    path: str
    version: str
    host: str  # the g++ that it calls

    def command(
        self, source: Path, output: Path, includes: Sequence[Path], architectures: Sequence[int]
    ) -> list[str]:
        """Compiles `source` to an object file for `architectures`, such as 75 and 90.

        Registers and spills of each kernel are in its output: see parse_ptxas.
        """
        argv = [self.path, "-ccbin", self.host, "-std=c++20", "-O3", "-Xptxas", "-v"]
        argv += [f"-gencode=arch=compute_{number},code=sm_{number}" for number in architectures]
        argv += [f"-I{folder}" for folder in includes]
        return [*argv, "-c", str(source), "-o", str(output)]


@dataclass(frozen=True, slots=True)
class NoRungCompiler:
    """Why there is none here, on one line."""

    reason: str


def rung_compiler() -> RungCompiler | NoRungCompiler:
    """The compiler for rungs; says why where there is none."""
    reasons = []
    for path in filter(None, (toolkit_nvcc(), pypi_nvcc())):
        found = _examined(path)
        if isinstance(found, RungCompiler):
            return found
        reasons.append(found)
    return NoRungCompiler("; ".join(reasons) or "there is no nvcc here")


def _examined(path: str) -> RungCompiler | str:
    """The nvcc at `path` with a g++ that it accepts, or what is wrong with it."""
    release = _RELEASE.search(_output([path, "--version"]))
    if not release:
        return f"{path} does not run"
    if (int(release[1]), int(release[2])) < _OLDEST:
        return f"{path} is nvcc {release[3]}, but C++20 needs 12.0 or newer"
    newest = _newest_gxx(Path(path))
    host = _host_compiler(newest)
    if not host:
        return f"nvcc {release[3]} needs g++ {newest or ''} or older: install g++-{newest or 12}"
    return RungCompiler(path, release[3], host)


def _newest_gxx(nvcc: Path) -> int | None:
    """The newest g++ that this nvcc accepts; None where its headers are elsewhere."""
    header = nvcc.resolve().parents[1] / "include" / "crt" / "host_config.h"
    try:
        limit = _NEWEST_GXX.search(header.read_text("utf-8", errors="replace"))
    except OSError:
        return None
    return int(limit[1]) if limit else None


def _host_compiler(newest: int | None) -> str:
    """g++ where it is old enough, else the newest g++-N that is; empty when there is none.

    -allow-unsupported-compiler is no way out: what then fails would be called the student's error.
    """
    usual = shutil.which("g++") or ""
    if newest is None or not usual:
        return usual
    major = _output([usual, "-dumpversion"]).strip().partition(".")[0]
    if major.isdigit() and int(major) <= newest:
        return usual
    older = (shutil.which(f"g++-{number}") for number in range(newest, 10, -1))
    return next(filter(None, older), "")


def _output(argv: Sequence[str]) -> str:
    try:
        done = subprocess.run(argv, capture_output=True, text=True, errors="replace", timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""
