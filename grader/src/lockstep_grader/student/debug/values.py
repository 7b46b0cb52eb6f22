# SPDX-License-Identifier: MIT
"""Types and values of C as a kernel has them, how they are printed, and what one PTX text says of a
program: functions, types, places in the source."""

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from lockstep_grader.model.errors import InputError
from lockstep_grader.student.debug.dwarf import Die, Dwarf, Place, Ptx, Spot, read_ptx

_MOST_ITEMS = 200  # of an array are shown
_RECORDS = ("structure_type", "class_type", "union_type")
_TYPES = (*_RECORDS, "base_type", "enumeration_type", "typedef")
_FLOAT, _BOOL, _SIGNED, _CHARS = 4, 2, 5, (6, 8)  # DW_ATE


@dataclass(frozen=True, slots=True)
class Member:
    name: str
    type: "Type"
    offset: int
    bits: tuple[int, int] | None = None  # of a bit field: its first bit, and how many


@dataclass(frozen=True, slots=True)
class Type:
    kind: str  # int, bool, char, float, pointer, reference, array, struct, enum, void
    name: str
    size: int = 0
    is_signed: bool = False
    target: "Type | None" = None  # of a pointer and of an array
    count: int = 0
    members: tuple[Member, ...] = ()
    names: tuple[tuple[int, str], ...] = ()  # of an enum's values


INT: Final = Type("int", "int", 4, is_signed=True)
UNSIGNED: Final = Type("int", "unsigned int", 4)
LONG: Final = Type("int", "long", 8, is_signed=True)
UNSIGNED_LONG: Final = Type("int", "unsigned long", 8)
FLOAT: Final = Type("float", "float", 4)
DOUBLE: Final = Type("float", "double", 8)
BOOL: Final = Type("bool", "bool", 1)
VOID: Final = Type("void", "void")
BASIC: Final = {
    type_.name: type_
    for type_ in (
        *(INT, UNSIGNED, LONG, UNSIGNED_LONG, FLOAT, DOUBLE, BOOL, VOID),
        Type("char", "char", 1, is_signed=True),
        Type("char", "signed char", 1, is_signed=True),
        Type("char", "unsigned char", 1),
        Type("int", "short", 2, is_signed=True),
        Type("int", "unsigned short", 2),
        Type("int", "long long", 8, is_signed=True),
        Type("int", "unsigned long long", 8),
        Type("int", "unsigned", 4),
        Type("int", "size_t", 8),
    )
}
_XYZ: Final = tuple(Member(name, UNSIGNED, 4 * at) for at, name in enumerate("xyz"))
INDEX: Final = Type("struct", "uint3", 12, members=_XYZ)  # of threadIdx


def pointer_to(target: Type) -> Type:
    name = f"{target.name}*" if target.name.endswith("*") else f"{target.name} *"
    return Type("pointer", name, 8, target=target)


# Reads bytes: their address, their number, and a pointer into what must contain them.
Read = Callable[[int, int, int], bytes]


@dataclass(frozen=True, slots=True)
class Value:
    type: Type
    data: bytes | None = None  # None: in memory, at `address`
    address: int = 0
    origin: int = 0  # the address by which it is reached: bounds are those of what holds it
    base: int = 0  # of a pointer that was computed: what it was before
    text: str = field(default="", compare=False)  # as the user wrote it

    def bytes(self, read: Read) -> bytes:
        if self.data is not None:
            return self.data
        return read(self.address, self.type.size, self.origin or self.address)

    def loaded(self, read: Read) -> "Value":
        return replace(self, data=self.bytes(read))

    def number(self, read: Read) -> int | float:
        """The number, of an arithmetic type; or else the address."""
        if self.type.kind == "array":
            return self.address
        if self.type.kind in ("struct", "void"):
            raise InputError(f"{self.text or self.type.name} is no number")
        data = self.bytes(read)
        if self.type.kind == "float":
            return float(struct.unpack({2: "<e", 4: "<f", 8: "<d"}[self.type.size], data)[0])
        return int.from_bytes(data, "little", signed=self.type.is_signed)


def made(type_: Type, number: int | float) -> Value:
    """A value without an address."""
    if type_.kind == "float":
        try:
            data = struct.pack({4: "<f", 8: "<d"}[type_.size], number)
        except OverflowError:
            data = struct.pack("<f", math.copysign(math.inf, number))
        return Value(type_, data)
    if type_.kind == "bool":
        number = bool(number)
    if isinstance(number, float) and not math.isfinite(number):
        number = 0
    return Value(type_, (int(number) % (1 << 8 * type_.size)).to_bytes(type_.size, "little"))


def index_value(index: tuple[int, int, int]) -> Value:
    return Value(INDEX, struct.pack("<3I", *index))


def array_of(item: Type, count: int) -> Type:
    head, bracket, tail = item.name.partition(" [") if item.kind == "array" else (item.name, "", "")
    name = f"{head} [{count}]{'[' + tail if bracket else ''}"
    return Type("array", name, item.size * count, target=item, count=count)


def spelled(value: Value, read: Read, style: str = "") -> str:
    """As gdb prints it; `style` is a letter of print/x."""
    text = _spelled(value, read, style)
    return f"({value.type.name}) {text}" if value.type.kind == "pointer" and not style else text


def _spelled(value: Value, read: Read, style: str) -> str:
    type_ = value.type
    if type_.kind == "array":
        return _array(value, read, style)
    if type_.kind == "struct":
        whole = value.loaded(read)
        parts = []
        for member in type_.members:
            shown = _spelled(member_of(whole, member), read, style)
            parts.append(f"{member.name} = {shown}" if member.name else shown)
        return "{" + ", ".join(parts) + "}"
    if type_.kind == "void":
        return "void"
    number = value.number(read)
    if isinstance(number, float) and style not in ("x", "d", "u", "t", "o"):
        digits = 9 if type_.size == 4 else 17
        return f"{number:.{digits}g}"
    return _whole(type_, int(number), style)


def _whole(type_: Type, number: int, style: str) -> str:
    mask = (1 << 8 * type_.size) - 1
    if style in ("x", "t", "o"):
        prefix = {"x": "0x", "o": "0", "t": ""}[style]
        return prefix + format(number & mask, {"x": "x", "t": "b", "o": "o"}[style])
    if style == "u":
        return str(number & mask)
    if type_.kind in ("pointer", "reference") and style != "d":
        return hex(number)
    if type_.kind == "bool" and style != "d":
        return {0: "false", 1: "true"}.get(number, str(number))
    if (type_.kind == "char" and style != "d") or style == "c":
        byte = number & 0xFF
        letter = chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"
        return f"{number} '{letter}'"
    if type_.kind == "enum" and style != "d":
        return dict(type_.names).get(number, str(number))
    return str(number)


def _array(value: Value, read: Read, style: str) -> str:
    target = value.type.target or VOID
    count = min(value.type.count, _MOST_ITEMS)
    whole = replace(value, type=replace(value.type, size=count * target.size)).loaded(read)
    texts = [_spelled(item_of(whole, at, target), read, style) for at in range(count)]
    parts: list[str] = []
    at = 0
    while at < len(texts):
        end = at
        while end < len(texts) and texts[end] == texts[at]:
            end += 1
        if end - at > 10:
            parts.append(f"{texts[at]} <repeats {end - at} times>")
        else:
            parts += texts[at:end]
        at = end
    dots = "..." if count < value.type.count else ""
    return "{" + ", ".join(parts) + dots + "}"


def item_of(array: Value, at: int, target: Type) -> Value:
    offset = at * target.size
    data = None if array.data is None else array.data[offset : offset + target.size]
    return Value(target, data, array.address + offset, array.origin or array.address)


def member_of(whole: Value, member: Member) -> Value:
    end = member.offset + member.type.size
    data = None if whole.data is None else whole.data[member.offset : end]
    part = Value(member.type, data, whole.address + member.offset, whole.origin or whole.address)
    if member.bits and data is not None:
        first, count = member.bits
        number = int.from_bytes(data, "little") >> first & ((1 << count) - 1)
        if member.type.is_signed and number >> (count - 1):
            number -= 1 << count
        return made(member.type, number)
    return part


class Types:
    """Types of a module's DWARF; each is made once."""

    def __init__(self, dwarf_: Dwarf) -> None:
        self._dwarf = dwarf_
        self._known: dict[int, Type] = {}

    def of(self, die: Die | None, depth: int = 0) -> Type:
        if die is None or depth > 12:  # a list's node has a pointer to a node
            return VOID
        if id(die) not in self._known:
            made_ = self._make(die, depth)
            if depth > 0 and die.tag in ("structure_type", "class_type", "pointer_type"):
                return made_
            self._known[id(die)] = made_
        return self._known[id(die)]

    def _make(self, die: Die, depth: int) -> Type:
        name, size = self._dwarf.name(die), die.number("byte_size")
        inner = self._dwarf.named(die, "type")
        if die.tag == "base_type":
            encoding = die.number("encoding")
            kind = {_FLOAT: "float", _BOOL: "bool"}.get(encoding, "int")
            kind = "char" if encoding in _CHARS else kind
            return Type(kind, name, size, encoding in (_SIGNED, 6))
        if die.tag in ("pointer_type", "reference_type", "rvalue_reference_type"):
            target = self.of(inner, depth + 1)
            pointer = pointer_to(target)
            if die.tag == "pointer_type":
                return pointer
            return replace(pointer, kind="reference", name=f"{target.name} &")
        if die.tag in ("const_type", "volatile_type", "restrict_type", "typedef"):
            under = self.of(inner, depth + 1)
            word = {"const_type": "const ", "volatile_type": "volatile "}.get(die.tag, "")
            named = name if die.tag == "typedef" else f"{word}{under.name}"
            if under.kind == "pointer" and die.tag != "typedef":
                named = f"{under.name}{' ' if word and not under.name.endswith('*') else ''}"
                named += word.strip()
            return replace(under, name=named)
        if die.tag in _RECORDS:
            return Type("struct", name, size, members=tuple(self._members(die, depth)))
        if die.tag == "enumeration_type":
            names = tuple(
                (child.number("const_value"), child.text("name"))
                for child in die.children
                if child.tag == "enumerator"
            )
            return Type("enum", name, size, is_signed=True, names=names)
        if die.tag == "array_type":
            type_ = self.of(inner, depth + 1)
            counts = [
                child.number("count", child.number("upper_bound", -1) + 1)
                for child in die.children
                if child.tag == "subrange_type"
            ]
            for count in reversed(counts):
                type_ = array_of(type_, count)
            return type_
        return Type("void", name or "void")

    def _members(self, die: Die, depth: int) -> list[Member]:
        found = []
        for child in die.children:
            if child.tag not in ("member", "inheritance") or "declaration" in child.attributes:
                continue  # a static member is somewhere else
            place = child.attributes.get("data_member_location")
            at = place.offset if isinstance(place, Place) else child.number("data_member_location")
            type_ = self.of(self._dwarf.named(child, "type"), depth + 1)
            bits = None
            if size := child.number("bit_size"):
                whole = 8 * child.number("byte_size", type_.size)
                bits = (whole - child.number("bit_offset") - size, size)
            found.append(Member(child.text("name"), type_, at, bits))
        return found


@dataclass(frozen=True, slots=True)
class Module:
    ptx: Ptx
    dwarf: Dwarf
    types: Types
    source: str  # the file that was compiled

    def spots_of_function(self, name: str) -> list[Spot]:
        bare = name.split("::")[-1].split("(")[0].strip()
        spots = [
            self.ptx.entries[mangled]
            for mangled, die in self.dwarf.functions.items()
            if self.dwarf.name(die).split("<")[0] == bare and mangled in self.ptx.entries
        ]
        for at in self.dwarf.copies_of(bare):
            spots += [spot for spot in self.ptx.spots if spot.at >= at][:1]
        return spots

    def type_called(self, name: str) -> Type | None:
        named = (die for die in self.dwarf.globals(*_TYPES) if self.dwarf.name(die) == name)
        die = next(named, None)
        return self.types.of(die) if die else None

    def kernels(self) -> list[str]:
        named = (self.dwarf.functions.get(mangled) for mangled in self.ptx.kernels)
        return sorted({self.dwarf.name(die) for die in named if die})

    def names(self) -> list[str]:
        """The functions that a breakpoint can name."""
        return sorted({self.dwarf.name(die) for die in self.dwarf.functions.values()})


def read_module(path: Path) -> Module:
    ptx = read_ptx(path.read_text("utf-8", "replace"))
    made = Dwarf(ptx)
    source = made.units[0].text("name") if made.units else ""
    return Module(ptx, made, Types(made), source)
