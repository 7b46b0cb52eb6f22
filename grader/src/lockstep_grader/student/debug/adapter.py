# SPDX-License-Identifier: MIT
"""The debugger for editors: the Debug Adapter Protocol on standard input and output.

A thread of the kernel is a thread of the editor. While a program runs, one thread of ours waits for
its next stop; the others wait for the editor, and for what the program prints.
"""

import json
import os
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.student.debug.selection import evaluate, nth, spell, variables
from lockstep_grader.student.debug.session import Session, Stop
from lockstep_grader.student.debug.target import Target
from lockstep_grader.student.debug.values import Value, item_of, member_of, spelled
from lockstep_grader.student.program.build import BuildError

_MOST_THREADS = 64  # that an editor lists, besides the selected one's warp
_MOST_ITEMS = 1000  # of an array that an editor unfolds
_STEPS = {"next": "next", "stepIn": "step", "stepOut": "finish"}
_REASONS = {"step": "step", "pause": "pause", "breakpoint": "breakpoint", "finding": "exception"}

Make = Callable[[Path, list[str]], Target]


def run_adapter(make: Make, files: Sequence[Path]) -> int:
    """`make` builds what the editor asks for; `files`: what to debug if it names nothing."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing else may come between our messages
    return _Adapter(make, files, sys.stdin.buffer, output).serve()


class _Adapter:
    def __init__(
        self, make: Make, files: Sequence[Path], source: BinaryIO, output: BinaryIO
    ) -> None:
        self._make, self._files = make, files
        self._source, self._output = source, output
        self._writing = threading.Lock()
        self._number = 0
        self._session: Session | None = None
        self._wanted: dict[str, list[dict[str, Any]]] = {}  # breakpoints, by file
        self._functions: list[dict[str, Any]] = []
        self._values: list[tuple[tuple[int, int, int], Value | str]] = []  # what can be unfolded
        self._frames: list[tuple[int, int, int]] = []  # block, thread and number of the frame
        self._runner: threading.Thread | None = None
        self._is_over = False

    # ---- messages

    def serve(self) -> int:
        while (request := self._read()) is not None:
            command, arguments = request.get("command", ""), request.get("arguments") or {}
            answer: dict[str, Any] = {"type": "response", "request_seq": request.get("seq", 0)}
            answer |= {"command": command, "success": True}
            after: Callable[[], None] | None = None
            try:
                handler = getattr(self, f"_on_{command}", self._refuse)
                if command in _STEPS:
                    handler = partial(self._step, kind=_STEPS[command])
                result = handler(arguments)
                if callable(result):
                    after = result
                elif result is not None:
                    answer["body"] = result
            except (InputError, FaultError, BuildError) as error:
                answer |= {"success": False, "message": str(error)}
            self._write(answer)
            if after:
                after()
            if command == "disconnect":
                break
        if self._session:
            self._session.end()
        return 0

    def _read(self) -> dict[str, Any] | None:
        size = 0
        while line := self._source.readline():
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length":
                size = int(value)
            elif not line.strip() and size:
                message: dict[str, Any] = json.loads(self._source.read(size))
                return message
        return None

    def _write(self, message: dict[str, Any]) -> None:
        with self._writing:
            self._number += 1
            data = json.dumps({"seq": self._number, **message}).encode()
            self._output.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
            self._output.flush()

    def _event(self, name: str, **body: object) -> None:
        self._write({"type": "event", "event": name, "body": body})

    def _refuse(self, _: dict[str, Any]) -> None:
        raise InputError("this request is not supported")

    def _needed(self) -> Session:
        if self._session is None:
            raise InputError("nothing has been launched")
        return self._session

    def _stopped(self) -> Session:
        session = self._needed()
        if session.stop is None:
            raise InputError("the program is running")
        return session

    # ---- beginning and end

    def _on_initialize(self, _: dict[str, Any]) -> dict[str, Any]:
        return {
            "supportsConfigurationDoneRequest": True,
            "supportsConditionalBreakpoints": True,
            "supportsFunctionBreakpoints": True,
            "supportsEvaluateForHovers": True,
            "supportTerminateDebuggee": True,
        }

    def _on_launch(self, arguments: dict[str, Any]) -> Callable[[], None]:
        named = arguments.get("program")
        file = Path(named) if named else next(iter(self._files), None)
        if file is None:
            raise InputError("launch needs a program: a .cu file, or LAB/RUNG")
        try:
            target = self._make(file, [str(word) for word in arguments.get("args") or ()])
        except BuildError as error:
            self._event("output", category="stderr", output=f"{error.output}\n")
            raise
        self._session = Session(target)
        return lambda: self._event("initialized")

    def _on_setBreakpoints(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        path = arguments["source"].get("path", "")
        self._wanted[path] = arguments.get("breakpoints") or []
        return {"breakpoints": self._set_all().get(path, [])}

    def _on_setFunctionBreakpoints(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        self._functions = arguments.get("breakpoints") or []
        return {"breakpoints": self._set_all().get("", [])}

    def _on_setExceptionBreakpoints(self, _: dict[str, Any]) -> None:  # noqa: N802
        """A finding always stops the program."""

    def _set_all(self) -> dict[str, list[dict[str, Any]]]:
        session = self._needed()
        session.breakpoints = []
        found: dict[str, list[dict[str, Any]]] = {"": []}
        wanted = [(path, f"{path}:{one['line']}", one) for path in self._wanted
                  for one in self._wanted[path]]  # fmt: skip
        wanted += [("", one["name"], one) for one in self._functions]
        for path, where, one in wanted:
            try:
                made = session.add_breakpoint(where, one.get("condition") or "")
                line = made.spots[0].line
                said: dict[str, Any] = {"id": made.number, "verified": True, "line": line}
            except InputError as error:
                said = {"verified": False, "message": str(error)}
            found.setdefault(path, []).append(said)
        session.send_breakpoints()
        return found

    def _on_configurationDone(self, _: dict[str, Any]) -> Callable[[], None]:  # noqa: N802
        session = self._needed()
        read, write = os.pipe()
        threading.Thread(target=self._copy_output, args=(read,), daemon=True).start()

        def run() -> Stop:
            try:
                return session.run(write)
            finally:
                os.close(write)

        return lambda: self._go(run)

    def _copy_output(self, descriptor: int) -> None:
        while data := os.read(descriptor, 4096):
            self._event("output", category="stdout", output=data.decode("utf-8", "replace"))
        os.close(descriptor)

    def _on_disconnect(self, _: dict[str, Any]) -> None:
        self._is_over = True
        if self._session and self._session.running:
            self._session.running.process.kill()
        if self._runner:
            self._runner.join()

    _on_terminate = _on_disconnect

    # ---- running

    def _go(self, go: Callable[[], Stop]) -> None:
        self._values.clear()
        self._frames.clear()
        self._needed().stop = None  # before the editor's next request
        self._runner = threading.Thread(target=self._run_to_stop, args=(go,), daemon=True)
        self._runner.start()

    def _run_to_stop(self, go: Callable[[], Stop]) -> None:
        session = self._needed()
        try:
            stop = go()
        except (InputError, FaultError) as error:
            self._event("output", category="console", output=f"{error}\n")
            if session.launch:
                self._event("stopped", reason="step", threadId=self._selected(session))
            else:
                self._event("terminated")
            return
        if self._is_over:
            return
        if stop.reason == "end":
            self._event("exited", exitCode=max(stop.status, 0))
            self._event("terminated")
            return
        body: dict[str, object] = {"reason": _REASONS.get(stop.reason, "step")}
        if stop.breakpoint:
            body["hitBreakpointIds"] = [stop.breakpoint.number]
        if stop.finding:
            kind, message = stop.finding["kind"], stop.finding["message"]
            body |= {"description": kind, "text": message}
            self._event("output", category="important", output=f"{kind}: {message}\n")
        self._event("stopped", threadId=self._selected(session), allThreadsStopped=True, **body)

    def _selected(self, session: Session) -> int:
        return session.block * 1024 + session.thread + 1

    def _choose(self, arguments: dict[str, Any]) -> Session:
        session = self._stopped()
        number = int(arguments.get("threadId") or self._selected(session)) - 1
        session.select(number // 1024, number % 1024)
        return session

    def _on_continue(self, _: dict[str, Any]) -> Callable[[], None]:
        return partial(self._go, self._stopped().go)

    def _step(self, arguments: dict[str, Any], kind: str) -> Callable[[], None]:
        session = self._choose(arguments)
        if kind == "finish" and session.current().depth == 1:
            return partial(self._go, session.go)  # out of the kernel
        return partial(self._go, partial(session.step, kind))

    def _on_pause(self, _: dict[str, Any]) -> None:
        self._needed().pause()

    # ---- looking

    def _on_threads(self, _: dict[str, Any]) -> dict[str, Any]:
        session = self._session
        if session is None or session.stop is None or not session.launch:
            return {"threads": [{"id": 1, "name": "the program"}]}
        listed = []
        for block in session.threads():
            for first, last, state, _line in block["rows"]:
                near = block["block"] == session.block and first // 32 == session.thread // 32
                # Threads that do the same are shown by the first one; the selected warp's by each.
                if state != "ended":
                    end = last if near else first
                    listed += [(block["block"], one) for one in range(first, end + 1)]
        known = {(session.block, session.thread), *listed[: _MOST_THREADS + 31]}
        return {
            "threads": [
                {
                    "id": block * 1024 + thread + 1,
                    "name": f"block {spell(nth(block, session.grid_dim))} "
                    f"thread {spell(nth(thread, session.block_dim))}",
                }
                for block, thread in sorted(known)
            ]
        }

    def _on_stackTrace(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        session = self._choose(arguments)
        frames = []
        for number, frame in enumerate(session.frames()):
            self._frames.append((session.block, session.thread, number))
            source = {"name": Path(frame.file).name, "path": frame.file}
            frames.append({"id": len(self._frames), "name": frame.function, "line": frame.line,
                         "column": 1, "source": source})  # fmt: skip
        return {"stackFrames": frames, "totalFrames": len(frames)}

    def _at(self, place: tuple[int, int, int]) -> Session:
        session = self._stopped()
        session.select(place[0], place[1])
        session.frame = place[2]
        return session

    def _on_scopes(self, arguments: dict[str, Any]) -> dict[str, Any]:
        place = self._frames[int(arguments["frameId"]) - 1]
        named = (("Locals", "variable"), ("Arguments", "formal_parameter"), ("CUDA", ""))
        return {
            "scopes": [
                {"name": name, "variablesReference": self._kept(place, tag), "expensive": False}
                for name, tag in named
            ]
        }

    def _kept(self, place: tuple[int, int, int], what: Value | str) -> int:
        """Keeps `what`; the number by which an editor asks for its parts."""
        self._values.append((place, what))
        return len(self._values)

    def _on_variables(self, arguments: dict[str, Any]) -> dict[str, Any]:
        place, what = self._values[int(arguments["variablesReference"]) - 1]
        session = self._at(place)
        if isinstance(what, Value):
            parts = _parts_of(what)
        elif not what:
            names = ("threadIdx", "blockIdx", "blockDim", "gridDim")
            parts = [(name, evaluate(session, name)) for name in names]
        else:
            parts = list(variables(session, what))
        return {"variables": [self._variable(session, place, *part) for part in parts]}

    def _variable(
        self, session: Session, place: tuple[int, int, int], name: str, value: Value
    ) -> dict[str, Any]:
        try:
            shown = spelled(value, session.read)
            reference = 0
            if value.type.target is not None and value.type.kind != "array":
                address = int(value.number(session.read))
                target = value.type.target
                if target.size:
                    reference = self._kept(place, Value(target, None, address, address))
            elif value.type.kind in ("array", "struct"):
                reference = self._kept(place, value)
        except InputError as error:
            shown, reference = str(error), 0
        return {"name": name, "value": shown, "type": value.type.name,
                "variablesReference": reference}  # fmt: skip

    def _on_evaluate(self, arguments: dict[str, Any]) -> dict[str, Any]:
        frame = arguments.get("frameId")
        session = self._stopped()
        place = self._frames[int(frame) - 1] if frame else (session.block, session.thread, 0)
        session = self._at(place)
        value = evaluate(session, str(arguments["expression"]))
        shown = self._variable(session, place, "", value)
        return {**shown, "result": shown["value"]}


def _parts_of(value: Value) -> list[tuple[str, Value]]:
    type_ = value.type
    if type_.kind == "struct":
        return [(member.name or "(base)", member_of(value, member)) for member in type_.members]
    if type_.kind == "array" and type_.target is not None:
        count = min(type_.count, _MOST_ITEMS)
        return [(f"[{at}]", item_of(value, at, type_.target)) for at in range(count)]
    return [("*", value)]
