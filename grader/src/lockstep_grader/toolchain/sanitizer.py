# SPDX-License-Identifier: MIT
"""NVIDIA's compute-sanitizer: where it is, and how a program runs under one of its tools."""

import shutil
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.text import one_line
from lockstep_grader.toolchain.system import toolkit_nvcc

# The options of each tool in addition to the common ones.
TOOLS = {
    "memcheck": ("--leak-check=full",),
    "racecheck": ("--racecheck-report=analysis",),
    "initcheck": (),
    "synccheck": (),
}
_PRINT_LIMIT = 100
SANITIZER_ADVICE = "it comes with NVIDIA's CUDA toolkit (package cuda-sanitizer)"


@dataclass(frozen=True)
class Sanitizer:
    program: Path

    @cached_property
    def version(self) -> str:
        """What the program says that it is: part of a result's key."""
        try:
            said = subprocess.run(
                [self.program, "--version"], capture_output=True, text=True, timeout=60
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise FaultError(f"{self.program} does not run: {error}; try --no-sanitizer") from error
        return one_line(said.stdout)

    def command(self, tool: str) -> list[str]:
        """The words before those of a program that runs under the tool."""
        program, limit = str(self.program), f"--print-limit={_PRINT_LIMIT}"
        return [program, f"--tool={tool}", limit, *TOOLS[tool]]


def find_sanitizer() -> Sanitizer | None:
    """compute-sanitizer on PATH or next to nvcc."""
    found = shutil.which("compute-sanitizer")
    if not found and (nvcc := toolkit_nvcc()):
        found = shutil.which(Path(nvcc).with_name("compute-sanitizer"))
    return Sanitizer(Path(found).resolve()) if found else None
