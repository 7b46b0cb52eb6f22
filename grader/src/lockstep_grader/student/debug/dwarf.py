# SPDX-License-Identifier: MIT
"""What a debugger reads from a PTX text: lines of the source, labels, and DWARF 2 as clang emits
it, with functions, scopes, variables and types.

An address is a line of the text, from 1, as the device numbers instructions.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

# Attributes and tags by their numbers in the standard.
NAME, LOW, HIGH, SIZE, CONST_VALUE = 0x03, 0x11, 0x12, 0x0B, 0x1C
LOCATION, TYPE, ENCODING, COUNT, UPPER = 0x02, 0x49, 0x3E, 0x37, 0x2F
MEMBER_AT, ORIGIN, SPECIFICATION, DECLARATION = 0x38, 0x31, 0x47, 0x3C
BIT_SIZE, BIT_OFFSET = 0x0D, 0x0C
ARRAY, CLASS, ENUM, PARAMETER, BLOCK, MEMBER, POINTER = 0x01, 0x02, 0x04, 0x05, 0x0B, 0x0D, 0x0F
REFERENCE, STRUCT, TYPEDEF, UNION, BASE, INLINED = 0x10, 0x13, 0x16, 0x17, 0x1C, 0x1D
SUBRANGE, CONST, ENUMERATOR, FUNCTION, VARIABLE, VOLATILE = 0x21, 0x26, 0x28, 0x2E, 0x34, 0x35
BASE_TYPE, RESTRICT, RVALUE, NAMESPACE = 0x24, 0x37, 0x42, 0x39

_FIXED: Final = {0x0B: 1, 0x0C: 1, 0x05: 2, 0x06: 4, 0x07: 8, 0x13: 4, 0x11: 1, 0x12: 2, 0x17: 4}
_BLOCKS: Final = {0x0A: 1, 0x03: 2, 0x04: 4}
_OP_ADDRESS, _OP_PLUS, _OP_CONST = 0x03, 0x23, 0x10


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


@dataclass(slots=True, eq=False)
class Die:
    tag: int
    attributes: dict[int, object]
    children: "list[Die]" = field(default_factory=list)

    def number(self, attribute: int, otherwise: int = 0) -> int:
        value = self.attributes.get(attribute, otherwise)
        return value if isinstance(value, int) else otherwise

    def text(self, attribute: int) -> str:
        value = self.attributes.get(attribute, "")
        return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class Place:
    """A location: a symbol, which may be a function's depot, and an offset."""

    symbol: str
    offset: int


class _Reader:
    def __init__(self, section: Section, at: int = 0) -> None:
        self.section, self.at = section, at

    def fixed(self, size: int) -> int:
        self.at += size
        return int.from_bytes(self.section.data[self.at - size : self.at], "little")

    def uleb(self) -> int:
        value = shift = 0
        while True:
            byte = self.fixed(1)
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def sleb(self) -> int:
        before = self.at
        value = self.uleb()
        bits = 7 * (self.at - before)
        return value - (1 << bits) if value >> (bits - 1) & 1 else value

    def string(self) -> str:
        end = self.section.data.index(0, self.at)
        text = bytes(self.section.data[self.at : end]).decode("utf-8", "replace")
        self.at = end + 1
        return text

    def symbol(self, size: int) -> str:
        self.at += size
        return self.section.symbols.get(self.at - size, "")


class Dwarf:
    def __init__(self, ptx: Ptx) -> None:
        self._ptx = ptx
        self.functions: dict[str, Die] = {}  # by mangled name
        self._by_offset: dict[int, Die] = {}
        self.units: list[Die] = []
        info = ptx.sections.get(".debug_info", Section())
        self._abbreviations = _abbreviations(ptx.sections.get(".debug_abbrev", Section()))
        self._strings = ptx.sections.get(".debug_str", Section())
        reader = _Reader(info)
        while reader.at + 11 <= len(info.data):
            self._unit(reader)

    def _unit(self, reader: _Reader) -> None:
        begin = reader.at
        end = begin + 4 + reader.fixed(4)
        reader.at = begin + 11  # length, version, abbreviations, size of an address
        open_: list[Die] = []
        while reader.at < end:
            offset = reader.at
            code = reader.uleb()
            if code == 0:
                if open_:
                    open_.pop()
                continue
            tag, has_children, forms = self._abbreviations[code]
            die = Die(tag, {name: self._value(reader, form, begin) for name, form in forms})
            self._by_offset[offset] = die
            (open_[-1].children if open_ else self.units).append(die)
            if tag == FUNCTION and (label := die.text(LOW)):
                self.functions[self._ptx.function_of.get(label, "")] = die
            if has_children:
                open_.append(die)

    def _value(self, reader: _Reader, form: int, unit: int) -> object:
        if form == 0x01:
            return reader.symbol(8)
        if form in (0x13, 0x11, 0x12):
            return unit + reader.fixed(_FIXED[form])
        if form == 0x10:
            return reader.fixed(4)
        if form in _FIXED:
            return reader.fixed(_FIXED[form])
        if form == 0x08:
            return reader.string()
        if form == 0x0E:
            return _Reader(self._strings, reader.fixed(4)).string()
        if form == 0x0D:
            return reader.sleb()
        if form == 0x0F:
            return reader.uleb()
        if form == 0x19:
            return 1
        size = reader.uleb() if form in (0x09, 0x18) else reader.fixed(_BLOCKS[form])
        block = _Reader(reader.section, reader.at)
        reader.at += size
        return _location(block, reader.at)

    def named(self, die: Die, attribute: int) -> Die | None:
        """What an attribute refers to."""
        offset = die.attributes.get(attribute)
        return self._by_offset.get(offset) if isinstance(offset, int) else None

    def _with(self, die: Die | None, attribute: int) -> Die | None:
        """The entry, or the one that it is a copy of: the first with the attribute."""
        while die and attribute not in die.attributes:
            die = self.named(die, ORIGIN) or self.named(die, SPECIFICATION)
        return die

    def name(self, die: Die) -> str:
        found = self._with(die, NAME)
        return found.text(NAME) if found else ""

    def type_of(self, die: Die) -> Die | None:
        found = self._with(die, TYPE)
        return self.named(found, TYPE) if found else None

    def _covers(self, die: Die, at: int) -> bool:
        low, high = (self._ptx.labels.get(die.text(end), 0) for end in (LOW, HIGH))
        return low <= at < high

    def scopes(self, function: Die, at: int) -> list[list[Die]]:
        """Scopes that hold the address: a list for the function and each inlined one in it."""
        frames = [[function]]
        children = function.children
        while True:
            for child in children:
                if child.tag in (BLOCK, INLINED) and self._covers(child, at):
                    if child.tag == INLINED:
                        frames.append([child])
                    else:
                        frames[-1].append(child)
                    children = child.children
                    break
            else:
                return frames

    def copies_of(self, name: str) -> list[int]:
        """Where an inlined function of that name begins."""
        found = []

        def visit(die: Die) -> None:
            if die.tag == INLINED and self.name(die) == name and die.text(LOW) in self._ptx.labels:
                found.append(self._ptx.labels[die.text(LOW)])
            for child in die.children:
                visit(child)

        for function in self.functions.values():
            visit(function)
        return found

    def globals(self, *tags: int) -> Iterator[Die]:
        """Also the entries in namespaces."""
        for unit in self.units:
            waiting = list(unit.children)
            while waiting:
                die = waiting.pop()
                if die.tag in tags:
                    yield die
                elif die.tag == NAMESPACE:
                    waiting += die.children


def _abbreviations(
    section: Section,
) -> dict[int, tuple[int, bool, list[tuple[int, int]]]]:
    found = {}
    reader = _Reader(section)
    while reader.at < len(section.data) and (code := reader.uleb()):
        tag, has_children = reader.uleb(), bool(reader.fixed(1))
        forms = []
        while (pair := (reader.uleb(), reader.uleb())) != (0, 0):
            forms.append(pair)
        found[code] = (tag, has_children, forms)
    return found


def _location(reader: _Reader, end: int) -> Place:
    symbol, offset = "", 0
    while reader.at < end:
        operation = reader.fixed(1)
        if operation == _OP_ADDRESS:
            symbol = reader.symbol(8)
        elif operation in (_OP_PLUS, _OP_CONST):
            offset += reader.uleb()
        else:
            break
    return Place(symbol, offset)
