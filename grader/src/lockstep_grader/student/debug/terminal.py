# SPDX-License-Identifier: MIT
"""The debugger at a prompt, in the words of cuda-gdb."""

import re
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.text import visible
from lockstep_grader.student.debug import views
from lockstep_grader.student.debug.selection import evaluate, variables
from lockstep_grader.student.debug.session import Session, Stop
from lockstep_grader.student.debug.values import Value, spelled
from lockstep_grader.student.debug.views import Frames, select

_PROMPT = "(lab) "
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
        self._shown: tuple[str, int] = ("", 0)  # the function of the last stop
        self._frames = Frames(session)
        self._commands: dict[str, Callable[[str], None]] = {
            "advance": self._until,
            "backtrace": lambda _: self._frames.where(),
            "break": self._break,
            "bt": lambda _: self._frames.where(),
            "condition": self._condition,
            "continue": lambda _: self._go(self._session.go),
            "cuda": lambda text: select(self._session, self._frames, text),
            "delete": self._delete,
            "disable": lambda text: self._enable(text, is_enabled=False),
            "display": self._display,
            "down": lambda text: self._frames.move(-int(text or 1)),
            "enable": lambda text: self._enable(text, is_enabled=True),
            "finish": lambda _: self._step("finish"),
            "frame": self._frames.choose,
            "help": lambda _: print(_HELP),
            "info": self._info,
            "list": self._frames.list,
            "next": lambda text: self._repeat("next", text),
            "print": self._print,
            "run": lambda _: self._go(self._session.run),
            "start": lambda _: self._start(),
            "step": lambda text: self._repeat("step", text),
            "tbreak": lambda text: self._break(text, is_temporary=True),
            "undisplay": self._undisplay,
            "until": self._until,
            "up": lambda text: self._frames.move(int(text or 1)),
            "where": lambda _: self._frames.where(),
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
        self._frames.show(is_whole=self._has_moved() or stop.reason != "step")
        for number, text in self._displays.items():
            self._show_display(number, text)

    def _has_moved(self) -> bool:
        """Whether the program is in another function than at the last stop."""
        frames = self._session.frames()
        key = (frames[0].function, len(frames)) if frames else ("", 0)
        is_other, self._shown = key != self._shown, key
        return is_other

    def _start(self) -> None:
        for name in (name for module in self._session.modules for name in module.kernels()):
            self._session.add_breakpoint(name, is_temporary=True)
        self._go(self._session.run)

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
            print(f"Run till exit from {self._frames.text_of(self._session.frame)}")
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
        return evaluate(self._session, text)

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
        print(f"{number}: {text} = {self._text_of(text)}")

    def _text_of(self, what: Value | str) -> str:
        """The text of a value or of an expression, or why there is none."""
        try:
            value = self._evaluate(what) if isinstance(what, str) else what
            return spelled(value, self._session.read)
        except InputError as error:
            return f"({error})"

    def _undisplay(self, text: str) -> None:
        for number in [int(word) for word in text.split()] or list(self._displays):
            if self._displays.pop(number, None) is None:
                raise InputError(f"there is no display {number}")

    # ---- info

    def _info(self, text: str) -> None:
        word, _, rest = text.partition(" ")
        session = self._session
        known: dict[str, Callable[[], None]] = {
            "locals": lambda: self._variables("variable", "locals"),
            "args": lambda: self._variables("formal_parameter", "arguments"),
            "breakpoints": partial(views.show_breakpoints, session),
            "frame": self._frames.show,
            "stack": self._frames.where,
            "threads": partial(views.show_threads, session),
        }
        if word == "cuda":
            word = rest.strip() or "?"
            known = {
                "kernels": partial(views.show_kernels, session),
                "blocks": partial(views.show_blocks, session),
                "warps": partial(views.show_warps, session),
                "lanes": partial(views.show_threads, session),
                "threads": partial(views.show_threads, session),
            }
        fitting = [name for name in known if name.startswith(word)]
        if not fitting:
            raise InputError(f"info: one of {', '.join(known)}")
        known[fitting[0]]()

    def _variables(self, tag: str, what: str) -> None:
        values = list(variables(self._session, tag))
        for name, value in values:
            print(f"{name} = {self._text_of(value)}")
        if not values:
            print(f"No {what}.")

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
                tags = ("variable", "formal_parameter")
                names = [*names, *(name for name, _ in variables(self._session, *tags))]
        is_word = not words or words[0] in ("info", "i", "cuda")
        fitting = [f"{name}{' ' * is_word}" for name in names if name.startswith(text)]
        return fitting[state] if state < len(fitting) else None


def _piped_line() -> str:
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    print(f"{_PROMPT}{line.rstrip()}")
    return line


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
