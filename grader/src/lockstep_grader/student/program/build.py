# SPDX-License-Identifier: MIT
"""Builds a program of one or several files for the emulator."""

import re
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import Finding, FindingKind
from lockstep_grader.model.text import one_line, visible
from lockstep_grader.toolchain.description import Step

CUDA_SUFFIXES = frozenset({".cu"})
HOST_SUFFIXES = frozenset({".cpp", ".cc", ".cxx", ".C"})

# g++ and the rewriter say file:31:5: error: text.
_ERROR = re.compile(
    r"^(?P<file>[^:\n]+):(?P<line>\d+)(?::(?P<column>\d+))?: (?:fatal )?error: (?P<text>.*)$",
    re.MULTILINE,
)
_FILE_ERROR = re.compile(r"^(?P<file>[^:\n]+): error: (?P<text>.*)$", re.MULTILINE)
_LINK_ERROR = re.compile(
    r"(?:undefined reference to|multiple definition of) .*?(?=;|$)", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Options:
    """What the user wants of the compiler."""

    include: tuple[Path, ...] = ()
    define: tuple[str, ...] = ()
    std: int = 20


class BuildError(Exception):
    """The program does not compile or link; `output` is all that the compiler said."""

    def __init__(self, finding: Finding, output: str) -> None:
        super().__init__(finding.message)
        self.finding, self.output = finding, output


def check_files(files: Sequence[Path]) -> None:
    """Raises InputError for what cannot be a program."""
    for file in files:
        if file.is_dir():
            raise InputError(f"{file} is a folder: name its .cu and .cpp files")
        if not file.is_file():
            raise InputError(f"{file}: no such file")
        if file.suffix not in CUDA_SUFFIXES | HOST_SUFFIXES:
            raise InputError(f"{file}: `run` builds .cu files, and .cpp, .cc and .cxx beside them")


def build_program(
    steps: Mapping[str, Step], files: Sequence[Path], options: Options, work: Path, jobs: int
) -> Path:
    """The program made from `files` in the folder `work`. Raises BuildError."""
    # CUDA first: of an inline function in several files, the first file's is kept.
    ordered = sorted(files, key=lambda file: file.suffix not in CUDA_SUFFIXES)
    objects = [work / f"{index}.o" for index in range(len(ordered))]
    with ThreadPoolExecutor(max(1, min(jobs, len(ordered)))) as pool:
        made = pool.map(
            lambda file, made: _compile(steps, file, made, options, work), ordered, objects
        )
        list(made)
    _run([*steps["gather"].filled(work=work), *map(str, objects)], work)
    _run(steps["isolate"].filled(work=work), work)
    _run(steps["link"].filled(work=work), work)
    return work / "program"


def _compile(
    steps: Mapping[str, Step], file: Path, made: Path, options: Options, work: Path
) -> None:
    source = file.absolute()
    folders = [f"-I{folder.absolute()}" for folder in options.include]
    defined = [f"-D{macro}" for macro in options.define]
    words: dict[str, Path | str] = {"source": source, "object": made, "std": str(options.std)}
    beside = f"-I{source.parent}"
    if file.suffix in CUDA_SUFFIXES:
        _run([*steps["rewrite"].filled(**words), *folders], work)
        _run([*steps["compile"].filled(**words), *defined, beside, *folders], work)
    else:
        _run([*steps["compile_host"].filled(**words), *defined, *folders], work)


def _run(argv: Sequence[str], work: Path) -> None:
    try:
        done = subprocess.run(
            argv,
            cwd=work,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    except OSError as error:
        raise FaultError(f"cannot run {argv[0]}: {error.strerror}; see ./lab doctor") from error
    if done.returncode != 0:
        raise BuildError(_finding(done.stdout), visible(done.stdout))


def _finding(output: str) -> Finding:
    if match := _ERROR.search(output):
        name, line = Path(match["file"]).name, int(match["line"])
        text = one_line(match["text"])
        return Finding(FindingKind.COMPILE_ERROR, text, name, line, int(match["column"] or 0))
    if match := _FILE_ERROR.search(output):
        return Finding(FindingKind.COMPILE_ERROR, one_line(match["text"]), Path(match["file"]).name)
    if match := _LINK_ERROR.search(output):
        return Finding(FindingKind.COMPILE_ERROR, one_line(match[0]))
    return Finding(FindingKind.COMPILE_ERROR, one_line(output)[:300] or "the compiler gave no reason")
