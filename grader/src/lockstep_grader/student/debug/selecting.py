# SPDX-License-Identifier: MIT
"""The command `cuda`."""

import re
from pathlib import Path

from lockstep_grader.model.errors import InputError
from lockstep_grader.student.debug.frames import Frames
from lockstep_grader.student.debug.selection import linear, nth, read_index, spell
from lockstep_grader.student.debug.session import Session

_SELECTION = re.compile(r"(block|thread|warp|lane)\s*(\([\d\s,]+\)|\d+)\s*")
_USAGE = (
    "use: cuda [block N | block (x,y,z)] [thread N | thread (x,y,z)], cuda warp N, cuda lane N, "
    "or cuda other"
)


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
    print(f"[Switching focus to CUDA {session.describe()}]")
    if session.frames():
        frames.show()
    else:
        print("This thread has ended.")
    return None


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
        print(f"{other['line']}\t{frames.line_of(file, other['line'])}")
    try:
        session.select(other["block"], other["thread"])
    except InputError:
        print("That thread has ended since; it has no frames any more.")
        return
    print(f"[Switching focus to CUDA {session.describe()}]")
    if session.frames():
        frames.show()
    else:
        print("That thread has ended since; it has no frames any more.")
