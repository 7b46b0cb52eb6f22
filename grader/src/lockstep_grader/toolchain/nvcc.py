# SPDX-License-Identifier: MIT
"""NVIDIA's tools for rungs: nvcc, the words of its assembler, and compute-sanitizer.

The nvcc that compiles a rung to an object file needs no driver and no CUDA libraries. The
first of these that can: the toolkit's, on PATH or in /usr/local/cuda; NVIDIA's packages from PyPI
(requirements-nvcc.txt) in .venv.
"""

import math
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from pathlib import Path

from lockstep_grader.machine.process import output_of
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Resources
from lockstep_grader.model.text import one_line
from lockstep_grader.toolchain.system import pypi_nvcc, toolkit_nvcc

_OLDEST = (12, 0)  # the first nvcc with C++20
_RELEASE = re.compile(r"release (\d+)\.(\d+), V([\d.]+)")
_NEWEST_TRIED = 20  # of g++-N, where nvcc does not say what it accepts
_NEWEST_GXX = re.compile(r"^#if __GNUC__ > (\d+)", re.MULTILINE)  # crt/host_config.h refuses it


# A starter declares names for its TODOs to use. 177: never referenced; 550: set, but never used.
_QUIET_STARTERS = ("-diag-suppress=177,550",)


class Phase(Enum):
    """How far nvcc goes. The host's object code takes half of the time, and says little more."""

    DEVICE = (
        "-Xcicc=-O0",
        "-ptx",
    )  # half of ERRORS: misses a host function that calls the device's
    ERRORS = ("-Xcicc=-O0", "-Xptxas=-O0", "-cuda")  # not optimised: up to three times faster
    RESOURCES = ("-O3", "-Xptxas=-v", "-cuda")  # each kernel's registers, too: see parse_ptxas
    WHOLE = ("-O3", "-Xptxas=-v", "-c")  # the host's object code, too


@dataclass(frozen=True, slots=True)
class RungCompiler:
    path: str
    version: str
    host: str  # the g++ that it calls

    def command(
        self,
        source: Path,
        work: Path,
        includes: Sequence[Path],
        architectures: Sequence[str],
        phase: Phase,
    ) -> list[str]:
        """Reads `source` for the host, and compiles it for `architectures`, such as 7.5 and 9.0."""
        targets = _targets(source, architectures, phase)
        if phase is Phase.DEVICE and len(targets) > 1:
            phase = Phase.ERRORS  # nvcc writes PTX for one architecture only
        argv = [self.path, "-ccbin", self.host, "-std=c++20", *_QUIET_STARTERS, *phase.value]
        argv += [f"-gencode={each}" for each in targets]
        argv += [f"-I{folder}" for folder in includes]
        return [*argv, str(source), "-o", str(work / "rung.out")]

    @property
    def words(self) -> dict[str, str]:
        """For the JSON of results."""
        return {"version": self.version, "path": self.path, "host": self.host}


def _targets(source: Path, architectures: Sequence[str], phase: Phase) -> list[str]:
    """Reads the text only for the oldest GPU, which supports the least.

    That takes half of the time. Only a text that asks for the architecture differs between them.
    """
    numbers = [name.replace(".", "") for name in architectures]  # the oldest is first
    if b"__CUDA_ARCH__" in source.read_bytes():
        return [f"arch=compute_{number},code=sm_{number}" for number in numbers]
    if phase is Phase.DEVICE:
        return [f"arch=compute_{numbers[0]},code=compute_{numbers[0]}"]
    assembled = numbers[:1] if phase is Phase.ERRORS else numbers
    code = ",".join(f"sm_{number}" for number in assembled)
    return [f"arch=compute_{numbers[0]},code=[{code}]"]


@dataclass(frozen=True, slots=True)
class NoRungCompiler:
    """Why there is none here, on one line."""

    reason: str

    @property
    def words(self) -> dict[str, str]:
        """For the JSON of results."""
        return {"missing": self.reason}


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
    release = _RELEASE.search(output_of([path, "--version"]))
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
    """The first that nvcc accepts of the g++ in CXX, g++, and the newest g++-N; empty: none.

    -allow-unsupported-compiler does not help: its failures would count as the student's errors."""
    numbered = (f"g++-{number}" for number in range(newest or _NEWEST_TRIED, 10, -1))
    for name in (os.environ.get("CXX", ""), "g++", *numbered):
        path = shutil.which(name) if Path(name).name.startswith("g++") else None
        if path and (newest is None or _major(path) <= newest):
            return path
    return ""


def _major(compiler: str) -> float:
    version = output_of([compiler, "-dumpversion"]).strip().partition(".")[0]
    return float(version) if version.isdigit() else math.inf


_ENTRY = re.compile(r"Compiling entry function '(?P<name>\w+)' for 'sm_(?P<major>\d+)(?P<minor>\d)")
_PROPERTIES = re.compile(r"Function properties for (?P<name>\w+)")
_STACK = re.compile(
    r"(?P<stack>\d+) bytes stack frame, (?P<stores>\d+) bytes spill stores, "
    r"(?P<loads>\d+) bytes spill loads"
)
_USED = re.compile(r"Used (?P<registers>\d+) registers(?P<rest>.*)")
_SHARED = re.compile(r"(\d+) bytes smem")
_CONSTANT = re.compile(r"(\d+) bytes cmem\[\d+\]")


def parse_ptxas(text: str) -> tuple[Resources, ...]:
    """The kernels in the verbose output of ptxas, once per architecture, in its order."""
    found: list[Resources] = []
    entry = current = ""
    architecture, stacks = "", dict[str, tuple[int, int]]()
    for line in text.splitlines():
        if match := _ENTRY.search(line):
            entry = current = match["name"]
            architecture = f"{match['major']}.{match['minor']}"
        elif match := _PROPERTIES.search(line):
            current = match["name"]
        elif match := _STACK.search(line):
            stacks[current] = int(match["stack"]), int(match["stores"]) + int(match["loads"])
        elif (match := _USED.search(line)) and current == entry:
            shared = sum(int(size) for size in _SHARED.findall(match["rest"]))
            banks = [int(size) for size in _CONSTANT.findall(match["rest"])]
            stack, spilled = stacks.get(current, (0, 0))
            registers, constant = int(match["registers"]), sum(banks) if banks else None
            found.append(
                Resources(current, architecture, registers, shared, stack, spilled, constant)
            )
    names = demangle([resources.kernel for resources in found])
    return tuple(replace(item, kernel=name) for name, item in zip(names, found, strict=True))


def demangle(names: Sequence[str]) -> list[str]:
    """C++ names as they are written, without parameters; as they are where c++filt is missing."""
    tool = shutil.which("c++filt")
    if not tool or not names:
        return list(names)
    done = subprocess.run([tool, "-p"], input="\n".join(names), capture_output=True, text=True)
    lines = done.stdout.splitlines()
    if done.returncode != 0 or len(lines) != len(names):
        return list(names)
    return [_short(line) for line in lines]


def _short(name: str) -> str:
    """Without return type and namespaces: lab::(anonymous namespace)::scan<256> is scan<256>."""
    head, bracket, arguments = name.replace("(anonymous namespace)::", "").partition("<")
    return head.split(" ")[-1].rpartition("::")[2] + bracket + arguments


# The options of each tool in addition to the common ones.
TOOLS = {
    "memcheck": ("--leak-check=full",),
    "racecheck": ("--racecheck-report=analysis",),
    "initcheck": (),
    "synccheck": (),
}
_PRINT_LIMIT = 100
SANITIZER_ADVICE = "it comes with NVIDIA's CUDA toolkit (package cuda-sanitizer)"


@dataclass(frozen=True)
class Sanitizer:
    program: Path

    @cached_property
    def version(self) -> str:
        """What the program says that it is: part of a result's key."""
        try:
            said = subprocess.run(
                [self.program, "--version"], capture_output=True, text=True, timeout=60
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise FaultError(f"{self.program} does not run: {error}; try --no-sanitizer") from error
        return one_line(said.stdout)

    def command(self, tool: str) -> list[str]:
        """The words before those of a program that runs under the tool."""
        program, limit = str(self.program), f"--print-limit={_PRINT_LIMIT}"
        return [program, f"--tool={tool}", limit, *TOOLS[tool]]


def find_sanitizer() -> Sanitizer | None:
    """compute-sanitizer on PATH or next to nvcc."""
    found = shutil.which("compute-sanitizer")
    if not found and (nvcc := toolkit_nvcc()):
        found = shutil.which(Path(nvcc).with_name("compute-sanitizer"))
    return Sanitizer(Path(found).resolve()) if found else None
