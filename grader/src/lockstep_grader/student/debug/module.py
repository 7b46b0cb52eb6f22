# SPDX-License-Identifier: MIT
"""One PTX text as a debugger needs it: functions, types, places in the source."""

from dataclasses import dataclass, replace
from pathlib import Path

from lockstep_grader.student.debug import dwarf
from lockstep_grader.student.debug.dwarf import Die, Dwarf, Ptx, Spot, read_ptx
from lockstep_grader.student.debug.values import VOID, Member, Type, array_of, pointer_to

_TYPES = (
    *(dwarf.BASE_TYPE, dwarf.STRUCT, dwarf.CLASS, dwarf.UNION),
    *(dwarf.ENUM, dwarf.TYPEDEF),
)
_FLOAT, _BOOL, _SIGNED, _CHARS = 4, 2, 5, (6, 8)  # DW_ATE


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
            if depth > 0 and die.tag in (dwarf.STRUCT, dwarf.CLASS, dwarf.POINTER):
                return made_
            self._known[id(die)] = made_
        return self._known[id(die)]

    def _make(self, die: Die, depth: int) -> Type:
        name, size = self._dwarf.name(die), die.number(dwarf.SIZE)
        inner = self._dwarf.named(die, dwarf.TYPE)
        if die.tag == dwarf.BASE_TYPE:
            encoding = die.number(dwarf.ENCODING)
            kind = {_FLOAT: "float", _BOOL: "bool"}.get(encoding, "int")
            kind = "char" if encoding in _CHARS else kind
            return Type(kind, name, size, encoding in (_SIGNED, 6))
        if die.tag in (dwarf.POINTER, dwarf.REFERENCE, dwarf.RVALUE):
            target = self.of(inner, depth + 1)
            pointer = pointer_to(target)
            if die.tag == dwarf.POINTER:
                return pointer
            return replace(pointer, kind="reference", name=f"{target.name} &")
        if die.tag in (dwarf.CONST, dwarf.VOLATILE, dwarf.RESTRICT, dwarf.TYPEDEF):
            under = self.of(inner, depth + 1)
            word = {dwarf.CONST: "const ", dwarf.VOLATILE: "volatile "}.get(die.tag, "")
            named = name if die.tag == dwarf.TYPEDEF else f"{word}{under.name}"
            if under.kind == "pointer" and die.tag != dwarf.TYPEDEF:
                named = f"{under.name}{' ' if word and not under.name.endswith('*') else ''}"
                named += word.strip()
            return replace(under, name=named)
        if die.tag in (dwarf.STRUCT, dwarf.CLASS, dwarf.UNION):
            return Type("struct", name, size, members=tuple(self._members(die, depth)))
        if die.tag == dwarf.ENUM:
            names = tuple(
                (child.number(dwarf.CONST_VALUE), child.text(dwarf.NAME))
                for child in die.children
                if child.tag == dwarf.ENUMERATOR
            )
            return Type("enum", name, size, is_signed=True, names=names)
        if die.tag == dwarf.ARRAY:
            type_ = self.of(inner, depth + 1)
            counts = [
                child.number(dwarf.COUNT, child.number(dwarf.UPPER, -1) + 1)
                for child in die.children
                if child.tag == dwarf.SUBRANGE
            ]
            for count in reversed(counts):
                type_ = array_of(type_, count)
            return type_
        return Type("void", name or "void")

    def _members(self, die: Die, depth: int) -> list[Member]:
        found = []
        for child in die.children:
            if child.tag not in (dwarf.MEMBER, dwarf.BASE) or dwarf.DECLARATION in child.attributes:
                continue  # a static member is somewhere else
            place = child.attributes.get(dwarf.MEMBER_AT)
            offset = (
                place.offset if isinstance(place, dwarf.Place) else child.number(dwarf.MEMBER_AT)
            )
            type_ = self.of(self._dwarf.named(child, dwarf.TYPE), depth + 1)
            bits = None
            if size := child.number(dwarf.BIT_SIZE):
                whole = 8 * child.number(dwarf.SIZE, type_.size)
                bits = (whole - child.number(dwarf.BIT_OFFSET) - size, size)
            found.append(Member(child.text(dwarf.NAME), type_, offset, bits))
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
        """Of functions that a breakpoint can name."""
        return sorted({self.dwarf.name(die) for die in self.dwarf.functions.values()})


def read_module(path: Path) -> Module:
    ptx = read_ptx(path.read_text("utf-8", "replace"))
    made = Dwarf(ptx)
    source = made.units[0].text(dwarf.NAME) if made.units else ""
    return Module(ptx, made, Types(made), source)
