# SPDX-License-Identifier: MIT
"""What a prompt shows of a session: frames with their source, the tables of `info`, and the command
`cuda`."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from lockstep_grader.model.errors import InputError
from lockstep_grader.student.debug.selection import linear, nth, read_index, spell, variables
from lockstep_grader.student.debug.session import Session
from lockstep_grader.student.debug.values import Value, spelled

_AROUND = 5  # lines of the source on each side
_SELECTION = re.compile(r"(block|thread|warp|lane)\s*(\([\d\s,]+\)|\d+)\s*")
_USAGE = (
    "use: cuda [block N | block (x,y,z)] [thread N | thread (x,y,z)], cuda warp N, cuda lane N, "
    "or cuda other"
)


class Frames:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._listed: tuple[str, int] = ("", 0)  # the last line of `list`

    def text_of(self, index: int) -> str:
        frame = self._session.frames()[index]
        before, self._session.frame = self._session.frame, index
        try:
            arguments = ", ".join(
                f"{name}={self._brief(value)}"
                for name, value in variables(self._session, "formal_parameter")
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

    def show(self, is_whole: bool = True) -> None:
        frame = self._session.current()
        if is_whole:
            number = f"#{self._session.frame}  " if self._session.frame else ""
            print(f"{number}{self.text_of(self._session.frame)}")
        print(f"{frame.line}\t{self.line_of(frame.file, frame.line)}")
        self._listed = (frame.file, 0)

    def line_of(self, file: str, line: int) -> str:
        lines = self._lines(file)
        return lines[line - 1] if 0 < line <= len(lines) else "(no such line in the file now)"

    def _lines(self, file: str) -> list[str]:
        try:
            return Path(file).read_text("utf-8", "replace").splitlines()
        except OSError as error:
            raise InputError(f"{file}: {error.strerror}") from None

    def where(self) -> None:
        if not self._session.frames():
            self._session.current()  # raises
        for index in range(len(self._session.frames())):
            print(f"#{index}  {self.text_of(index)}")

    def choose(self, text: str) -> None:
        if text:
            number = int(text)
            if not 0 <= number < len(self._session.frames()):
                raise InputError(f"there is no frame {number}")
            self._session.frame = number
        self.show()

    def move(self, by: int) -> None:
        number = self._session.frame + by
        if not 0 <= number < len(self._session.frames()):
            raise InputError("there is no frame above" if by > 0 else "this is the innermost frame")
        self.choose(str(number))

    def list(self, text: str) -> None:
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


def show_breakpoints(session: Session) -> None:
    if not session.breakpoints:
        print("No breakpoints.")
        return
    rows = [["Num", "Enabled", "Where", "Hits", "Condition"]]
    for one in session.breakpoints:
        spot = one.spots[0]
        where = f"{Path(spot.file).name}:{spot.line}"
        enabled = "y" if one.is_enabled else "n"
        rows.append([str(one.number), enabled, where, str(one.hits), one.condition])
    _table(rows)


def show_kernels(session: Session) -> None:
    session.require()
    launch, total = session.launch, math.prod(session.grid_dim)
    rows = [["  Kernel", "GridDim", "BlockDim", "Blocks ended", "Launched at"]]
    place = f"{Path(launch['file']).name}:{launch['line']}" if launch["line"] else ""
    shapes = [spell(session.grid_dim), spell(session.block_dim)]
    rows.append([f"* {launch['kernel']}", *shapes, f"{launch['ended']} of {total}", place])
    _table(rows)


def show_blocks(session: Session) -> None:
    rows = [["  BlockIdx", "Threads", "Ended", "At a barrier"]]
    for block in session.threads():
        counts = Counter[str]()
        for first, last, state, _ in block["rows"]:
            counts[state] += last - first + 1
        star = "*" if block["block"] == session.block else " "
        numbers = (counts.total(), counts["ended"], counts["barrier"])
        rows.append([f"{star} {spell(tuple(block['index']))}", *map(str, numbers)])
    _table(rows)
    launch, total = session.launch, math.prod(session.grid_dim)
    print(f"{launch['ended']} of {total} blocks ended, {total - launch['started']} not started")


def show_warps(session: Session) -> None:
    rows = [["  BlockIdx", "Warp", "Live lanes", "At a barrier", "Running"]]
    for block in session.threads():
        masks: dict[int, Counter[str]] = defaultdict(Counter)
        for first, last, state, _ in block["rows"]:
            for thread in range(first, last + 1):
                warp, bit = masks[thread // 32], 1 << thread % 32
                warp.update({state: bit, "live": bit} if state != "ended" else {})
        for number, warp in masks.items():
            chosen = (session.block, session.thread // 32)
            star = "*" if (block["block"], number) == chosen else " "
            words = [f"0x{warp[word]:08x}" for word in ("live", "barrier", "running")]
            rows.append([f"{star} {spell(tuple(block['index']))}", str(number), *words])
    _table(rows)


def show_threads(session: Session) -> None:
    rows = [["  BlockIdx", "ThreadIdx", "To ThreadIdx", "Count", "State", "Line"]]
    shape = session.block_dim
    for block in session.threads():
        chosen = session.thread if block["block"] == session.block else -1
        for first, last, state, line in block["rows"]:
            for begin, end in _split_at(first, last, chosen):
                head = f"{'*' if begin == chosen else ' '} {spell(tuple(block['index']))}"
                ends = (spell(nth(begin, shape)), spell(nth(end, shape)))
                rows.append([head, *ends, str(end - begin + 1), state, str(line or "")])
    _table(rows)


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


def select(session: Session, frames: Frames, text: str) -> None:
    session.require()
    if text == "other":
        return _select_other(session, frames)
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
            raise InputError(f"there is no {word} {spell(index)}: the launch has {spell(shape)}")
    session.select(linear(block, session.grid_dim), linear(thread, session.block_dim))
    return _show_selected(session, frames, "This thread has ended.")


def _show_selected(session: Session, frames: Frames, ended: str) -> None:
    print(f"[Switching focus to CUDA {session.describe()}]")
    if session.frames():
        frames.show()
    else:
        print(ended)


def _select_other(session: Session, frames: Frames) -> None:
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
    spots = (spot for module in session.modules for spot in module.ptx.spots)
    file = next((spot.file for spot in spots if Path(spot.file).name == other["file"]), "")
    if file:
        print(f"{other['line']}\t{frames.line_of(file, other['line'])}")
    ended = "That thread has ended since; it has no frames any more."
    try:
        session.select(other["block"], other["thread"])
    except InputError:
        print(ended)
    else:
        _show_selected(session, frames, ended)
