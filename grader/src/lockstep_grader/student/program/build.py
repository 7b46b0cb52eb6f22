# SPDX-License-Identifier: MIT
"""Builds a program of one or several files for the emulator, or a rung for its judge."""

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from lockstep_grader.compile.worker import compile_rung
from lockstep_grader.intake.submission import Source, read_source
from lockstep_grader.judging.session import Session
from lockstep_grader.machine.process import captured
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, InputError, SubmissionError
from lockstep_grader.model.grades import Backend, Finding, FindingKind, Lab, Rung
from lockstep_grader.model.text import one_line, visible
from lockstep_grader.toolchain import system
from lockstep_grader.toolchain.description import (
    Step,
    build_backend,
    read_toolchain,
    with_usual_linker,
)
from lockstep_grader.words.beginners import with_successor
from lockstep_grader.words.clang_log import clang_findings

CUDA_SUFFIXES = frozenset({".cu"})
HOST_SUFFIXES = frozenset({".cpp", ".cc", ".cxx", ".C"})
C_SUFFIXES = frozenset({".c"})

STANDARDS = (17, 20)

# A program that includes it needs the option, of nvcc as of g++.
_OPENMP = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*<omp\.h>", re.MULTILINE)

# g++ and clang say file:31:5: error: text; nvcc says file(31): error: text.
_ERROR = re.compile(
    r"^(?P<file>[^:()\n]+)(?::(?P<line>\d+)(?::(?P<column>\d+))?|\((?P<nvcc_line>\d+)\)): "
    r"(?:fatal )?error:? ?(?P<text>.*)$",
    re.MULTILINE,
)
_FILE_ERROR = re.compile(r"^(?P<file>(?!collect2)[^:\n]+): error: (?P<text>.*)$", re.MULTILINE)
_LINK_ERROR = re.compile(
    r"^(?:[^\n]*/)?(?P<file>[^:/\n]+):(?P<line>\d+): "
    r"(?P<text>(?:undefined reference to|multiple definition of) [^;\n]*)|"
    r"(?P<unplaced>(?:undefined reference to|multiple definition of) [^;\n]*)",
    re.MULTILINE,
)
_NO_MAIN = "the program has no main(): name every file of it, and of a lab's rung `./lab check`"

_OF_STD_20 = "span|ranges|format|bit_cast|numbers|source_location|barrier|latch"

# What the device does not have, by the words of a complaint of g++ or clang, and what to do.
_LACKS = (
    (
        re.compile(
            r"'(?:cublas|cusparse|cufft|curand_|cusolver|cutensor|cudnn|nccl|nvrtc|nvJitLink|nvml|"
            r"npp|nvjpeg|nvgraph|cutlass/|cute/)[^']*' file not found"
        ),
        "this library is not part of Lockstep: write this part as kernels of your own, or run the "
        "program on a GPU",
    ),
    (
        re.compile(
            r"[\u2018'](?:texture|surface|textureReference|cuda(?:Unb|B)ind(?:Texture|Surface)\w*)\b"
        ),
        "CUDA 12 removed texture and surface references: use cudaCreateTextureObject",
    ),
    (
        re.compile(r"cudaMipmapped|cudaMallocMipmapped|cudaResourceView|surfCubemap"),
        "Lockstep has no mipmaps and no views: use one array per level",
    ),
    (
        re.compile(r"[\u2018'](?:CU[a-z]\w*|cu[A-Z]\w*|CUDA_\w+)[\u2019']"),
        "Lockstep has the runtime API (cudaMalloc), and not the driver API (cuMemAlloc)",
    ),
    (
        re.compile(r"cudaGraphics|cudaExternal|cudaLaunchAttribute"),
        "Lockstep lacks this part of the runtime API; docs/emulator.md says what it has",
    ),
    (
        re.compile(
            rf"\u2018(?:{_OF_STD_20})\u2019 (?:is not a member of|in namespace) \u2018std\u2019|"
            rf"no member named '(?:{_OF_STD_20})' in namespace 'std'|"
            r"\u2018concept\u2019 does not name a type|unknown type name 'concept'"
        ),
        "C++20 has it: --std 20",
    ),
    (
        re.compile(
            r"impossible constraint|in .?asm.?|unknown register name|Error: no such instruction"
        ),
        "the emulator runs inline PTX whose text is string literals, without macros",
    ),
)


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asks of the compiler."""

    include: tuple[Path, ...] = ()
    define: tuple[str, ...] = ()
    std: int = 17
    is_checked: bool = True  # False: no access is checked
    is_optimised: bool = True  # False: kernels as written
    is_counted: bool = False  # no comparison of ours is among the branches


class BuildError(Exception):
    """The program does not compile or link; `output` is all that the compiler said."""

    def __init__(self, finding: Finding, output: str) -> None:
        super().__init__(finding.message)
        self.finding, self.output = finding, output


def source_of(folder: Path, lab: Lab, rung: Rung) -> Source:
    """A rung's file. Raises SubmissionError."""
    source = read_source(folder, lab, rung)
    if isinstance(source, Finding):
        raise SubmissionError(f"{lab.id}/{rung.id}: {source.message}")
    return source


def worker_of(session: Session, lab: Lab, rung: Rung, source: Source, work: Path) -> Path:
    """A rung, compiled. Raises SubmissionError, and FaultError if this GPU cannot run it."""
    session.setup.check_gpu(rung)
    worker = compile_rung(session.setup.of(lab, rung), source, work)
    if isinstance(worker, Finding):
        where = f"{worker.file}:{worker.line}: " if worker.line else ""
        said = f"{where}{one_line(worker.message)}"
        raise SubmissionError(f"{lab.id}/{rung.id} does not compile: {said}")
    return worker


def check_files(files: Sequence[Path]) -> None:
    """Raises InputError for what cannot be a program."""
    for file in files:
        if file.is_dir():
            raise InputError(f"{file} is a folder: name its .cu and .cpp files")
        if not file.is_file():
            raise InputError(f"{file}: no such file")
        if file.suffix not in CUDA_SUFFIXES | HOST_SUFFIXES | C_SUFFIXES:
            raise InputError(
                f"{file}: `run` builds .cu files, and with them .cpp, .cc, .cxx and .c"
            )
        if b"\0" in file.read_bytes():
            raise InputError(f"{file} is not text: name the source and not the program")


def build_program(
    steps: Mapping[str, Step], files: Sequence[Path], options: Options, work: Path, jobs: int
) -> Path:
    """The program made from `files` in the folder `work`. Raises BuildError."""
    # CUDA first: of an inline function in several files, the first file's is kept.
    ordered = sorted(files, key=lambda file: file.suffix not in CUDA_SUFFIXES)
    objects = [work / f"{index}.o" for index in range(len(ordered))]
    openmp = ["-fopenmp"] if any(_OPENMP.search(file.read_bytes()) for file in files) else []
    with ThreadPoolExecutor(max(1, min(jobs, len(ordered)))) as pool:
        compile_ = partial(compile_file, steps, options=options, openmp=openmp, work=work)
        list(pool.map(compile_, ordered, objects))
    compile_step([*steps["gather"].filled(work=work), *map(str, objects)], work)
    compile_step(steps["isolate"].filled(work=work), work)
    compile_step(steps["link"].filled(work=work), work)
    return work / "program"


def _words(source: Path, made: Path, options: Options) -> dict[str, Path | str]:
    return {"source": source, "object": made, "std": str(options.std), "unit": made.stem}


def compile_file(
    steps: Mapping[str, Step],
    file: Path,
    made: Path,
    options: Options,
    *,
    openmp: Sequence[str],
    work: Path,
) -> None:
    """One file's object; of a .cu file, with its PTX inside.

    clang's OpenMP needs a library of its own, so one thread runs what a .cu file shares out.
    """
    source = file.absolute()
    more = [*(f"-D{macro}" for macro in options.define), f"-I{source.parent}"]
    more += [f"-I{folder.absolute()}" for folder in options.include]

    def command(step: str) -> list[str]:
        return [*steps[step].filled(**_words(source, made, options)), *more]

    if file.suffix not in CUDA_SUFFIXES:
        step = "compile_c" if file.suffix in C_SUFFIXES else "compile_host"
        compile_step([*command(step), *openmp], work)
        return
    is_plain = options.is_counted or not options.is_checked
    ptx = "written" if not options.is_optimised else "device" if is_plain else "checked"
    commands = [command(ptx), command("compile")]
    with ThreadPoolExecutor(2) as pool:
        ended = list(pool.map(lambda argv: captured(argv, work), commands))
    if any(done.returncode != 0 for done in ended):
        said = "".join(done.stdout for done in ended)
        errors, _ = clang_findings(said, Source(file.name, file.read_bytes()))
        raise BuildError(_advised(errors[0] if errors else _finding(said)), visible(said))
    Path(f"{made}.image").write_bytes(Path(f"{made}.ptx").read_bytes() + b"\0")
    compile_step(steps["embed"].filled(object=made), work)


def compile_step(argv: Sequence[str], work: Path) -> None:
    """Runs one command of a build. Raises BuildError with its first complaint."""
    done = captured(argv, work)
    if done.returncode != 0 and (usual := with_usual_linker(argv)) != tuple(argv):
        compile_step(usual, work)
    elif done.returncode != 0:
        raise BuildError(_advised(_finding(done.stdout)), visible(done.stdout))


def _advised(finding: Finding) -> Finding:
    """With the reason and the next step, where the emulator lacks what the program uses."""
    for pattern, advice in _LACKS:
        if pattern.search(finding.message) and "#error" not in finding.message:
            return replace(finding, message=f"{finding.message}; {advice}")
    return replace(finding, message=with_successor(finding.message))


def _finding(output: str) -> Finding:
    found = partial(Finding, FindingKind.COMPILE_ERROR)
    if match := _ERROR.search(output):
        name, line = Path(match["file"]).name, int(match["line"] or match["nvcc_line"])
        return found(one_line(match["text"]), name, line, int(match["column"] or 0))
    if match := _FILE_ERROR.search(output):
        return found(one_line(match["text"]), Path(match["file"]).name)
    if match := _LINK_ERROR.search(output):
        if match["unplaced"] and match["unplaced"].endswith(" to `main'"):
            return found(_NO_MAIN)
        text = one_line(match["text"] or match["unplaced"])
        return found(text, match["file"] or "", int(match["line"] or 0))
    return found(one_line(output)[:300] or "the compiler gave no reason")


def program_steps(workspace: Workspace, jobs: int) -> Mapping[str, Step]:
    """How a program is built, by step. Raises FaultError."""
    file = workspace.toolchain_file
    if file is None:
        system.ensure(system.BUILD_REQUIREMENTS)
        file = build_backend(workspace, Backend.CPU, ("lockstep_run",), jobs)
    steps = read_toolchain(file).program
    if not steps:
        raise FaultError(f"{file} describes no way to build a program: build the cpu backend anew")
    return steps
