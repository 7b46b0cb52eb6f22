# SPDX-License-Identifier: MIT
"""One PTX text as a debugger needs it."""

from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.student.debug import dwarf
from lockstep_grader.student.debug.dwarf import Die, Dwarf
from lockstep_grader.student.debug.ptx import Ptx, Spot, read_ptx
from lockstep_grader.student.debug.values import Type, Types

_TYPES = (
    *(dwarf.BASE_TYPE, dwarf.STRUCT, dwarf.CLASS, dwarf.UNION),
    *(dwarf.ENUM, dwarf.TYPEDEF),
)


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
        for unit in self.dwarf.units:
            waiting: list[Die] = list(unit.children)
            while waiting:
                die = waiting.pop()
                if die.tag in _TYPES and self.dwarf.name(die) == name:
                    return self.types.of(die)
                if die.tag == dwarf.NAMESPACE:
                    waiting += die.children
        return None

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
