# SPDX-License-Identifier: MIT
"""What a debugger reads from a PTX text: lines of the source, labels, and DWARF as bytes.

An address is a line of the text, from 1, as the device numbers instructions.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_LOC = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:.*@\[(.*)\])?")
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"(.*)"')
_LABEL = re.compile(r"^(\$?[\w$]+):")
_SECTION = re.compile(r"^\s*\.section\s+(\.\w+)")
_DATA = re.compile(r"^\s*\.b(8|16|32|64)\s+([^/\n]*)")
_INSTRUCTION = re.compile(r"^\s+(?:@!?%\w+\s+)?[a-z]")


@dataclass(frozen=True, slots=True)
class Spot:
    """The first instruction of a line's code in one function, or in one copy of an inlined one."""

    function: str  # mangled
    at: int
    file: str
    line: int


@dataclass(slots=True)
class Section:
    """Bytes. Where an address is, `symbols` has its symbol."""

    data: bytearray = field(default_factory=bytearray)
    symbols: dict[int, str] = field(default_factory=dict)


@dataclass(slots=True)
class Ptx:
    spots: list[Spot] = field(default_factory=list)
    kernels: list[str] = field(default_factory=list)  # mangled
    entries: dict[str, Spot] = field(default_factory=dict)  # of functions, behind their parameters
    labels: dict[str, int] = field(default_factory=dict)
    function_of: dict[str, str] = field(default_factory=dict)  # by label
    sections: dict[str, Section] = field(default_factory=dict)


def read_ptx(text: str) -> Ptx:
    ptx = Ptx()
    files: dict[str, str] = {}
    lines = text.splitlines()
    for line in lines:
        if match := _FILE.match(line):
            files[match[1]] = match[2]
    numbered = iter(enumerate(lines, 1))
    function, head = "", ""
    for _, line in numbered:
        if match := _SECTION.match(line):
            ptx.sections[match[1]] = _section(line, numbered)
        elif ".entry" in line or ".func" in line:
            head = line
        elif line.startswith("{"):
            function = _name(head)
            if ".entry" in head:
                ptx.kernels.append(function)
            _read_body(ptx, function, files, numbered)
    return ptx


def _name(head: str) -> str:
    words = re.sub(r"\.func\s*\([^)]*\)", ".func", head)
    match = re.search(r"\.(?:entry|func)\s+([\w$]+)", words)
    return match[1] if match else ""


def _read_body(
    ptx: Ptx, function: str, files: dict[str, str], numbered: Iterator[tuple[int, str]]
) -> None:
    place: tuple[str, int, str] | None = None
    is_head = True
    seen: set[tuple[str, int, str]] = set()
    for number, line in numbered:
        if line.startswith("}"):
            return
        if match := _LOC.match(line):
            place = (files.get(match[1], ""), int(match[2]), match[4] or "")
            is_head = is_head and match[3] == "0"
        elif match := _LABEL.match(line):
            ptx.labels[match[1]] = number
            ptx.function_of[match[1]] = function
        elif place is None or not place[1] or is_head or place in seen:
            continue  # a head stores parameters
        elif _INSTRUCTION.match(line):
            seen.add(place)
            spot = Spot(function, number, place[0], place[1])
            ptx.spots.append(spot)
            ptx.entries.setdefault(function, spot)


def _section(first: str, numbered: Iterator[tuple[int, str]]) -> Section:
    section = Section()
    if first.rstrip().endswith("}"):
        return section
    for _, line in numbered:
        if line.strip().startswith("}"):
            break
        if not (match := _DATA.match(line)):
            continue
        size = int(match[1]) // 8
        for word in match[2].replace("\t", " ").split(","):
            word = word.strip()
            if word.lstrip("-").isdigit():
                section.data += (int(word) % (1 << 8 * size)).to_bytes(size, "little")
            else:
                section.symbols[len(section.data)] = word
                section.data += bytes(size)
    return section
