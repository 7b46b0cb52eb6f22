# SPDX-License-Identifier: MIT
"""The selected thread: which one, its frames, and the world as it sees it."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import gdb
from gdb.unwinder import Unwinder, register_unwinder
from inside.state import Index, Said, State, Thread, built_in_address

# A waiting thread's registers in the order of the addresses at which the emulator's switch keeps
# them (run/switch_stack.cpp), and the bytes that its stack pointer is beyond.
_SAVED = {
    "i386:x86-64": (("r15", "r14", "r13", "r12", "rbx", "rbp", "rip"), "rsp", "rip", 56),
    "aarch64": ((*(f"x{i}" for i in range(19, 31)),), "sp", "pc", 160),
}


@dataclass
class Focus:
    block: Index | None = None
    thread: Index | None = None
    finding: Said | None = None  # where the program stands
    # The frames of a waiting thread in place of those below the one that runs:
    context: int = 0
    has_frames: bool = True
    at: tuple[int, int] = (0, 0)  # stack pointer and pc where the program stands

    def clear(self) -> None:
        self.block = self.thread = self.finding = None
        self.context, self.has_frames = 0, True

    def is_at(self, thread: Thread) -> bool:
        return (thread.block, thread.index) == (self.block, self.thread)

    def select(self, state: State, thread: Thread) -> None:
        """Shows the frames of `thread` from now on."""
        self.block, self.thread = thread.block, thread.index
        self.context = 0
        self.has_frames = thread.state not in ("ended", "not_started")
        gdb.invalidate_cached_frames()
        if (thread.block, thread.index) != state.running:
            newest = gdb.newest_frame()
            self.at = (int(newest.read_register("sp")), newest.pc())
            self.context = thread.context
            gdb.invalidate_cached_frames()

    @property
    def selected(self) -> tuple[Index, Index]:
        """Block and thread. Raises GdbError when none is selected."""
        if self.block is None or self.thread is None:
            raise gdb.GdbError("no thread is selected: `cuda block 0 thread 0`")
        return self.block, self.thread

    @property
    def condition(self) -> str:
        """In C: whether the thread that runs is the selected one."""
        block, thread = self.selected
        parts = [
            f"((unsigned*){built_in_address(name)})[{axis}] == {index[axis]}"
            for name, index in (("threadIdx", thread), ("blockIdx", block))
            for axis in range(3)
        ]
        return " && ".join(parts)


focus = Focus()


class _FrameId:
    def __init__(self, sp: gdb.Value, pc: gdb.Value) -> None:
        self.sp, self.pc = sp, pc


class _WaitingThread(Unwinder):
    """Continues from where the program stands with the frames of a thread that waits."""

    def __init__(self) -> None:
        super().__init__("lockstep-waiting-thread")

    def __call__(self, pending: gdb.PendingFrame) -> gdb.UnwindInfo | None:
        if focus.context == 0:
            return None
        if (int(pending.read_register("sp")), int(pending.read_register("pc"))) != focus.at:
            return None
        saved, sp, pc, size = _SAVED[pending.architecture().name()]
        word = gdb.lookup_type("unsigned long")
        data = gdb.selected_inferior().read_memory(focus.context, 8 * len(saved)).tobytes()
        values = dict(zip(saved, struct.unpack(f"<{len(saved)}Q", data), strict=True))
        values[sp] = focus.context + size
        values.setdefault(pc, values.get("x30", 0))
        # Frames of callers must not lie below those of the functions that they call.
        info = pending.create_unwind_info(
            _FrameId(gdb.Value(focus.context).cast(word), gdb.Value(focus.at[1]).cast(word))
        )
        for name, value in values.items():
            kind = pending.read_register(name).type
            info.add_saved_register(name, gdb.Value(value).cast(word).cast(kind))
        return info


@contextmanager
def seen_by_focus(state: State | None) -> Iterator[None]:
    """With threadIdx, blockIdx and shared memory as the selected thread has them."""
    if state is None or focus.block is None or focus.selected == state.running:
        yield
        return
    block_index, thread_index = focus.selected
    memory = gdb.selected_inferior()
    changes: list[tuple[int, bytes]] = []
    for name, index in (("threadIdx", thread_index), ("blockIdx", block_index)):
        changes.append((built_in_address(name), struct.pack("<3I", *index)))
    block = state.find_block(block_index)
    if block and block.image:
        image = memory.read_memory(block.image, block.image_bytes).tobytes()
        at = 0
        for address, size in (state.static_shared, state.dynamic_shared):
            changes.append((address, image[at : at + size]))
            at += size
    kept = [
        (address, memory.read_memory(address, len(data)).tobytes())
        for address, data in changes
        if data
    ]
    try:
        for address, data in changes:
            if data:
                memory.write_memory(address, data)
        yield
    finally:
        for address, data in kept:
            memory.write_memory(address, data)


def set_up() -> None:
    register_unwinder(None, _WaitingThread(), replace=True)
