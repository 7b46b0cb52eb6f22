# SPDX-License-Identifier: MIT
"""Reads what a 64-bit little-endian ELF object defines, needs, and runs before main."""

import struct
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from pathlib import Path


class Binding(IntEnum):
    LOCAL = 0
    GLOBAL = 1
    WEAK = 2
    UNIQUE = 10


class Kind(IntEnum):
    OBJECT = 1
    FUNCTION = 2
    IFUNC = 10  # a resolver that the loader calls


class Flag(IntFlag):
    ALLOCATED = 2  # takes memory at run time; the file omits the bytes if all are zero
    EXECUTABLE = 4


_SYMBOL_TABLE, _RELOCATIONS = 2, 4
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_RESERVED_SECTIONS = 0xFF00


class MalformedObjectError(ValueError):
    """Not an object file, or a damaged one."""


@dataclass(frozen=True, slots=True)
class Symbol:
    name: str
    binding: int
    kind: int
    section: int  # 0: undefined
    value: int

    @property
    def is_defined(self) -> bool:
        return self.section != 0


@dataclass(frozen=True, slots=True)
class Section:
    name: str
    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int

    @property
    def is_allocated(self) -> bool:
        return bool(self.flags & Flag.ALLOCATED)

    @property
    def is_executable(self) -> bool:
        return bool(self.flags & Flag.EXECUTABLE)


@dataclass(frozen=True, slots=True)
class Object:
    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]
    pointers: dict[int, tuple[str, ...]]  # by section: the functions that its relocations point to

    def section_of(self, symbol: Symbol) -> Section | None:
        inside = 0 < symbol.section < min(len(self.sections), _RESERVED_SECTIONS)
        return self.sections[symbol.section] if inside else None


def read_object(file: Path) -> Object:
    """Raises MalformedObjectError."""
    data = file.read_bytes()
    try:
        if data[:6] != b"\x7fELF\x02\x01":
            raise MalformedObjectError(f"{file.name} is not a 64-bit little-endian ELF object")
        return _read(data)
    except (struct.error, IndexError, OverflowError, ValueError) as error:
        raise MalformedObjectError(f"{file.name} is damaged: {error}") from error


def _read(data: bytes) -> Object:
    header = _HEADER.unpack_from(data)
    table_offset, entry_size, count, names_index = header[6], header[11], header[12], header[13]
    if count == 0:  # then symbols' sections are in a table of their own, which we do not read
        raise MalformedObjectError("it has more than 65279 sections")
    raw = [_SECTION.unpack_from(data, table_offset + i * entry_size) for i in range(count)]
    if names_index == 0xFFFF:
        names_index = raw[0][6]
    names = raw[names_index][4]
    sections = tuple(
        Section(_text(data, names + s[0]), s[1], s[2], s[4], s[5], s[6], s[7]) for s in raw
    )
    symbols = tuple(
        symbol
        for section in sections
        if section.kind == _SYMBOL_TABLE
        for symbol in _symbols(data, section, sections)
    )
    return Object(sections, symbols, _pointers(data, sections, symbols))


def _symbols(data: bytes, table: Section, sections: tuple[Section, ...]) -> list[Symbol]:
    names = sections[table.link].offset
    found = []
    for at in range(table.offset, table.offset + table.size, _SYMBOL.size):
        name, info, _, section, value, _ = _SYMBOL.unpack_from(data, at)
        found.append(Symbol(_text(data, names + name), info >> 4, info & 0xF, section, value))
    return found


def _pointers(
    data: bytes, sections: tuple[Section, ...], symbols: tuple[Symbol, ...]
) -> dict[int, tuple[str, ...]]:
    functions = {
        (symbol.section, symbol.value): symbol.name
        for symbol in symbols
        if symbol.kind in (Kind.FUNCTION, Kind.IFUNC)
    }
    found: dict[int, tuple[str, ...]] = {}
    for section in sections:
        if section.kind != _RELOCATIONS or not sections[section.info].name.startswith("."):
            continue
        if "_array" not in sections[section.info].name:
            continue  # only sections of code that runs matter
        targets = []
        for at in range(section.offset, section.offset + section.size, _RELOCATION.size):
            _, info, addend = _RELOCATION.unpack_from(data, at)
            symbol = symbols[info >> 32]
            place = (symbol.section, symbol.value + addend)
            targets.append(functions.get(place, symbol.name or "?"))
        found[section.info] = found.get(section.info, ()) + tuple(targets)
    return found


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode()
