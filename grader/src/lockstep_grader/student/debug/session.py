# SPDX-License-Identifier: MIT
"""A debugging session without a user interface: breakpoints, steps, threads and frames."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lockstep_grader.model.errors import InputError
from lockstep_grader.student.debug.dwarf import Spot
from lockstep_grader.student.debug.selection import (
    NOT_RUNNING,
    Selection,
    evaluate,
    linear,
    read_index,
)
from lockstep_grader.student.debug.target import Running, Target
from lockstep_grader.student.debug.values import read_module

_THREAD = re.compile(r"\bthread (\(\d+,\d+,\d+\)|\d+) of block (\(\d+,\d+,\d+\)|\d+)")


@dataclass(slots=True)
class Breakpoint:
    number: int
    spots: tuple[Spot, ...]
    where: str  # as the user wrote it
    condition: str = ""
    is_temporary: bool = False
    is_enabled: bool = True
    hits: int = 0


@dataclass(slots=True)
class Stop:
    reason: str  # breakpoint, step, finding, pause, end
    breakpoint: Breakpoint | None = None
    finding: dict[str, Any] = field(default_factory=dict)
    status: int = 0  # at the end


class Session(Selection):
    def __init__(self, target: Target) -> None:
        super().__init__(tuple(map(read_module, target.texts)))
        self.target = target
        self.breakpoints: list[Breakpoint] = []
        self.stop: Stop | None = None
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
        """Works while the program runs, too: the device reads them between instructions."""
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
            raise InputError(NOT_RUNNING)
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
            self.take(message)
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
        value = evaluate(self, condition)
        return bool(value.number(self.read))

    def _ended(self) -> Stop:
        status = self.running.wait() if self.running else 0
        self.end()
        return Stop("end", status=status)

    def end(self) -> None:
        if self.running:
            self.running.end()
        self.stop = None
        self.forget()

    def step(self, kind: str, to: Spot | None = None) -> Stop:
        frames = self.frames()
        if not frames:
            raise InputError("this thread has ended" if self.launch else NOT_RUNNING)
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


def _is_same_file(path: str, named: str) -> bool:
    return (
        path == named
        or path.endswith(f"/{named}")
        or ("/" in named and Path(named).exists() and Path(path).resolve() == Path(named).resolve())
    )
