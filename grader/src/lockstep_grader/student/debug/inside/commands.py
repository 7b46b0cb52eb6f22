# SPDX-License-Identifier: MIT
"""The commands: cuda-gdb's own, and `print` with bounds."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import gdb
from inside import focus as focus_module
from inside import frames
from inside.bounds import check_expression, check_value
from inside.focus import focus, seen_by_focus
from inside.state import Index, State, Thread, is_alive, read_state
from inside.stops import describe, show_thread, spell

_SELECTION = re.compile(r"(block|thread)\s*(\([\d\s,]+\)|\d+)\s*")
_FORMAT = re.compile(r"^\s*/(\w+)\s*")
_USAGE = "use: cuda [block N | block (x,y,z)] [thread N | thread (x,y,z)], or cuda other"
_WORDS = {
    "not_started": "not started",
    "grid_barrier": "grid barrier",
    "warp_operation": "warp operation",
}


def _running_state() -> State:
    state = read_state() if is_alive() else None
    if state is None:
        raise gdb.GdbError("no kernel is running: `break KERNEL` or `break LINE`, then `run`")
    return state


class _Cuda(gdb.Command):
    """Select a thread of the running kernel, or show which one is selected.

    cuda                                 show the selected thread
    cuda block 1 thread (3,0,0)          select; a number alone is the x coordinate
    cuda thread 5
    cuda other                           the other party of the race at which the program stopped"""

    def __init__(self) -> None:
        super().__init__("cuda", gdb.COMMAND_DATA)

    def invoke(self, text: str, from_tty: bool) -> None:
        text = text.strip()
        state = _running_state()
        if text == "other":
            _show_other(state)
        elif text in ("", "block", "thread", "kernel"):
            gdb.write(f"{describe(state)}\n")
        else:
            self._select(state, text)

    def _select(self, state: State, text: str) -> None:
        if _SELECTION.sub("", text):
            raise gdb.GdbError(_USAGE)
        block, thread = focus.block or state.blocks[0].index, focus.thread or (0, 0, 0)
        for word, value in _SELECTION.findall(text):
            if word == "block":
                block = _index(value)
            else:
                thread = _index(value)
        _require_inside("block", block, state.grid)
        _require_inside("thread", thread, state.block)
        found = state.find(block, thread)
        if found is None:
            raise gdb.GdbError(
                f"block {spell(block)} is not on the device now: it has ended, or not started. "
                f"Stop in it: break LINE if blockIdx.x == {block[0]}"
            )
        focus.select(state, found)
        gdb.write(f"[Switching focus to CUDA {describe(state)}]\n")
        if found.state == "not_started":
            gdb.write("This thread has not started; `step` runs it to the kernel's first line.\n")
        elif found.state == "ended":
            gdb.write("This thread has ended.\n")
        else:
            show_thread(state)


def _index(text: str) -> Index:
    numbers = [int(part) for part in text.strip("() ").split(",")]
    if len(numbers) > 3:
        raise gdb.GdbError(_USAGE)
    x, y, z = [*numbers, 0, 0][:3]
    return x, y, z


def _require_inside(word: str, index: Index, shape: Index) -> None:
    if any(at >= size for at, size in zip(index, shape, strict=True)):
        raise gdb.GdbError(f"there is no {word} {spell(index)}: the launch has {spell(shape)}")


def _show_other(state: State) -> None:
    if not focus.finding:
        raise gdb.GdbError("the program did not stop at a finding")
    other = focus.finding.other
    if other is None:
        raise gdb.GdbError(f"this {focus.finding.kind} has no other party that is known")
    sal = gdb.find_pc_line(other.pc - 1)
    where = f"{Path(sal.symtab.filename).name}:{sal.line}" if sal.symtab else hex(other.pc)
    gdb.write(
        f"thread {spell(other.thread)} of block {spell(other.block)} {other.verb} it at {where}\n"
    )
    if sal.symtab:
        gdb.execute(f"list {sal.symtab.filename}:{sal.line},{sal.line}")
    found = state.find(other.block, other.thread)
    if found is None or found.state == "ended":
        gdb.write("That thread has ended since; it has no frames any more.\n")
    else:
        focus.select(state, found)
        gdb.write(f"[Switching focus to CUDA {describe(state)}]\n")
        show_thread(state)


class _Info(gdb.Command):
    def __init__(self, word: str, text: str, show: Callable[[State], None]) -> None:
        self.__doc__ = text
        self._show = show
        super().__init__(f"info cuda {word}", gdb.COMMAND_STATUS)

    def invoke(self, text: str, from_tty: bool) -> None:
        self._show(_running_state())


def _table(rows: Sequence[Sequence[object]]) -> None:
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for row in texts:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        gdb.write("  ".join(cells).rstrip() + "\n")


def _kernels(state: State) -> None:
    rows = [["  Kernel", "GridDim", "BlockDim", "Blocks ended", "Launched at"]]
    ended = f"{state.num_ended} of {state.grid[0] * state.grid[1] * state.grid[2]}"
    place = f"{Path(state.file).name}:{state.line}"
    rows.append([f"* {state.name}", spell(state.grid), spell(state.block), ended, place])
    _table(rows)


def _blocks(state: State) -> None:
    rows = [["  BlockIdx", "Threads", "Ended", "At a barrier"]]
    for block in state.blocks:
        states = [thread.state for thread in block.threads]
        star = "*" if block.index == focus.block else " "
        counts = [len(states), states.count("ended"), states.count("barrier")]
        rows.append([f"{star} {spell(block.index)}", *map(str, counts)])
    _table(rows)
    total = state.grid[0] * state.grid[1] * state.grid[2]
    gdb.write(
        f"{state.num_ended} of {total} blocks ended, {total - state.num_started} not started\n"
    )


def _warps(state: State) -> None:
    rows = [
        ["  BlockIdx", "Warp", "Live lanes", "At a barrier", "In a warp operation", "Not started"]
    ]
    for block in state.blocks:
        for first in range(0, len(block.threads), 32):
            lanes = block.threads[first : first + 32]
            masks = [
                _mask(lanes, lambda item: item.state != "ended"),
                _mask(lanes, lambda item: item.state == "barrier"),
                _mask(lanes, lambda item: item.state == "warp_operation"),
                _mask(lanes, lambda item: item.state == "not_started"),
            ]
            star = "*" if any(map(focus.is_at, lanes)) else " "
            rows.append([f"{star} {spell(block.index)}", str(first // 32), *masks])
    _table(rows)


def _mask(lanes: Sequence[Thread], wanted: Callable[[Thread], bool]) -> str:
    return f"0x{sum(1 << lane for lane, item in enumerate(lanes) if wanted(item)):08x}"


def _threads(state: State) -> None:
    rows = [["  BlockIdx", "ThreadIdx", "To ThreadIdx", "Count", "State", "Line"]]
    groups: list[list[Thread]] = []
    looks: list[tuple[Index, bool, str, str]] = []
    for thread in state.threads:
        look = (thread.block, focus.is_at(thread), *_look(state, thread))
        if not looks or looks[-1] != look:
            looks.append(look)
            groups.append([])
        groups[-1].append(thread)
    for group, look in zip(groups, looks, strict=True):
        star = "*" if look[1] else " "
        first, last = spell(group[0].index), spell(group[-1].index)
        block = spell(group[0].block)
        rows.append([f"{star} {block}", first, last, str(len(group)), str(look[2]), str(look[3])])
    _table(rows)


def _look(state: State, thread: Thread) -> tuple[str, str]:
    """What the thread does, and in which line."""
    if (thread.block, thread.index) == state.running:
        frame = frames.youngest() if focus.is_at(thread) else None
        return "running", str(frame.find_sal().line) if frame else ""
    word = _WORDS.get(thread.state, thread.state)
    if thread.state in ("ended", "not_started") or not thread.pc:
        return word, ""
    sal = gdb.find_pc_line(thread.pc - 1)
    return word, str(sal.line) if sal.symtab else ""


class _Print(gdb.Command):
    """Print the value of an expression, as the selected thread sees it: threadIdx, shared arrays,
    device memory with its bounds checked. print/x and the other formats work."""

    def __init__(self) -> None:
        super().__init__("print", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, text: str, from_tty: bool) -> None:
        options = {}
        if match := _FORMAT.match(text):
            options["format"] = match[1][-1]
            text = text[match.end() :]
        if not text.strip():
            raise gdb.GdbError("print what?")
        try:
            with seen_by_focus(read_state() if is_alive() else None):
                if is_alive():
                    check_expression(text)
                value = gdb.parse_and_eval(text)
                if is_alive():
                    check_value(value, text)
                value.fetch_lazy()
                shown = value.format_string(**options)
        except gdb.error as error:  # gdb would say first that Python raised it
            raise gdb.GdbError(str(error)) from error
        gdb.set_convenience_variable("_", value)
        gdb.write(f"{_numbered(value)} = {shown}\n")


def _numbered(value: gdb.Value) -> str:
    return f"${gdb.add_history(value)}" if hasattr(gdb, "add_history") else "$_"


def set_up() -> None:
    focus_module.set_up()
    _Cuda()
    gdb.Command("info cuda", gdb.COMMAND_STATUS, prefix=True)
    _Info("kernels", "The kernel that runs.", _kernels)
    _Info("blocks", "The blocks that are on the device.", _blocks)
    _Info("warps", "Their warps.", _warps)
    _Info("threads", "Their threads, and what each does.", _threads)
    _Print()
