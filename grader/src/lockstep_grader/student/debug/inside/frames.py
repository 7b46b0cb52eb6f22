# SPDX-License-Identifier: MIT
"""The student's frames: those of the emulator and of the system's libraries are hidden."""

from collections.abc import Iterable, Iterator

import gdb
from inside.focus import focus

_hidden: list[str] = ["/usr/"]


def is_students(frame: gdb.Frame) -> bool:
    if focus.context and frame.level() == 0:
        return False  # of the thread that runs, and not of the selected one
    table = frame.find_sal().symtab
    if table is None or frame.function() is None:
        return False
    path = table.fullname()
    return not any(path.startswith(folder) for folder in _hidden)


def _of_student(frames: Iterable[gdb.Frame]) -> list[gdb.Frame]:
    """Youngest first. A launch is a lambda in the student's file, around the kernel: not shown."""
    found = [frame for frame in frames if is_students(frame)]
    return found[:-1] if found and "operator()" in (found[-1].name() or "") else found


def _every_frame() -> Iterator[gdb.Frame]:
    frame: gdb.Frame | None = gdb.newest_frame()
    while frame is not None and frame.is_valid():
        yield frame
        frame = frame.older()


def youngest() -> gdb.Frame | None:
    """The selected thread's youngest frame in the student's code."""
    return next(iter(_of_student(_every_frame())), None)


class _StudentsFrames:
    name, priority, enabled = "lockstep", 100, True

    def filter(self, frames: Iterable[gdb.FrameDecorator]) -> Iterator[gdb.FrameDecorator]:
        if not focus.has_frames:
            return iter(())
        every = list(frames)
        levels = {frame.level() for frame in _of_student(item.inferior_frame() for item in every)}
        shown = [item for item in every if item.inferior_frame().level() in levels]
        return iter(shown or every)


def set_up(common: str) -> None:
    _hidden.append(f"{common}/")
    gdb.frame_filters["lockstep"] = _StudentsFrames()
