# SPDX-License-Identifier: MIT
"""What happens when the program stops: at a finding by itself, and always with one thread selected;
and what keeps a step in that thread."""

from typing import Any

import gdb
from inside import frames
from inside.focus import focus
from inside.state import State, Thread, attach, is_alive, read_said, read_state

_STEPS = ("step", "next", "stepi", "nexti", "until", "advance", "finish")

_muted: dict[int, str | None] = {}  # breakpoints, and their own conditions


class _AtMain(gdb.Breakpoint):
    """The program begins: findings are wanted."""

    def __init__(self) -> None:
        super().__init__("main", internal=True)

    def stop(self) -> bool:
        focus.clear()
        attach()
        return False


class _AtFinding(gdb.Breakpoint):
    def __init__(self) -> None:
        super().__init__("simt_debug_stop", internal=True)
        self.silent = True

    def stop(self) -> bool:
        focus.finding = read_said()
        return True


class _BeforeStep(gdb.Command):
    """For the hooks of the stepping commands: a command's error has no traceback."""

    def __init__(self) -> None:
        super().__init__("lockstep-before-step", gdb.COMMAND_OBSCURE)

    def invoke(self, text: str, from_tty: bool) -> None:
        before_step()


def describe(state: State) -> str:
    """The focus in cuda-gdb's words."""
    block, index = focus.selected
    thread = state.find(block, index)
    number = thread.id if thread else 0
    return (
        f"kernel {state.name}, block {spell(block)}, thread {spell(index)}, "
        f"warp {number // 32}, lane {number % 32}"
    )


def spell(index: tuple[int, int, int]) -> str:
    return "({},{},{})".format(*index)


def show_thread(state: State) -> None:
    """The selected thread's frame, if gdb does not show it by itself."""
    frame = frames.youngest()
    if frame is None:
        gdb.write("This thread has no frame in your code.\n")
        return
    frame.select()
    gdb.execute("frame")


def _on_stop(event: gdb.Event) -> None:
    _unmute()
    if not is_alive():
        return
    newest = gdb.newest_frame()
    at_finding = newest.name() == "simt_debug_stop"
    if not at_finding:
        focus.finding = None
    state = read_state()
    if state is None or (state.running is None and not at_finding):
        focus.block = focus.thread = None
        focus.context, focus.has_frames = 0, True
        if not frames.is_students(newest) and (frame := frames.youngest()):
            frame.select()
        if focus.finding:
            gdb.write(f"\n{focus.finding.kind}: {focus.finding.message}\n")
        return
    _follow(state)
    frame = frames.youngest()
    if focus.finding:
        gdb.write(f"\n{focus.finding.kind}: {focus.finding.message}\n")
    if frame is None:
        gdb.write("[The thread has left your code; its kernel goes on with `continue`]\n")
    elif frame.level() > 0:
        frame.select()
        gdb.execute("frame")


def _follow(state: State) -> None:
    """Selects the accused, or the thread that runs."""
    before = (focus.block, focus.thread)
    accused = focus.finding.accused if focus.finding else None
    block, index = (accused.block, accused.thread) if accused else state.running or (None, None)
    thread = state.find(block, index) if block is not None and index is not None else None
    if thread is not None:
        focus.select(state, thread)
    if (focus.block, focus.thread) != before and focus.block is not None:
        gdb.write(f"[Switching focus to CUDA {describe(state)}]\n")


def before_step() -> None:
    """Makes the selected thread the one that runs, in the student's code; others do not stop."""
    if not is_alive():
        return
    state = read_state()
    if state is None or focus.block is None or focus.thread is None:
        return
    thread = state.find(focus.block, focus.thread)
    if thread is None or thread.state == "ended":
        raise gdb.GdbError("this thread has ended: select another one, or `continue`")
    if focus.finding and focus.finding.ends_kernel:
        raise gdb.GdbError("the finding ends the kernel: no thread goes on; `continue`")
    frame = frames.youngest() if thread.state != "not_started" else None
    if frame is not None and frame.level() == 0:
        _mute()
        return
    _bring(state, thread, frame)
    _mute()


def _bring(state: State, thread: Thread, frame: gdb.Frame | None) -> None:
    """Runs until the thread is in its own code again."""
    if frame is None and thread.state != "not_started":
        raise gdb.GdbError("this thread has left your code: select another one, or `continue`")
    # A template is spelt as the launch spells it; gdb finds all of its instances by the bare name.
    place = f"*{frame.pc()}" if frame else state.name.partition("<")[0]
    wanted = (thread.block, thread.index)
    _mute()
    there = gdb.Breakpoint(place, internal=True)
    there.silent = True
    there.condition = focus.condition
    try:
        gdb.execute("continue", to_string=True)
    finally:
        if there.is_valid():
            there.delete()
    if not is_alive() or (focus.block, focus.thread) != wanted or focus.finding:
        raise gdb.GdbError("stopped before the thread had its turn")
    newest = gdb.newest_frame()
    if frame is not None and newest.find_sal().pc == newest.pc():
        # What it waited in was the last of its line: the step is done, and must not go further.
        gdb.execute("frame")
        raise gdb.GdbError(f"[stepped to line {newest.find_sal().line}]")


def _mute() -> None:
    """From now on the user's breakpoints stop the selected thread only, until the next stop."""
    condition = focus.condition
    for point in gdb.breakpoints():
        if point.type == gdb.BP_BREAKPOINT and point.number > 0 and point.number not in _muted:
            _muted[point.number] = own = point.condition
            point.condition = f"{condition} && ({own})" if own else condition


def _unmute() -> None:
    for point in gdb.breakpoints():
        if point.number in _muted:
            point.condition = _muted[point.number]
    _muted.clear()


def _on_exit(event: Any) -> None:
    _unmute()
    focus.clear()


def set_up() -> None:
    _AtMain()
    _AtFinding()
    _BeforeStep()
    gdb.events.stop.connect(_on_stop)
    gdb.events.exited.connect(_on_exit)
    for step in _STEPS:
        gdb.execute(f"define hook-{step}\nlockstep-before-step\nend")
