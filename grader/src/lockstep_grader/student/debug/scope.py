# SPDX-License-Identifier: MIT
"""The variables of the selected frame, and the names that an expression may use there."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from lockstep_grader.model.errors import InputError
from lockstep_grader.student.debug import dwarf, expression
from lockstep_grader.student.debug.dwarf import Die
from lockstep_grader.student.debug.selection import Frame, Selection
from lockstep_grader.student.debug.values import (
    BASIC,
    INT,
    Type,
    Value,
    array_of,
    index_value,
    made,
)


def evaluate(selection: Selection, text: str) -> Value:
    def read(address: int, size: int, origin: int) -> bytes:
        selection.require()
        return selection.read(address, size, origin)

    return expression.evaluate(
        text,
        lambda name: _look_up(selection, name),
        read,
        lambda name: _type_called(selection, name),
    )


def variables(selection: Selection, *tags: int) -> Iterator[tuple[str, Value]]:
    """Those of the frame, the innermost scope first; of these tags."""
    frame = selection.current()
    seen = set()
    for scope in reversed(frame.scopes):
        for die in scope.children:
            name = frame.module.dwarf.name(die) if frame.module else ""
            if die.tag in tags and name and name not in seen:
                seen.add(name)
                if (value := _variable(selection, frame, die)) is not None:
                    yield name, value


def _variable(selection: Selection, frame: Frame, die: Die) -> Value | None:
    place = die.attributes.get(dwarf.LOCATION)
    if not isinstance(place, dwarf.Place) or frame.module is None:
        return None
    if place.symbol.startswith("__local_depot"):
        address = frame.place_in_depot(place.offset)
    elif place.symbol in selection.symbols:
        address = selection.symbols[place.symbol] + place.offset
    elif not (address := _place_of_parameter(frame, die)):
        return None
    type_ = frame.module.types.of(frame.module.dwarf.type_of(die))
    return Value(type_, None, address, address)


def _place_of_parameter(frame: Frame, die: Die) -> int:
    """Of a structure that is passed by value, which clang leaves where it is; 0: of another."""
    function = frame.scopes[0]
    all_ = [child for child in function.children if child.tag == dwarf.PARAMETER]
    if function.tag != dwarf.FUNCTION or len(all_) != len(frame.parameters) or die not in all_:
        return 0
    return frame.parameters[all_.index(die)]


def _look_up(selection: Selection, name: str) -> Value:
    selection.require()
    built_in: dict[str, Callable[[], Value]] = {
        "threadIdx": lambda: index_value(selection.thread_index),
        "blockIdx": lambda: index_value(selection.block_index),
        "blockDim": lambda: index_value(selection.block_dim),
        "gridDim": lambda: index_value(selection.grid_dim),
        "warpSize": lambda: made(INT, 32),
    }
    if name in built_in:
        return built_in[name]()
    if selection.frames():
        for known, value in variables(selection, dwarf.VARIABLE, dwarf.PARAMETER):
            if known == name:
                return value
        this = dict(variables(selection, dwarf.PARAMETER)).get("this")
        if this is not None and this.type.target:
            for member in this.type.target.members:
                if member.name == name:
                    return evaluate(selection, f"this->{name}")
        frame = selection.current()
        module = frame.module
        for die in module.dwarf.globals() if module else ():
            if module and module.dwarf.name(die) == name.split("::")[-1]:
                found = _variable(selection, frame, die)
                if found is not None:
                    return found
    return _dynamic(selection, name)


def _dynamic(selection: Selection, name: str) -> Value:
    """extern __shared__: clang does not describe it, so its type comes from the source."""
    module = next((frame.module for frame in selection.frames() if frame.module), None)
    for symbol, address in selection.symbols.items() if module else ():
        if not re.search(rf"(?:^|\d){re.escape(name)}(?:E|$)", symbol):
            continue
        source = Path(module.source).read_text("utf-8", "replace") if module else ""
        declared = re.search(
            rf"extern\s+__shared__\s+(?:__align__\(\d+\)\s*|alignas\(\d+\)\s*)?([\w:\s]+?)\s+{name}\s*\[",
            source,
        )
        item = _type_called(selection, declared[1].strip()) if declared else None
        if item is not None and item.size:
            return Value(
                array_of(item, selection.launch["dynamic"] // item.size), None, address, address
            )
    raise InputError(f"there is no variable {name} here")


def _type_called(selection: Selection, name: str) -> Type | None:
    if name in BASIC:
        return BASIC[name]
    for module in selection.modules:
        if found := module.type_called(name):
            return found
    return None
