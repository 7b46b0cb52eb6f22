# SPDX-License-Identifier: MIT
"""The emulator's state, by its debugging interface: common/simt/src/device/report/debugger.h."""

from dataclasses import dataclass, field

import gdb

Index = tuple[int, int, int]


@dataclass(frozen=True)
class Thread:
    block: Index
    index: Index
    id: int  # in its block
    state: str
    pc: int  # of the call that it waits in; 0: none
    context: int  # where its registers are while it does not run; 0: nowhere


@dataclass(frozen=True)
class Block:
    index: Index
    image: int  # its shared memory, while another block's is in place; 0: it is in place
    image_bytes: int
    threads: list[Thread] = field(default_factory=list)


@dataclass
class State:
    """A running kernel."""

    name: str
    line: int
    grid: Index
    block: Index
    num_started: int
    num_ended: int
    file: str = ""
    static_shared: tuple[int, int] = (0, 0)  # address, bytes
    dynamic_shared: tuple[int, int] = (0, 0)
    running: tuple[Index, Index] | None = None  # block and thread; None: the emulator itself
    blocks: list[Block] = field(default_factory=list)  # resident

    @property
    def threads(self) -> list[Thread]:
        return [thread for block in self.blocks for thread in block.threads]

    def find_block(self, index: Index) -> Block | None:
        return next((block for block in self.blocks if block.index == index), None)

    def find(self, block: Index, index: Index) -> Thread | None:
        found = self.find_block(block)
        return (
            next((item for item in found.threads if item.index == index), None) if found else None
        )


def is_alive() -> bool:
    return gdb.selected_inferior().pid != 0


def read_state() -> State | None:
    """Of the kernel that runs; None: the host runs."""
    state: State | None = None
    for line in _text("((const char* (*)())simt_debug_state)()").splitlines():
        word, _, rest = line.partition(" ")
        values = rest.split(" ")
        if word == "kernel":
            n = list(map(int, values[:9]))
            name = " ".join(values[9:])
            state = State(name, n[0], (n[1], n[2], n[3]), (n[4], n[5], n[6]), n[7], n[8])
        elif state is None:
            break
        elif word == "file":
            state.file = rest
        elif word == "shared":
            state.static_shared = (int(values[0], 0), int(values[1]))
            state.dynamic_shared = (int(values[2], 0), int(values[3]))
        elif word == "running":
            state.running = (_index(values[:3]), _index(values[3:]))
        elif word == "block":
            state.blocks.append(Block(_index(values[:3]), int(values[3], 0), int(values[4])))
        elif word == "thread":
            block = state.blocks[-1]
            block.threads.append(
                Thread(
                    block.index,
                    _index(values[:3]),
                    int(values[3]),
                    values[4],
                    int(values[5], 0),
                    int(values[6], 0),
                )
            )
    return state


@dataclass(frozen=True)
class Party:
    block: Index
    thread: Index
    pc: int
    verb: str = ""


@dataclass(frozen=True)
class Said:
    """A finding, as the emulator announces it."""

    kind: str
    message: str
    accused: Party | None
    other: Party | None
    ends_kernel: bool


def read_said() -> Said:
    kind, message, ends_kernel = "", "", False
    parties: dict[str, Party] = {}
    for line in _text("*(const char**)&simt_debug_said").splitlines():
        word, _, rest = line.partition(" ")
        values = rest.split(" ")
        if word == "finding":
            kind = rest
        elif word == "message":
            message = rest
        elif word == "final":
            ends_kernel = True
        elif word in ("accused", "other"):
            verb = values[7] if len(values) > 7 else ""
            where = int(values[6], 0)
            parties[word] = Party(_index(values[:3]), _index(values[3:6]), where, verb)
    return Said(kind, message, parties.get("accused"), parties.get("other"), ends_kernel)


def attach() -> None:
    """Asks the emulator to announce its findings."""
    gdb.selected_inferior().write_memory(_address("simt_debug_attached"), b"\1\0\0\0")


def memory_complaint(base: int, address: int, size_bytes: int) -> str:
    """What is wrong with reading device memory there by a pointer to `base`; empty: nothing."""
    word = "unsigned long"
    function = f"((const char* (*)({word}, {word}, {word}))simt_debug_memory)"
    return _text(f"{function}({base}UL, {address}UL, {size_bytes}UL)")


def built_in_address(name: str) -> int:
    """Of threadIdx or blockIdx: three unsigned numbers."""
    return _address(name)


def _address(symbol: str) -> int:
    return int(gdb.parse_and_eval(f"(unsigned long)&{symbol}"))


def _text(expression: str) -> str:
    value = gdb.parse_and_eval(expression)
    return value.string("utf-8", "replace")


def _index(values: list[str]) -> Index:
    return int(values[0]), int(values[1]), int(values[2])
