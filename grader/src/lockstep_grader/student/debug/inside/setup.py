# SPDX-License-Identifier: MIT
"""gdb's entry, by `source`: settings, commands and frames of the emulated device."""

import os
import sys
from pathlib import Path

import gdb

sys.path.insert(0, str(Path(__file__).parent.parent))

from inside import commands, frames, stops

# The emulator's clock looks for endless loops; here the user does, by Ctrl-C. A tick would also
# make two runs differ.
_SETTINGS = (
    "handle SIGVTALRM nostop noprint nopass",
    "set confirm off",
    "set breakpoint pending on",
    "set print thread-events off",
    "set print frame-arguments scalars",
    "set max-value-size unlimited",
)


def set_up() -> None:
    for setting in _SETTINGS:
        gdb.execute(setting, to_string=True)
    common = os.environ["LOCKSTEP_DEBUG_COMMON"]
    gdb.execute(f"skip -gfi {common}/*/*", to_string=True)
    gdb.execute("skip -gfi /usr/*", to_string=True)
    # A line number alone means the student's file.
    gdb.execute(f"list '{os.environ['LOCKSTEP_DEBUG_SOURCE']}':1,1", to_string=True)
    frames.set_up(common)
    commands.set_up()
    stops.set_up()


set_up()
