# SPDX-License-Identifier: MIT
"""What a stopped launch is: its selected thread, that one's frames as the device tells them, their
variables, and the names that an expression may use there."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lockstep_grader.model.errors import InputError
from lockstep_grader.student.debug import dwarf, expression
from lockstep_grader.student.debug.dwarf import Die
from lockstep_grader.student.debug.target import Running
from lockstep_grader.student.debug.values import (
    BASIC,
    INT,
    Module,
    Type,
    Value,
    array_of,
    index_value,
    made,
)

Index = tuple[int, int, int]
NOT_RUNNING = "no kernel is running: `break KERNEL` or `break LINE`, then `run`"


def spell(index: Index) -> str:
    return "({},{},{})".format(*index)


def nth(linear: int, shape: Index) -> Index:
    return (linear % shape[0], linear // shape[0] % shape[1], linear // shape[0] // shape[1])


def linear(index: Index, shape: Index) -> int:
    return (index[2] * shape[1] + index[1]) * shape[0] + index[0]


def read_index(text: str) -> Index:
    numbers = [int(part) for part in text.strip("() ").split(",")]
    x, y, z = [*numbers, 0, 0][:3]
    return x, y, z


@dataclass(frozen=True, slots=True)
class Frame:
    module: Module | None
    function: str  # readable
    at: int  # in the PTX
    depot: tuple[tuple[int, int], ...]  # from an offset on, to the next one's: where it is
    file: str
    line: int
    scopes: tuple[Die, ...] = ()  # the outermost first
    parameters: tuple[int, ...] = ()  # where they are, in the function's order
    depth: int = 1  # of calls, inlined ones included

    def place_in_depot(self, offset: int) -> int:
        begin, address = next(piece for piece in reversed(self.depot) if piece[0] <= offset)
        return address + offset - begin


class Selection:
    def __init__(self, modules: Sequence[Module]) -> None:
        self.modules = modules
        self.running: Running | None = None
        self.launch: dict[str, Any] = {}  # empty: no kernel has stopped
        self.block, self.thread = 0, 0  # the selected thread, by linear indices
        self.frame = 0
        self._now: list[int] = []  # block, warp and lanes that run
        self._frames: list[Frame] | None = None
        self._symbols: dict[str, int] | None = None

    def take(self, stopped: dict[str, Any]) -> None:
        """What the device says when it stops."""
        self.launch = stopped["launch"]
        self.block, self.thread = stopped["block"], stopped["thread"]
        self._now = stopped["running"]
        self.frame, self._symbols = 0, None
        self._frames = self._made_frames(stopped["frames"])

    def forget(self) -> None:
        self.running, self.launch = None, {}
        self._frames = self._symbols = None

    @property
    def grid_dim(self) -> Index:
        return tuple(self.launch["grid"])

    @property
    def block_dim(self) -> Index:
        return tuple(self.launch["block"])

    @property
    def block_index(self) -> Index:
        return nth(self.block, self.grid_dim)

    @property
    def thread_index(self) -> Index:
        return nth(self.thread, self.block_dim)

    def describe(self) -> str:
        self.require()
        return (
            f"kernel {self.launch['kernel']}, block {spell(self.block_index)}, thread "
            f"{spell(self.thread_index)}, warp {self.thread // 32}, lane {self.thread % 32}"
        )

    def require(self) -> None:
        if not self.launch:
            raise InputError(NOT_RUNNING)

    def select(self, block: int, thread: int) -> None:
        self.require()
        if (block, thread) == (self.block, self.thread):
            self.frame = 0
            return
        frames = self._ask("frames", block=block, thread=thread)
        if isinstance(frames, dict):
            index = nth(block, self.grid_dim)
            raise InputError(
                f"block {spell(index)} is not on the device now: it has ended, or not started. "
                f"Stop in it: break LINE if blockIdx.x == {index[0]}"
            )
        self.block, self.thread, self.frame = block, thread, 0
        self._frames = self._made_frames(frames)

    def threads(self) -> list[dict[str, Any]]:
        """By block: rows of the first and last thread, what they do, and where."""
        self.require()
        blocks: list[dict[str, Any]] = self._ask("threads")
        for block in blocks:
            if self._now and block["block"] == self._now[0]:
                block["rows"] = list(_with_running(block["rows"], self._now[1], self._now[2]))
        return blocks

    def frames(self) -> list[Frame]:
        if not self.launch:
            return []
        return self._frames or []

    def current(self) -> Frame:
        frames = self.frames()
        if not frames:
            raise InputError("this thread has ended" if self.launch else NOT_RUNNING)
        return frames[self.frame]

    def _made_frames(self, described: list[dict[str, Any]]) -> list[Frame]:
        """A frame for each function of the user, inlined ones too; the innermost first."""
        frames: list[Frame] = []
        for depth, one in enumerate(reversed(described), 1):
            module = next((m for m in self.modules if one["function"] in m.dwarf.functions), None)
            die = module.dwarf.functions[one["function"]] if module else None
            scopes = module.dwarf.scopes(die, one["at"]) if module and die else []
            chain = list(reversed(one["chain"]))
            parameters = tuple(one["parameters"])
            depot = tuple((begin, address) for begin, address in one["depot"])
            for level, link in enumerate(chain):
                own = scopes[level] if level < len(scopes) else []
                name = module.dwarf.name(own[0]) if module and own else one["function"]
                place = (one["at"], depot, link["file"], link["line"])
                frames.append(Frame(module, name, *place, tuple(own), parameters, depth + level))
        return frames[::-1]

    def read(self, address: int, size: int, origin: int) -> bytes:
        answer = self._ask(
            "read",
            block=self.block,
            thread=self.thread,
            address=address,
            size=size,
            **{"from": origin},
        )
        if "error" in answer:
            raise InputError(answer["error"])
        return bytes.fromhex(answer["bytes"])

    @property
    def symbols(self) -> dict[str, int]:
        if self._symbols is None:
            self._symbols = dict(self._ask("symbols"))
        return self._symbols

    def _ask(self, what: str, **more: object) -> Any:
        if self.running is None:
            raise InputError(NOT_RUNNING)
        self.running.send(do=what, **more)
        answer = self.running.read()
        if answer is None:
            raise InputError("the program has ended")
        return answer


def _with_running(rows: list[list[Any]], warp: int, lanes: int) -> Iterator[list[Any]]:
    """Splits the rows at the lanes that run now."""
    for first, last, state, line in rows:
        if state != "ready":  # the lanes that ran last may wait by now
            yield [first, last, state, line]
            continue
        begin = first
        for thread in range(first, last + 1):
            is_running = thread // 32 == warp and lanes >> thread % 32 & 1 == 1
            word = "running" if is_running else state
            following = thread + 1
            next_runs = following // 32 == warp and lanes >> following % 32 & 1 == 1
            if thread == last or next_runs != is_running:
                yield [begin, thread, word, line]
                begin = following


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


def variables(selection: Selection, *tags: str) -> Iterator[tuple[str, Value]]:
    """The frame's variables with one of these tags, the innermost scope first."""
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
    place = die.attributes.get("location")
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
    """Where clang leaves a structure that is passed by value; 0: any other parameter."""
    function = frame.scopes[0]
    all_ = [child for child in function.children if child.tag == "formal_parameter"]
    if function.tag != "subprogram" or len(all_) != len(frame.parameters) or die not in all_:
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
        for known, value in variables(selection, "variable", "formal_parameter"):
            if known == name:
                return value
        this = dict(variables(selection, "formal_parameter")).get("this")
        if this is not None and this.type.target:
            for member in this.type.target.members:
                if member.name == name:
                    return evaluate(selection, f"this->{name}")
        frame = selection.current()
        module = frame.module
        for die in module.dwarf.globals("variable") if module else ():
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
