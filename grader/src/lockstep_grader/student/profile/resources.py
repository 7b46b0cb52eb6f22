# SPDX-License-Identifier: MIT
"""What each kernel takes of a multiprocessor, from nvcc's assembler, where there is an nvcc."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.confine.sandbox import UNCONFINED, Confinement
from lockstep_grader.machine.process import Limits, Processes
from lockstep_grader.model.text import one_line
from lockstep_grader.toolchain.system import nvcc_path

# The device that the emulator presents.
_ARCHITECTURE = "sm_90"
_REGISTERS = 65536  # of a multiprocessor
_REGISTER_UNIT = 256  # that a warp's registers come in
_WARP_SIZE = 32
_MAX_WARPS = 32  # of a block

_LIMITS = Limits(seconds=60, memory_bytes=16 << 30, file_bytes=256 << 20, output_bytes=1 << 20)
_ENTRY = re.compile(r"Compiling entry function '(?P<name>\w+)' for")
_PROPERTIES = re.compile(r"Function properties for (?P<name>\w+)")
_STACK = re.compile(
    r"(?P<stack>\d+) bytes stack frame, (?P<stores>\d+) bytes spill stores, "
    r"(?P<loads>\d+) bytes spill loads"
)
_USED = re.compile(r"Used (?P<registers>\d+) registers(?P<rest>.*)")
_SHARED = re.compile(r"(\d+) bytes smem")
_CONSTANT = re.compile(r"(\d+) bytes cmem\[\d+\]")


@dataclass(frozen=True, slots=True)
class Resources:
    kernel: str  # demangled, without its parameters
    registers: int  # a thread
    static_shared_bytes: int
    local_bytes: int  # a thread's stack in local memory
    spilled_bytes: int  # stores and loads of registers that did not fit
    constant_bytes: int | None  # None: this version of ptxas does not say

    @property
    def largest_block(self) -> int:
        """Threads that a block may have at most, by the registers that they take."""
        if self.registers == 0:
            return _MAX_WARPS * _WARP_SIZE
        per_warp = -(-self.registers * _WARP_SIZE // _REGISTER_UNIT) * _REGISTER_UNIT
        return min(_MAX_WARPS, _REGISTERS // per_warp) * _WARP_SIZE


def measure_resources(
    source: Path,
    include: Path,
    common: Path,
    processes: Processes,
    confinement: Confinement = UNCONFINED,
) -> tuple[Resources, ...] | str:
    """The resources of every kernel in `source`, or why there are none to show."""
    nvcc = nvcc_path()
    if not nvcc:
        return "registers and local memory: not known, there is no nvcc here"
    argv = [nvcc, "-std=c++20", "-O3", "-cubin", f"-arch={_ARCHITECTURE}", "-Xptxas", "-v"]
    argv += [f"-I{common}", f"-I{include}", str(source), "-o", str(source.with_suffix(".cubin"))]
    work = source.parent
    done = processes.run(confinement.compiling(argv, work, include), _LIMITS, work)
    if done.timed_out or done.returncode != 0:
        reason = "took too long" if done.timed_out else one_line(done.output)[:200]
        return f"registers and local memory: not known, nvcc does not compile this file: {reason}"
    return parse_ptxas(done.output)


def parse_ptxas(text: str) -> tuple[Resources, ...]:
    """The kernels in the verbose output of ptxas, in its order."""
    found: list[Resources] = []
    entries: list[str] = []
    stacks: dict[str, tuple[int, int]] = {}
    current = ""
    for line in text.splitlines():
        if match := _ENTRY.search(line):
            current = match["name"]
            entries.append(current)
        elif match := _PROPERTIES.search(line):
            current = match["name"]
        elif match := _STACK.search(line):
            stacks[current] = int(match["stack"]), int(match["stores"]) + int(match["loads"])
        elif (match := _USED.search(line)) and current in entries:
            shared = sum(int(size) for size in _SHARED.findall(match["rest"]))
            banks = [int(size) for size in _CONSTANT.findall(match["rest"])]
            constant = sum(banks) if banks else None
            stack, spilled = stacks.get(current, (0, 0))
            registers = int(match["registers"])
            found.append(Resources(current, registers, shared, stack, spilled, constant))
    names = demangle([resources.kernel for resources in found])
    return tuple(
        Resources(name, *(getattr(item, field) for field in Resources.__slots__[1:]))
        for name, item in zip(names, found, strict=True)
    )


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
