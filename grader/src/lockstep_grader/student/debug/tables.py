# SPDX-License-Identifier: MIT
"""The tables of `info`."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from lockstep_grader.student.debug.selection import nth, spell
from lockstep_grader.student.debug.session import Session


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
    launch = session.launch
    total = launch["grid"][0] * launch["grid"][1] * launch["grid"][2]
    rows = [["  Kernel", "GridDim", "BlockDim", "Blocks ended", "Launched at"]]
    place = f"{Path(launch['file']).name}:{launch['line']}" if launch["line"] else ""
    shapes = [spell(session.grid_dim), spell(session.block_dim)]
    rows.append([f"* {launch['kernel']}", *shapes, f"{launch['ended']} of {total}", place])
    _table(rows)


def show_blocks(session: Session) -> None:
    rows = [["  BlockIdx", "Threads", "Ended", "At a barrier"]]
    for block in session.threads():
        counts = {"ended": 0, "barrier": 0}
        total = 0
        for first, last, state, _ in block["rows"]:
            total += last - first + 1
            counts[state] = counts.get(state, 0) + last - first + 1
        star = "*" if block["block"] == session.block else " "
        index = spell(tuple(block["index"]))
        numbers = [str(total), str(counts["ended"]), str(counts["barrier"])]
        rows.append([f"{star} {index}", *numbers])
    _table(rows)
    launch = session.launch
    total = launch["grid"][0] * launch["grid"][1] * launch["grid"][2]
    print(f"{launch['ended']} of {total} blocks ended, {total - launch['started']} not started")


def show_warps(session: Session) -> None:
    rows = [["  BlockIdx", "Warp", "Live lanes", "At a barrier", "Running"]]
    for block in session.threads():
        masks: dict[int, dict[str, int]] = {}
        for first, last, state, _ in block["rows"]:
            for thread in range(first, last + 1):
                warp = masks.setdefault(thread // 32, {})
                for word in (state, "live") if state != "ended" else ():
                    warp[word] = warp.get(word, 0) | 1 << thread % 32
        for number, warp in masks.items():
            chosen = (session.block, session.thread // 32)
            star = "*" if (block["block"], number) == chosen else " "
            words = [f"0x{warp.get(word, 0):08x}" for word in ("live", "barrier", "running")]
            rows.append([f"{star} {spell(tuple(block['index']))}", str(number), *words])
    _table(rows)


def show_threads(session: Session) -> None:
    rows = [["  BlockIdx", "ThreadIdx", "To ThreadIdx", "Count", "State", "Line"]]
    shape = session.block_dim
    for block in session.threads():
        chosen = session.thread if block["block"] == session.block else -1
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
