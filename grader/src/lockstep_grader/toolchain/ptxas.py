# SPDX-License-Identifier: MIT
"""Each kernel's resources on a multiprocessor, from the verbose output of nvcc's assembler."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace

from lockstep_grader.model.grades import Resources

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
