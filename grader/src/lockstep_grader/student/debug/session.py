# SPDX-License-Identifier: MIT
"""A debugging session, without a face: breakpoints, steps, the selected thread and its frames."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lockstep_grader.model.errors import InputError
from lockstep_grader.student.debug import dwarf
from lockstep_grader.student.debug.dwarf import Die
from lockstep_grader.student.debug.expression import evaluate
from lockstep_grader.student.debug.module import Module, read_module
from lockstep_grader.student.debug.ptx import Spot
from lockstep_grader.student.debug.target import Running, Target
from lockstep_grader.student.debug.values import (
    BASIC,
    INT,
    Type,
    Value,
    array_of,
    index_value,
    made,
)

Index = tuple[int, int, int]
_THREAD = re.compile(r"\bthread (\(\d+,\d+,\d+\)|\d+) of block (\(\d+,\d+,\d+\)|\d+)")
_NOT_RUNNING = "no kernel is running: `break KERNEL` or `break LINE`, then `run`"


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


@dataclass(slots=True)
class Breakpoint:
    number: int
    spots: tuple[Spot, ...]
    where: str  # as the user wrote it
    condition: str = ""
    is_temporary: bool = False
    is_enabled: bool = True
    hits: int = 0


@dataclass(frozen=True, slots=True)
class Frame:
    module: Module | None
    function: str  # readable
    mangled: str
    at: int  # in the PTX
    depot: int
    file: str
    line: int
    scopes: tuple[Die, ...] = ()  # the outermost first
    depth: int = 1  # of calls, inlined ones included


@dataclass(slots=True)
class Stop:
    reason: str  # breakpoint, step, finding, pause, end
    breakpoint: Breakpoint | None = None
    finding: dict[str, Any] = field(default_factory=dict)
    status: int = 0  # at the end


class Session:
    def __init__(self, target: Target) -> None:
        self.target = target
        self.modules: tuple[Module, ...] = tuple(map(read_module, target.texts))
        self.breakpoints: list[Breakpoint] = []
        self.running: Running | None = None
        self.launch: dict[str, Any] = {}  # empty: no kernel has stopped
        self.block, self.thread = 0, 0  # the selected thread, by linear indices
        self.frame = 0
        self.stop: Stop | None = None
        self._now: list[int] = []  # block, warp and lanes that run
        self._frames: list[Frame] | None = None
        self._symbols: dict[str, int] | None = None
        self._numbers = 0

    # ---- breakpoints

    def add_breakpoint(
        self, where: str, condition: str = "", is_temporary: bool = False
    ) -> Breakpoint:
        spots = tuple(self.spots_at(where))
        self._numbers += 1
        made_ = Breakpoint(self._numbers, spots, where, condition, is_temporary)
        self.breakpoints.append(made_)
        self.send_breakpoints()
        return made_

    def remove_breakpoint(self, number: int) -> None:
        kept = [one for one in self.breakpoints if one.number != number]
        if len(kept) == len(self.breakpoints):
            raise InputError(f"there is no breakpoint {number}")
        self.breakpoints = kept
        self.send_breakpoints()

    def spots_at(self, where: str) -> list[Spot]:
        """Where a line or a function begins. Raises InputError."""
        where = where.strip()
        if not where:
            frame = self.current()
            where = f"{frame.file}:{frame.line}"
        file, _, line = where.rpartition(":")
        if line.isdigit():
            spots = self._spots_of_line(file or self.main_file(), int(line))
            if not spots:
                raise InputError(f"no kernel has code at line {line} or behind it")
            return spots
        spots = [spot for module in self.modules for spot in module.spots_of_function(where)]
        if not spots:
            raise InputError(f"no function of a kernel is called {where}")
        return spots

    def _spots_of_line(self, file: str, line: int) -> list[Spot]:
        all_ = [
            spot
            for module in self.modules
            for spot in module.ptx.spots
            if _is_same_file(spot.file, file) and spot.line >= line
        ]
        first = min((spot.line for spot in all_), default=0)
        return [spot for spot in all_ if spot.line == first]

    def main_file(self) -> str:
        if self.launch and self.frames():
            return self.current().file
        return self.modules[0].source if self.modules else ""

    def send_breakpoints(self) -> None:
        """Also while the program runs: the device reads them between instructions."""
        if self.running is None:
            return
        self.running.send(do="clear", quiet=1)
        for spot in (spot for one in self.breakpoints if one.is_enabled for spot in one.spots):
            self.running.send(do="break", quiet=1, function=spot.function, at=spot.at)

    # ---- running

    def run(self, output: int | None = None) -> Stop:
        self.end()
        self.running = Running(self.target, output)
        if self.running.read() is None:  # hello
            return self._ended()
        self.send_breakpoints()
        return self.go("continue")

    def go(self, what: str = "continue", **more: object) -> Stop:
        """Goes on until the next stop whose condition holds."""
        if self.running is None:
            raise InputError(_NOT_RUNNING)
        self.stop = None
        self.running.send(do=what, **more)
        while True:
            message = self.running.read()
            if message is None:
                return self._ended()
            if "error" in message:
                self.stop = Stop("step")
                raise InputError(message["error"])
            if message.get("event") != "stopped":
                continue
            self._take(message)
            if stop := self._reason(message):
                self.stop = stop
                return stop
            self.running.send(do="resume")

    def pause(self) -> None:
        if self.running:
            self.running.send(do="pause")

    def kill(self) -> None:
        if self.running:
            self.running.process.kill()

    def _take(self, message: dict[str, Any]) -> None:
        self.launch = message["launch"]
        self.block, self.thread = message["block"], message["thread"]
        self._now = message["running"]
        self.frame, self._symbols = 0, None
        self._frames = self._made_frames(message["frames"])

    def _reason(self, message: dict[str, Any]) -> Stop | None:
        reason = message["reason"]
        if reason == "finding":
            finding = message["finding"]
            named = None if finding["named"] else _THREAD.search(finding["message"])
            if named:
                thread = linear(read_index(named[1]), self.block_dim)
                self.select(linear(read_index(named[2]), self.grid_dim), thread)
            return Stop("finding", finding=finding)
        if reason == "pause":
            return Stop("pause")
        at = message["frames"][0]
        here = [
            one
            for one in self.breakpoints
            if one.is_enabled
            and any((s.function, s.at) == (at["function"], at["at"]) for s in one.spots)
        ]
        first = self.thread - self.thread % 32
        for one in here:
            for lane in range(32):
                if message["lanes"] >> lane & 1 == 0:
                    continue
                if one.condition:
                    self.select(self.block, first + lane)
                    if not self._holds(one.condition):
                        continue
                self.select(self.block, first + lane)
                one.hits += 1
                if one.is_temporary:
                    self.breakpoints.remove(one)
                    self.stop = Stop("breakpoint", one)
                    self.send_breakpoints()
                return Stop("breakpoint", one)
        return Stop("step") if reason == "step" else None

    def _holds(self, condition: str) -> bool:
        value = self.evaluate(condition)
        return bool(value.number(self.read))

    def _ended(self) -> Stop:
        status = self.running.wait() if self.running else 0
        self.end()
        return Stop("end", status=status)

    def end(self) -> None:
        if self.running:
            self.running.end()
        self.running, self.stop, self.launch = None, None, {}
        self._frames = self._symbols = None

    def step(self, kind: str, to: Spot | None = None) -> Stop:
        frames = self.frames()
        if not frames:
            raise InputError("this thread has ended" if self.launch else _NOT_RUNNING)
        frame = frames[self.frame if kind in ("finish", "advance") else 0]
        more: dict[str, object] = {"function": to.function, "at": to.at} if to else {}
        return self.go(
            "step",
            kind=kind,
            block=self.block,
            thread=self.thread,
            depth=frame.depth,
            file=frame.file,
            line=frame.line,
            **more,
        )

    # ---- the selected thread

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
            raise InputError(_NOT_RUNNING)

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
            raise InputError("this thread has ended" if self.launch else _NOT_RUNNING)
        return frames[self.frame]

    def _made_frames(self, described: list[dict[str, Any]]) -> list[Frame]:
        """A frame for each function of the user, inlined ones too; the innermost first."""
        frames: list[Frame] = []
        for depth, one in enumerate(reversed(described), 1):
            module = next((m for m in self.modules if one["function"] in m.dwarf.functions), None)
            die = module.dwarf.functions[one["function"]] if module else None
            scopes = module.dwarf.scopes(die, one["at"]) if module and die else []
            chain = list(reversed(one["chain"]))
            for level, link in enumerate(chain):
                own = scopes[level] if level < len(scopes) else []
                name = module.dwarf.name(own[0]) if module and own else one["function"]
                place = (one["function"], one["at"], one["depot"], link["file"], link["line"])
                frames.append(Frame(module, name, *place, tuple(own), depth + level))
        return frames[::-1]

    # ---- values

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

    def evaluate(self, text: str) -> Value:
        def read(address: int, size: int, origin: int) -> bytes:
            self.require()
            return self.read(address, size, origin)

        return evaluate(text, self._look_up, read, self._type_called)

    def variables(self, *tags: int) -> Iterator[tuple[str, Value]]:
        """Those of the frame, the innermost scope first; of these tags."""
        frame = self.current()
        seen = set()
        for scope in reversed(frame.scopes):
            for die in scope.children:
                name = frame.module.dwarf.name(die) if frame.module else ""
                if die.tag in tags and name and name not in seen:
                    seen.add(name)
                    if (value := self._variable(frame, die)) is not None:
                        yield name, value

    def _variable(self, frame: Frame, die: Die) -> Value | None:
        place = die.attributes.get(dwarf.LOCATION)
        if not isinstance(place, dwarf.Place) or frame.module is None:
            return None
        if place.symbol.startswith("__local_depot"):
            address = frame.depot + place.offset
        elif place.symbol in self.symbols:
            address = self.symbols[place.symbol] + place.offset
        else:
            return None
        type_ = frame.module.types.of(frame.module.dwarf.type_of(die))
        return Value(type_, None, address, address)

    @property
    def symbols(self) -> dict[str, int]:
        if self._symbols is None:
            self._symbols = dict(self._ask("symbols"))
        return self._symbols

    def _look_up(self, name: str) -> Value:
        self.require()
        built_in: dict[str, Callable[[], Value]] = {
            "threadIdx": lambda: index_value(self.thread_index),
            "blockIdx": lambda: index_value(self.block_index),
            "blockDim": lambda: index_value(self.block_dim),
            "gridDim": lambda: index_value(self.grid_dim),
            "warpSize": lambda: made(INT, 32),
        }
        if name in built_in:
            return built_in[name]()
        if self.frames():
            for known, value in self.variables(dwarf.VARIABLE, dwarf.PARAMETER):
                if known == name:
                    return value
            this = dict(self.variables(dwarf.PARAMETER)).get("this")
            if this is not None and this.type.target:
                for member in this.type.target.members:
                    if member.name == name:
                        return self.evaluate(f"this->{name}")
            frame = self.current()
            module = frame.module
            for die in module.dwarf.globals() if module else ():
                if module and module.dwarf.name(die) == name.split("::")[-1]:
                    found = self._variable(frame, die)
                    if found is not None:
                        return found
        return self._dynamic(name)

    def _dynamic(self, name: str) -> Value:
        """extern __shared__: clang does not describe it, so its type comes from the source."""
        module = next((frame.module for frame in self.frames() if frame.module), None)
        for symbol, address in self.symbols.items() if module else ():
            if not re.search(rf"(?:^|\d){re.escape(name)}(?:E|$)", symbol):
                continue
            source = Path(module.source).read_text("utf-8", "replace") if module else ""
            declared = re.search(
                rf"extern\s+__shared__\s+(?:__align__\(\d+\)\s*|alignas\(\d+\)\s*)?([\w:\s]+?)\s+{name}\s*\[",
                source,
            )
            item = self._type_called(declared[1].strip()) if declared else None
            if item is not None and item.size:
                return Value(
                    array_of(item, self.launch["dynamic"] // item.size), None, address, address
                )
        raise InputError(f"there is no variable {name} here")

    def _type_called(self, name: str) -> Type | None:
        if name in BASIC:
            return BASIC[name]
        for module in self.modules:
            if found := module.type_called(name):
                return found
        return None

    def _ask(self, what: str, **more: object) -> Any:
        if self.running is None:
            raise InputError(_NOT_RUNNING)
        self.running.send(do=what, **more)
        answer = self.running.read()
        if answer is None:
            raise InputError("the program has ended")
        return answer


def _is_same_file(path: str, named: str) -> bool:
    return (
        path == named
        or path.endswith(f"/{named}")
        or ("/" in named and Path(named).exists() and Path(path).resolve() == Path(named).resolve())
    )


def _with_running(rows: list[list[Any]], warp: int, lanes: int) -> Iterator[list[Any]]:
    """Splits the rows at the lanes that run now."""
    for first, last, state, line in rows:
        begin = first
        for thread in range(first, last + 1):
            is_running = thread // 32 == warp and lanes >> thread % 32 & 1 == 1
            word = "running" if is_running else state
            following = thread + 1
            next_runs = following // 32 == warp and lanes >> following % 32 & 1 == 1
            if thread == last or next_runs != is_running:
                yield [begin, thread, word, line]
                begin = following
