# SPDX-License-Identifier: MIT
"""`./lab` in the tests' own process: starting Python and importing takes half of a short command.

The programs that it runs are in the folder `programs`.

Unlike `Checkout.lab`, it also captures what programs write that the command starts.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from lockstep_grader.cli.main import main

PROGRAMS = Path(__file__).parent / "programs"


def put(folder: Path, program: str) -> None:
    """Copies the program's files into `folder`."""
    shutil.copytree(PROGRAMS / program, folder, dirs_exist_ok=True)


def text_of(file: str) -> str:
    """The text of a file below `programs`."""
    return (PROGRAMS / file).read_text("utf-8")


def lab(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """What `./lab ARGUMENTS` does in the folder `cwd`."""
    words = [str(argument) for argument in arguments]
    before = Path.cwd()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        os.chdir(cwd)
        try:
            with _writing_to(out, 1, "stdout"), _writing_to(err, 2, "stderr"):
                status = main(words)
        finally:
            os.chdir(before)
        return subprocess.CompletedProcess(words, status, _all_of(out), _all_of(err))


@contextlib.contextmanager
def _writing_to(file: IO[bytes], descriptor: int, name: str) -> Iterator[None]:
    """Redirects a descriptor, which children inherit, and the stream of `sys` for it."""
    getattr(sys, name).flush()
    kept, ours = os.dup(descriptor), getattr(sys, name)
    os.dup2(file.fileno(), descriptor)
    try:
        with open(descriptor, "w", encoding="utf-8", closefd=False) as stream:
            setattr(sys, name, stream)
            yield
    finally:
        setattr(sys, name, ours)
        os.dup2(kept, descriptor)
        os.close(kept)


def _all_of(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8")
