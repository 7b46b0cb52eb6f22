# SPDX-License-Identifier: MIT
"""The debugger at a prompt, in the words of cuda-gdb."""

import re
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.text import visible
from lockstep_grader.student.debug import dwarf
from lockstep_grader.student.debug.session import (
    Session,
    Stop,
    linear,
    nth,
    read_index,
    spell,
)
from lockstep_grader.student.debug.values import Value, spelled

_PROMPT = "(lab) "
_SELECTION = re.compile(r"(block|thread|warp|lane)\s*(\([\d\s,]+\)|\d+)\s*")
_USAGE = (
    "use: cuda [block N | block (x,y,z)] [thread N | thread (x,y,z)], cuda warp N, cuda lane N, "
    "or cuda other"
)
_AROUND = 5  # lines of the source on each side
_REPEATED = frozenset(("step", "next", "continue", "until", "finish", "list"))

_HELP = """\
break [FILE:]LINE, break FUNCTION [if CONDITION]   stop there; tbreak: once
run, continue           start, or go on
step, next              to the next line; next runs a called function to its end
finish, until [LINE]    to the end of the function; past a loop, or to the line
print EXPRESSION        as the selected thread sees it; print/x: hexadecimal
display EXPRESSION      print it at every stop; undisplay N
info locals, args, breakpoints, line of cuda: kernels, blocks, warps, threads
cuda block N thread N   select a thread; cuda warp N, lane N; cuda other: of a race
where, up, down, frame N   frames of the selected thread
list [LINE|FUNCTION]    the source
delete [N], enable N, disable N, condition N EXPRESSION
quit"""


class Terminal:
    def __init__(self, session: Session, is_terminal: bool) -> None:
        self._session = session
        self._is_terminal = is_terminal
        self._displays: dict[int, str] = {}
        self._num_displays = 0
        self._values: list[Value] = []
        self._is_interrupted = False
        self._listed: tuple[str, int] = ("", 0)
        self._commands: dict[str, Callable[[str], None]] = {
            "advance": self._until,
            "backtrace": self._where,
            "break": self._break,
            "bt": self._where,
            "condition": self._condition,
            "continue": self._continue,
            "cuda": self._cuda,
            "delete": self._delete,
            "disable": lambda text: self._enable(text, False),
            "display": self._display,
            "down": lambda text: self._move(-int(text or 1)),
            "enable": lambda text: self._enable(text, True),
            "finish": lambda _: self._step("finish"),
            "frame": self._frame,
            "help": lambda _: print(_HELP),
            "info": self._info,
            "list": self._list,
            "next": lambda text: self._repeat("next", text),
            "print": self._print,
            "run": lambda _: self._run(),
            "start": lambda _: self._start(),
            "step": lambda text: self._repeat("step", text),
            "tbreak": lambda text: self._break(text, True),
            "undisplay": self._undisplay,
            "until": self._until,
            "up": lambda text: self._move(int(text or 1)),
            "where": self._where,
        }
        self._short = {
            "b": "break", "c": "continue", "d": "delete", "f": "frame", "h": "help", "i": "info",
            "l": "list", "n": "next", "p": "print", "inspect": "print", "q": "quit", "r": "run",
            "s": "step", "u": "until", "tb": "tbreak", "exit": "quit",
        }  # fmt: skip

    # ---- reading commands

    def loop(self, first: Iterable[str], is_batch: bool) -> int:
        for text in first:
            print(f"{_PROMPT}{text}")
            if not self.obey(text):
                return 0
        last = ""
        while not is_batch:
            line = self._read_line()
            if line is None:
                break
            text = line.strip() or (last if last.partition(" ")[0] in _REPEATED else "")
            last = self._expanded(text) if text else last
            if not self.obey(text):
                break
        self._session.end()
        return 0

    def _read_line(self) -> str | None:
        """None: there are no more."""
        while True:
            try:
                return input(_PROMPT) if self._is_terminal else _piped_line()
            except EOFError:
                if self._is_terminal:
                    print()
                return None
            except KeyboardInterrupt:
                print("Quit")

    def _expanded(self, text: str) -> str:
        word, _, rest = text.partition(" ")
        return f"{self._short.get(word, word)} {rest}".strip()

    def obey(self, text: str) -> bool:
        """Carries a command out. False: the session is over."""
        text = text.strip()
        if not text or text.startswith("#"):
            return True
        match = re.match(r"([a-zA-Z]+)\s*(.*)$", text, re.DOTALL)
        word, rest = (match[1], match[2]) if match else (text, "")
        word = self._short.get(word, word)
        if word == "quit" or (len(word) > 1 and "quit".startswith(word)):
            return False
        fitting = [name for name in self._commands if name.startswith(word)]
        name = word if word in self._commands else fitting[0] if len(fitting) == 1 else ""
        try:
            if name:
                self._commands[name](rest.strip())
            else:
                why = f"could be {', '.join(fitting)}" if fitting else "is no command: try help"
                print(f"'{word}' {why}")
        except (InputError, FaultError) as error:
            print(visible(str(error)))
        except ValueError:
            print(f"'{rest}' is no number")
        sys.stdout.flush()
        return True

    # ---- running

    def _go(self, go: Callable[[], Stop]) -> None:
        sys.stdout.flush()
        before = (self._session.block, self._session.thread) if self._session.launch else None
        earlier = signal.signal(signal.SIGINT, self._interrupt)
        self._is_interrupted = False
        try:
            stop = go()
        finally:
            signal.signal(signal.SIGINT, earlier)
        self._tell(stop, before)

    def _interrupt(self, *_: object) -> None:
        """Ctrl-C stops a kernel. The host's code cannot be stopped, only ended."""
        if self._is_interrupted:
            self._session.kill()
        self._is_interrupted = True
        self._session.pause()

    def _tell(self, stop: Stop, before: tuple[int, int] | None) -> None:
        session = self._session
        if stop.reason == "end":
            how = f"with status {stop.status}" if stop.status > 0 else "normally"
            how = f"by signal {-stop.status}" if stop.status < 0 else how
            print(f"[The program ended {how}]" if session.target.is_program else "[The call ended]")
            return
        if before != (session.block, session.thread):
            print(f"[Switching focus to CUDA {session.describe()}]")
        if stop.finding:
            print(f"\n{stop.finding['kind']}: {visible(stop.finding['message'])}")
        if stop.breakpoint:
            print(f"\nBreakpoint {stop.breakpoint.number}, ", end="")
        self._show_frame(is_whole=stop.reason != "step" or self._has_moved())
        for number, text in self._displays.items():
            self._show_display(number, text)

    def _has_moved(self) -> bool:
        """Whether the function is another one than the last shown."""
        frames = self._session.frames()
        key = (frames[0].function, len(frames)) if frames else ("", 0)
        is_other, self._shown = key != getattr(self, "_shown", None), key
        return is_other

    def _run(self) -> None:
        self._go(self._session.run)

    def _start(self) -> None:
        names = [name for module in self._session.modules for name in module.kernels()]
        for name in names:
            self._session.add_breakpoint(name, is_temporary=True)
        self._run()

    def _continue(self, _: str) -> None:
        self._go(self._session.go)

    def _repeat(self, kind: str, text: str) -> None:
        for _ in range(int(text or 1)):
            self._step(kind)
            if self._session.stop is None or self._session.stop.reason != "step":
                return

    def _step(self, kind: str) -> None:
        if kind == "finish":
            frame = self._session.current()
            if frame.depth == 1:
                raise InputError("'finish' is not for the kernel itself: use continue")
            print(f"Run till exit from {self._frame_text(self._session.frame)}")
        self._go(lambda: self._session.step(kind))

    def _until(self, text: str) -> None:
        if not text:
            return self._step("until")
        spot = self._session.spots_at(text)[0]
        return self._go(lambda: self._session.step("advance", spot))

    # ---- breakpoints

    def _break(self, text: str, is_temporary: bool = False) -> None:
        where, _, condition = re.sub(r"(^|\s)if\b", r"\1\0", text, count=1).partition("\0")
        made = self._session.add_breakpoint(where.strip(), condition.strip(), is_temporary)
        spot = made.spots[0]
        word = "Temporary breakpoint" if is_temporary else "Breakpoint"
        places = f" ({len(made.spots)} places)" if len(made.spots) > 1 else ""
        print(f"{word} {made.number} at {Path(spot.file).name}:{spot.line}{places}")

    def _numbered(self, text: str) -> int:
        number = int(text)
        if all(one.number != number for one in self._session.breakpoints):
            raise InputError(f"there is no breakpoint {number}")
        return number

    def _delete(self, text: str) -> None:
        text = text.removeprefix("breakpoints").strip()
        numbers = [int(word) for word in text.split()] or [
            one.number for one in self._session.breakpoints
        ]
        for number in numbers:
            self._session.remove_breakpoint(number)

    def _enable(self, text: str, is_enabled: bool) -> None:
        numbers = [self._numbered(word) for word in text.split()]
        for one in self._session.breakpoints:
            if not numbers or one.number in numbers:
                one.is_enabled = is_enabled
        self._session.send_breakpoints()

    def _condition(self, text: str) -> None:
        word, _, condition = text.partition(" ")
        number = self._numbered(word)
        for one in self._session.breakpoints:
            if one.number == number:
                one.condition = condition.strip()

    # ---- looking

    def _frame_text(self, index: int) -> str:
        frame = self._session.frames()[index]
        before, self._session.frame = self._session.frame, index
        try:
            arguments = ", ".join(
                f"{name}={self._brief(value)}"
                for name, value in self._session.variables(dwarf.PARAMETER)
            )
        finally:
            self._session.frame = before
        return f"{frame.function} ({arguments}) at {Path(frame.file).name}:{frame.line}"

    def _brief(self, value: Value) -> str:
        if value.type.kind in ("struct", "array"):
            return "..."
        try:
            text = spelled(value, self._session.read)
        except InputError:
            return "?"
        return text.rpartition(" ")[2] if value.type.kind == "pointer" else text

    def _show_frame(self, is_whole: bool = True) -> None:
        frame = self._session.current()
        if is_whole:
            number = f"#{self._session.frame}  " if self._session.frame else ""
            print(f"{number}{self._frame_text(self._session.frame)}")
        print(f"{frame.line}\t{self._line(frame.file, frame.line)}")
        self._listed = (frame.file, 0)

    def _line(self, file: str, line: int) -> str:
        lines = self._lines(file)
        return lines[line - 1] if 0 < line <= len(lines) else "(no such line in the file now)"

    def _lines(self, file: str) -> list[str]:
        try:
            return Path(file).read_text("utf-8", "replace").splitlines()
        except OSError as error:
            raise InputError(f"{file}: {error.strerror}") from None

    def _where(self, _: str) -> None:
        if not self._session.frames():
            self._session.current()  # raises
        for index in range(len(self._session.frames())):
            print(f"#{index}  {self._frame_text(index)}")

    def _frame(self, text: str) -> None:
        if text:
            number = int(text)
            if not 0 <= number < len(self._session.frames()):
                raise InputError(f"there is no frame {number}")
            self._session.frame = number
        self._show_frame()

    def _move(self, by: int) -> None:
        number = self._session.frame + by
        if not 0 <= number < len(self._session.frames()):
            raise InputError("there is no frame above" if by > 0 else "this is the innermost frame")
        self._frame(str(number))

    def _list(self, text: str) -> None:
        file, after = self._listed
        if text and not text.replace(",", "").isdigit():
            spot = self._session.spots_at(text)[0]
            file, begin = spot.file, spot.line - _AROUND
        elif text:
            file, begin = file or self._session.main_file(), int(text.split(",")[0]) - _AROUND
        elif after:
            begin = after
        elif self._session.frames():
            frame = self._session.current()
            file, begin = frame.file, frame.line - _AROUND
        else:
            file, begin = self._session.main_file(), 1
        lines = self._lines(file)
        begin = max(begin, 1)
        if begin > len(lines):
            raise InputError(f"{Path(file).name} has {len(lines)} lines")
        end = min(begin + 2 * _AROUND, len(lines) + 1)
        for number in range(begin, end):
            print(f"{number}\t{lines[number - 1]}")
        self._listed = (file, end)

    def _print(self, text: str) -> None:
        style = ""
        if match := re.match(r"/(\w)\s*", text):
            style, text = match[1], text[match.end() :]
        if not text:
            raise InputError("print what?")
        value = self._evaluate(text)
        try:
            shown = spelled(value, self._session.read, style)
        except InputError as error:
            raise InputError(f"{text}: {error}") from None
        self._values.append(value.loaded(self._session.read))
        print(f"${len(self._values)} = {shown}")

    def _evaluate(self, text: str) -> Value:
        if match := re.fullmatch(r"\$(\d*)", text.strip()):
            at = int(match[1] or len(self._values))
            if not 0 < at <= len(self._values):
                raise InputError(f"there is no value ${at}")
            return self._values[at - 1]
        return self._session.evaluate(text)

    def _display(self, text: str) -> None:
        if not text:
            for number, one in self._displays.items():
                self._show_display(number, one)
            return
        self._num_displays += 1
        self._displays[self._num_displays] = text
        if self._session.launch:
            self._show_display(self._num_displays, text)

    def _show_display(self, number: int, text: str) -> None:
        try:
            shown = spelled(self._evaluate(text), self._session.read)
        except InputError as error:
            shown = f"({error})"
        print(f"{number}: {text} = {shown}")

    def _undisplay(self, text: str) -> None:
        for number in [int(word) for word in text.split()] or list(self._displays):
            if self._displays.pop(number, None) is None:
                raise InputError(f"there is no display {number}")

    # ---- info

    def _info(self, text: str) -> None:
        word, _, rest = text.partition(" ")
        known: dict[str, Callable[[], None]] = {
            "locals": lambda: self._variables(dwarf.VARIABLE, "locals"),
            "args": lambda: self._variables(dwarf.PARAMETER, "arguments"),
            "breakpoints": self._breakpoints,
            "frame": lambda: self._show_frame(),
            "stack": lambda: self._where(""),
            "threads": lambda: self._threads(),
        }
        if word == "cuda":
            known = {
                "kernels": self._kernels,
                "blocks": self._blocks,
                "warps": self._warps,
                "lanes": self._threads,
                "threads": self._threads,
            }
            word = rest.strip() or "?"
        fitting = [name for name in known if name.startswith(word)]
        if not fitting:
            raise InputError(f"info: one of {', '.join(known)}")
        known[fitting[0]]()

    def _variables(self, tag: int, what: str) -> None:
        values = list(self._session.variables(tag))
        for name, value in values:
            try:
                shown = spelled(value, self._session.read)
            except InputError as error:
                shown = f"({error})"
            print(f"{name} = {shown}")
        if not values:
            print(f"No {what}.")

    def _breakpoints(self) -> None:
        if not self._session.breakpoints:
            print("No breakpoints.")
            return
        rows = [["Num", "Enabled", "Where", "Hits", "Condition"]]
        for one in self._session.breakpoints:
            spot = one.spots[0]
            where = f"{Path(spot.file).name}:{spot.line}"
            enabled = "y" if one.is_enabled else "n"
            rows.append([str(one.number), enabled, where, str(one.hits), one.condition])
        _table(rows)

    def _kernels(self) -> None:
        self._session.require()
        launch = self._session.launch
        total = launch["grid"][0] * launch["grid"][1] * launch["grid"][2]
        rows = [["  Kernel", "GridDim", "BlockDim", "Blocks ended", "Launched at"]]
        place = f"{Path(launch['file']).name}:{launch['line']}" if launch["line"] else ""
        shapes = [spell(self._session.grid_dim), spell(self._session.block_dim)]
        rows.append([f"* {launch['kernel']}", *shapes, f"{launch['ended']} of {total}", place])
        _table(rows)

    def _blocks(self) -> None:
        rows = [["  BlockIdx", "Threads", "Ended", "At a barrier"]]
        for block in self._session.threads():
            counts = {"ended": 0, "barrier": 0}
            total = 0
            for first, last, state, _ in block["rows"]:
                total += last - first + 1
                counts[state] = counts.get(state, 0) + last - first + 1
            star = "*" if block["block"] == self._session.block else " "
            index = spell(tuple(block["index"]))
            numbers = [str(total), str(counts["ended"]), str(counts["barrier"])]
            rows.append([f"{star} {index}", *numbers])
        _table(rows)
        launch = self._session.launch
        total = launch["grid"][0] * launch["grid"][1] * launch["grid"][2]
        print(f"{launch['ended']} of {total} blocks ended, {total - launch['started']} not started")

    def _warps(self) -> None:
        rows = [["  BlockIdx", "Warp", "Live lanes", "At a barrier", "Running"]]
        for block in self._session.threads():
            masks: dict[int, dict[str, int]] = {}
            for first, last, state, _ in block["rows"]:
                for thread in range(first, last + 1):
                    warp = masks.setdefault(thread // 32, {})
                    for word in (state, "live") if state != "ended" else ():
                        warp[word] = warp.get(word, 0) | 1 << thread % 32
            for number, warp in masks.items():
                chosen = (self._session.block, self._session.thread // 32)
                star = "*" if (block["block"], number) == chosen else " "
                words = [f"0x{warp.get(word, 0):08x}" for word in ("live", "barrier", "running")]
                rows.append([f"{star} {spell(tuple(block['index']))}", str(number), *words])
        _table(rows)

    def _threads(self) -> None:
        rows = [["  BlockIdx", "ThreadIdx", "To ThreadIdx", "Count", "State", "Line"]]
        shape = self._session.block_dim
        for block in self._session.threads():
            chosen = self._session.thread if block["block"] == self._session.block else -1
            for first, last, state, line in block["rows"]:
                for begin, end in _split_at(first, last, chosen):
                    star = "*" if begin == chosen else " "
                    rows.append(
                        [
                            f"{star} {spell(tuple(block['index']))}",
                            spell(nth(begin, shape)),
                            spell(nth(end, shape)),
                            str(end - begin + 1),
                            state,
                            str(line or ""),
                        ]
                    )
        _table(rows)

    # ---- selection

    def _cuda(self, text: str) -> None:
        session = self._session
        session.require()
        if text == "other":
            return self._other()
        if text in ("", "block", "thread", "warp", "lane", "kernel"):
            print(session.describe())
            return None
        if _SELECTION.sub("", text):
            raise InputError(_USAGE)
        block, thread = session.block_index, session.thread_index
        for word, written in _SELECTION.findall(text):
            index = read_index(written)
            if word == "block":
                block = index
            elif word == "thread":
                thread = index
            else:
                number = linear(thread, session.block_dim)
                at = index[0] * 32 if word == "warp" else number - number % 32 + index[0]
                thread = nth(at, session.block_dim)
        for word, index, shape in (
            ("block", block, session.grid_dim),
            ("thread", thread, session.block_dim),
        ):
            if any(at >= size for at, size in zip(index, shape, strict=True)):
                raise InputError(
                    f"there is no {word} {spell(index)}: the launch has {spell(shape)}"
                )
        session.select(linear(block, session.grid_dim), linear(thread, session.block_dim))
        print(f"[Switching focus to CUDA {session.describe()}]")
        if session.frames():
            self._show_frame()
        else:
            print("This thread has ended.")
        return None

    def _other(self) -> None:
        session = self._session
        if session.stop is None or not session.stop.finding:
            raise InputError("the program did not stop at a finding")
        other = session.stop.finding["other"]
        if other is None:
            kind = session.stop.finding["kind"]
            raise InputError(f"this {kind} has no other thread that is known")
        verb = "writes" if other["writes"] else "reads"
        thread = spell(nth(other["thread"], session.block_dim))
        block = spell(nth(other["block"], session.grid_dim))
        print(f"thread {thread} of block {block} {verb} it at {other['file']}:{other['line']}")
        file = next(
            (
                s.file
                for m in session.modules
                for s in m.ptx.spots
                if Path(s.file).name == other["file"]
            ),
            "",
        )
        if file:
            print(f"{other['line']}\t{self._line(file, other['line'])}")
        try:
            session.select(other["block"], other["thread"])
        except InputError:
            print("That thread has ended since; it has no frames any more.")
            return
        print(f"[Switching focus to CUDA {session.describe()}]")
        if session.frames():
            self._show_frame()
        else:
            print("That thread has ended since; it has no frames any more.")

    # ---- completion

    def complete(self, text: str, state: int) -> str | None:
        """For readline."""
        import readline

        words = readline.get_line_buffer()[: readline.get_begidx()].split()
        if not words:
            names: Sequence[str] = [*self._commands, "quit"]
        elif words[0] in ("info", "i"):
            names = ["args", "breakpoints", "cuda", "frame", "locals", "stack"]
            names = ["blocks", "kernels", "threads", "warps"] if words[-1] == "cuda" else names
        elif words[0] == "cuda":
            names = ["block", "lane", "other", "thread", "warp"]
        elif words[0] in ("b", "break", "tbreak", "until"):
            names = [name for module in self._session.modules for name in module.names()]
        else:
            names = ["blockDim", "blockIdx", "gridDim", "threadIdx"]
            if self._session.frames():
                tags = (dwarf.VARIABLE, dwarf.PARAMETER)
                names = [*names, *(name for name, _ in self._session.variables(*tags))]
        fitting = [name for name in names if name.startswith(text)]
        return fitting[state] if state < len(fitting) else None


def _piped_line() -> str:
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    print(f"{_PROMPT}{line.rstrip()}")
    return line


def _split_at(first: int, last: int, chosen: int) -> Iterable[tuple[int, int]]:
    """The row, with the selected thread in one of its own."""
    if not first <= chosen <= last:
        return [(first, last)]
    parts = [(first, chosen - 1), (chosen, chosen), (chosen + 1, last)]
    return [part for part in parts if part[0] <= part[1]]


def _table(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())


def run_terminal(session: Session, commands: Sequence[str], is_batch: bool) -> int:
    is_terminal = sys.stdin.isatty()
    terminal = Terminal(session, is_terminal)
    if is_terminal and not is_batch:
        import readline

        readline.set_completer(terminal.complete)
        readline.parse_and_bind("tab: complete")
        print("run stops at the first finding, break KERNEL in a kernel; help lists the commands")
    try:
        return terminal.loop(commands, is_batch)
    finally:
        session.end()
