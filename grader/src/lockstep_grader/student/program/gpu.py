# SPDX-License-Identifier: MIT
"""The same program on a GPU: built by nvcc, checked by compute-sanitizer where there is one."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from lockstep_grader.machine.progress import say
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import Finding
from lockstep_grader.student.program.build import Options, compile_step
from lockstep_grader.student.program.run import Checks, Ended, Ran, Settings, run_to_end
from lockstep_grader.toolchain.nvcc import SANITIZER_ADVICE, find_sanitizer
from lockstep_grader.toolchain.system import gpu_name, toolkit_nvcc
from lockstep_grader.words.sanitizer_log import read_log

# The first runs with the user's input and output; the others repeat the program unseen.
_TOOLS = {
    Checks.NONE: (),
    Checks.MEMORY: ("memcheck",),
    Checks.ALL: ("memcheck", "racecheck", "initcheck", "synccheck"),
}


def build_with_nvcc(files: Sequence[Path], options: Options, work: Path) -> Path:
    """The program, with device calls between files. Raises BuildError, FaultError."""
    nvcc = toolkit_nvcc()
    if not nvcc:
        raise FaultError(
            "no nvcc with CUDA's libraries: install NVIDIA's CUDA toolkit, or use --backend cpu"
        )
    if not gpu_name():
        raise FaultError("no GPU: nvidia-smi lists none; use --backend cpu")
    argv = [nvcc, f"-std=c++{options.std}", "-O3", "-lineinfo", "-rdc=true", "-arch=native"]
    argv += [f"-I{folder.absolute()}" for folder in options.include]
    argv += [f"-D{macro}" for macro in options.define]
    program = work / "program"
    compile_step([*argv, *(str(file.absolute()) for file in files), "-o", str(program)], work)
    return program


def run_on_gpu(
    program: Path, arguments: Sequence[str], settings: Settings, work: Path, file_name: str
) -> Ran:
    """Runs `program` once, and once more for each further tool of compute-sanitizer."""
    if settings.profile or settings.seed:
        raise InputError("--profile and --seed are the emulator's: use --backend cpu")
    tools = _TOOLS[settings.checks]
    sanitizer = find_sanitizer() if tools else None
    if tools and sanitizer is None:
        say(f"compute-sanitizer is not here, so nothing is checked: {SANITIZER_ADVICE}")
    if sanitizer is None:
        return run_to_end([str(program), *arguments], dict(os.environ), settings).ran(())
    found: dict[Finding, None] = {}
    ended: Ended | None = None
    for tool in tools:
        log = work / f"{tool}.log"
        argv = [str(sanitizer.program), f"--tool={tool}", f"--log-file={log}", "--print-limit=100"]
        hidden = None if ended is None else subprocess.DEVNULL
        now = run_to_end(
            [*argv, str(program), *arguments], dict(os.environ), settings, output=hidden
        )
        ended = ended or now
        report = read_log(log.read_text("utf-8", "replace") if log.is_file() else "", file_name)
        if not report.has_run:
            raise FaultError(
                f"compute-sanitizer's {tool} did not start; --checks none leaves it out"
            )
        found.update(dict.fromkeys(report.findings))
    if ended is None:
        raise FaultError("no tool was run")
    return ended.ran(tuple(found))
