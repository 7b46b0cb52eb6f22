# SPDX-License-Identifier: MIT
"""How far a running program is, from a file that the device keeps (serve/progress.h)."""

import struct
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.model.text import visible

_LAYOUT = struct.Struct("<3Q232s")


@dataclass(frozen=True, slots=True)
class Seen:
    num_launches: int
    num_blocks: int  # of the launch that runs; 0: none does
    num_ended: int
    kernel: str


class Progress:
    def __init__(self, file: Path) -> None:
        self._file = file
        file.write_bytes(bytes(_LAYOUT.size))

    def seen(self) -> Seen:
        launches, blocks, ended, kernel = _LAYOUT.unpack(self._file.read_bytes())
        name = kernel.split(b"\0")[0].decode("utf-8", "replace")
        return Seen(launches, blocks, ended, visible(name))

    def where(self) -> str:
        """The kernel that runs, and how much of it is done; nothing while the host is at work."""
        seen = self.seen()
        if not seen.num_blocks:
            return ""
        blocks = "1 block" if seen.num_blocks == 1 else f"{seen.num_blocks} blocks"
        launch = f", launch {seen.num_launches}" if seen.num_launches > 1 else ""
        return f"kernel {seen.kernel} with {seen.num_ended} of {blocks} done{launch}"

    def news(self, elapsed: float, timeout: float | None) -> str:
        """One line for a user who wonders why nothing happens."""
        launches = self.seen().num_launches
        so_far = "1 launch" if launches == 1 else f"{launches} launches"
        what = self.where() or f"the host's code, after {so_far}"
        limit = f"; --timeout ends it after {timeout:g} s" if timeout else "; Ctrl-C ends it"
        return f"after {elapsed:.0f} s: {what}{limit}"
