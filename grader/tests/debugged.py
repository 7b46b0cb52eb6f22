# SPDX-License-Identifier: MIT
"""Programs that tests debug, and a session with them."""

import os
import subprocess
from pathlib import Path

from in_process import text_of
from repository import REPOSITORY

ROTATE = text_of("rotate/rotate.cu")
RIGHT = ROTATE.replace("BLOCKS", "1")
PAST_THE_END = ROTATE.replace("BLOCKS", "2")
RACE = RIGHT.replace("  __syncthreads();\n", "  if (i < 0) return;\n")

TYPES = text_of("types/rotate.cu")
AFTER_LOOP = 32  # a line of it: `int* own`

# A kernel that takes hours; the checks end a loop that changes nothing.
ENDLESS = RIGHT.replace("  next += 1;", "  for (long k = 0; k < 1L << 40; ++k) d_out[i] = next;")


def command(*arguments: str) -> list[str]:
    return [str(REPOSITORY / "lab"), "debug", *arguments]


def environment() -> dict[str, str]:
    moved = ("LOCKSTEP_ROOT", "LOCKSTEP_TOOLCHAIN")
    return {key: value for key, value in os.environ.items() if key not in moved}


def debug(
    folder: Path, source: str, *commands: str, options: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """A session whose commands come on standard input."""
    (folder / "rotate.cu").write_text(source)
    return piped(folder, ("rotate.cu", *options), commands)


def piped(
    folder: Path, words: tuple[str, ...], commands: tuple[str, ...]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words),
        cwd=folder,
        env=environment(),
        input="".join(f"{text}\n" for text in commands),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )


def answers(said: str) -> dict[str, str]:
    """What follows each command; of a repeated command the last answer."""
    parts = said.split("(lab) ")[1:]
    return {part.partition("\n")[0]: part.partition("\n")[2].strip() for part in parts}


def told_by(folder: Path, source: str, commands: str) -> dict[str, str]:
    """The answers to commands, which `; ` separates."""
    return answers(debug(folder, source, *commands.split("; ")).stdout)
