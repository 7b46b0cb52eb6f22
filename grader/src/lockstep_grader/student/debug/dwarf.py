# SPDX-License-Identifier: MIT
"""What a debugger reads from a PTX text: lines of the source, labels, and DWARF as clang emits it,
with functions, scopes, variables and types.

An address is a line of the text, from 1, as the device numbers instructions. Names of tags and
attributes are those of the standard, without their prefix.
"""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from inspect import signature
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from elftools.dwarf.compileunit import CompileUnit
    from elftools.dwarf.die import DIE, AttributeValue

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
class Ptx:
    spots: list[Spot] = field(default_factory=list)
    kernels: list[str] = field(default_factory=list)  # mangled
    entries: dict[str, Spot] = field(default_factory=dict)  # of functions, behind their parameters
    labels: dict[str, int] = field(default_factory=dict)
    function_of: dict[str, str] = field(default_factory=dict)  # by label
    sections: dict[str, bytes] = field(default_factory=dict)
    symbols: list[str] = field(default_factory=list)  # a section has the index for the address


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
            ptx.sections[match[1]] = _section(ptx, line, numbered)
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


def _section(ptx: Ptx, first: str, numbered: Iterator[tuple[int, str]]) -> bytes:
    data = bytearray()
    if first.rstrip().endswith("}"):
        return b""
    for _, line in numbered:
        if line.strip().startswith("}"):
            break
        if not (match := _DATA.match(line)):
            continue
        size = int(match[1]) // 8
        for word in match[2].replace("\t", " ").split(","):
            word = word.strip()
            number = 0
            if word.lstrip("-").isdigit():
                number = int(word) % (1 << 8 * size)
            elif size == 8:
                number = len(ptx.symbols)
                ptx.symbols.append(word)
            data += number.to_bytes(size, "little")
    return bytes(data)


@dataclass(slots=True, eq=False)
class Die:
    """An entry of the debug information. `eq=False`: each is one of a kind."""

    tag: str
    attributes: dict[str, object]
    children: "list[Die]"

    def number(self, attribute: str, otherwise: int = 0) -> int:
        value = self.attributes.get(attribute, otherwise)
        return value if isinstance(value, int) else otherwise

    def text(self, attribute: str) -> str:
        value = self.attributes.get(attribute, "")
        return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class Place:
    """A location: a symbol, which may be a function's depot, and an offset."""

    symbol: str
    offset: int


class Dwarf:
    def __init__(self, ptx: Ptx) -> None:
        from elftools.dwarf.dwarf_expr import DWARFExprParser

        self._ptx = ptx
        self.functions: dict[str, Die] = {}  # by mangled name
        self._by_offset: dict[int, Die] = {}
        self.units = []
        for unit in _units(ptx):
            self._expressions = DWARFExprParser(unit.structs)  # which takes long to make
            self.units.append(self._entry(unit, unit.get_top_DIE()))

    def _entry(self, unit: "CompileUnit", read: "DIE") -> Die:
        die = Die(
            str(read.tag).removeprefix("DW_TAG_"),
            {
                str(name).removeprefix("DW_AT_"): self._value(unit, each)
                for name, each in read.attributes.items()
            },
            [self._entry(unit, child) for child in read.iter_children()],
        )
        self._by_offset[read.offset] = die
        if die.tag == "subprogram" and (label := die.text("low_pc")):
            self.functions[self._ptx.function_of.get(label, "")] = die
        return die

    def _value(self, unit: "CompileUnit", attribute: "AttributeValue") -> object:
        form, value = str(attribute.form), attribute.value
        if form == "DW_FORM_addr":
            return self._ptx.symbols[value]
        if form.startswith("DW_FORM_ref") and form != "DW_FORM_ref_addr":
            return unit.cu_offset + value
        if form.startswith(("DW_FORM_block", "DW_FORM_exprloc")):
            return self._location(value)
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else value

    def _location(self, expression: list[int]) -> Place:
        symbol, offset = "", 0
        for each in self._expressions.parse_expr(expression):
            if each.op_name == "DW_OP_addr":
                symbol = self._ptx.symbols[each.args[0]]
            elif each.op_name in ("DW_OP_plus_uconst", "DW_OP_constu"):
                offset += each.args[0]
            else:
                break
        return Place(symbol, offset)

    def named(self, die: Die, attribute: str) -> Die | None:
        """What an attribute refers to."""
        offset = die.attributes.get(attribute)
        return self._by_offset.get(offset) if isinstance(offset, int) else None

    def _with(self, die: Die | None, attribute: str) -> Die | None:
        """The entry, or the one that it is a copy of: the first with the attribute."""
        while die and attribute not in die.attributes:
            die = self.named(die, "abstract_origin") or self.named(die, "specification")
        return die

    def name(self, die: Die) -> str:
        found = self._with(die, "name")
        return found.text("name") if found else ""

    def type_of(self, die: Die) -> Die | None:
        found = self._with(die, "type")
        return self.named(found, "type") if found else None

    def _covers(self, die: Die, at: int) -> bool:
        low, high = (self._ptx.labels.get(die.text(end), 0) for end in ("low_pc", "high_pc"))
        return low <= at < high

    def scopes(self, function: Die, at: int) -> list[list[Die]]:
        """Scopes that hold the address: a list for the function and each inlined one in it."""
        frames = [[function]]
        children = function.children
        while True:
            for child in children:
                if child.tag in ("lexical_block", "inlined_subroutine") and self._covers(child, at):
                    if child.tag == "inlined_subroutine":
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
            begin = self._ptx.labels.get(die.text("low_pc"))
            if begin is not None and die.tag == "inlined_subroutine" and self.name(die) == name:
                found.append(begin)
            for child in die.children:
                visit(child)

        for function in self.functions.values():
            visit(function)
        return found

    def globals(self, *tags: str) -> Iterator[Die]:
        """Also the entries in namespaces."""
        for unit in self.units:
            waiting = list(unit.children)
            while waiting:
                die = waiting.pop()
                if die.tag in tags:
                    yield die
                elif die.tag == "namespace":
                    waiting += die.children


def _units(ptx: Ptx) -> Iterator["CompileUnit"]:
    from elftools.dwarf.dwarfinfo import DebugSectionDescriptor, DwarfConfig, DWARFInfo

    def section(name: str) -> DebugSectionDescriptor:
        data = ptx.sections.get(name, b"")
        return DebugSectionDescriptor(io.BytesIO(data), name, 0, len(data), 0)

    if not ptx.sections.get(".debug_info"):
        return iter(())
    given: dict[str, Any] = dict.fromkeys(signature(DWARFInfo).parameters)  # PTX has few sections
    given["config"] = DwarfConfig(little_endian=True, machine_arch="x64", default_address_size=8)
    for name in ("debug_info", "debug_abbrev", "debug_str"):
        given[f"{name}_sec"] = section(f".{name}")
    return DWARFInfo(**given).iter_CUs()
