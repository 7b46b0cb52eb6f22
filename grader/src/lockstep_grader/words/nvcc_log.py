# SPDX-License-Identifier: MIT
"""Turns nvcc's messages about a rung into findings and warnings at the student's line; and those of
the other steps of a compilation: of nvcc's g++, the assembler, the linker.

clang's messages about a rung have a reader of their own, clang_log.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.grades import ARCHITECTURES, CompilerWarning, Finding, FindingKind
from lockstep_grader.model.text import one_line
from lockstep_grader.toolchain.nvcc import demangle
from lockstep_grader.words.beginners import in_beginners_words, with_needed_gpu, with_successor

_SHOWN_ERRORS = 5  # later errors are mostly consequences
# FILE(31): error: TEXT, or warning #177-D: TEXT. Then lines that begin with blanks: details, an
# excerpt and a caret below it, and how the compiler came there.
_HEAD = re.compile(
    r"(?P<file>[^()\n]+)\((?P<line>\d+)\): (?:catastrophic |internal )?"
    r"(?P<severity>error|warning|note)(?: #[\w-]+)?: (?P<text>.*)"
)
# What its preprocessor says, which is g++'s.
_DIRECTIVE = re.compile(
    r"(?P<file>[^:\n]+):(?P<line>\d+):\d+: (?:fatal )?(?P<severity>error|warning): (?P<text>.*)"
)
# g++ and clang say file:31:5: error: text; nvcc says file(31): error: text.
_DIAGNOSTIC = re.compile(
    r"^(?P<file>[^:()\n]+)(?::(?P<line>\d+)(?::\d+)?|\((?P<nvcc_line>\d+)\)): "
    r"(?:fatal |internal compiler )?error:? ?(?P<text>.*)$",
    re.MULTILINE,
)
_LINK_DIAGNOSTIC = re.compile(
    r"(?:(?P<file>[^:\n]{1,500}):(?P<line>\d+): |: )(?P<text>(?:undefined reference to|"
    r"multiple definition of|first defined here|relocation truncated to fit).*)"
)
_UNPLACED_ERROR = re.compile(r"^.*\berror\b:? ?(?P<text>.*)$", re.MULTILINE | re.IGNORECASE)
_CARET = re.compile(r" +\^ *")
_FROM_LINE = re.compile(r"\bat line (\d+)(?: of (\S+))?")
_ASSEMBLER = re.compile(
    r"ptxas (?P<file>\S+, line \d+; )?(?P<severity>error|warning) *: (?P<text>.*)"
)
_ENTRY = re.compile(r"[Ee]ntry function '(\w+)'")
_WORD = re.compile(r"\w+|\S")

_FROM_DEVICE = re.compile(
    r'calling a (?:constexpr )?__host__ function\("(?P<callee>.*)"\) from a '
    r'__(?:global|device)__ function\("(?P<caller>.*?)"\)'
)
_FROM_HOST = re.compile(
    r'calling a __device__ function\("(?P<callee>.*)"\) from a __host__ (?P<both>__device__ )?'
    r'function\("(?P<caller>.*?)"\)'
)
_NOT_ON_DEVICE = re.compile(r'identifier "(?P<name>.*)" is undefined in device code')
_FLAG_ADVICE = re.compile(r"\. The experimental flag '[^']*' can be used to allow this\.?")
_LIBRARY_NAME = re.compile(r"\bstd\s*::\s*\w+")
_LAUNCHED = re.compile(r"\b(\w+)\b\s*(?:<[^<>]*>\s*)?<<<")
_TYPES = re.compile(r"^ +(?:argument|operand) types are:")
_SHARED = re.compile(r"uses too much shared data \((0x[0-9a-f]+) bytes, (0x[0-9a-f]+) max\)")


@dataclass(frozen=True, slots=True)
class _Said:
    severity: str
    text: str
    file: str
    line: int
    details: tuple[str, ...]  # the lines below
    place: tuple[int, int] = (0, 0)  # line and column in the student's file; 0: none


def nvcc_findings(
    output: str, source: Source, architectures: Sequence[str] = ARCHITECTURES
) -> tuple[tuple[Finding, ...], tuple[CompilerWarning, ...]]:
    """The errors, each line and each message once, and the warnings about the student's file."""
    text = source.data.decode("utf-8", "replace")
    lines = text.splitlines()
    errors: dict[int, Finding] = {}
    warnings: dict[tuple[int, str], CompilerWarning] = {}
    elsewhere: list[_Said] = []
    for said in _placed(_diagnostics(output), source.file_name, lines):
        line, column = said.place
        if said.severity == "warning" and line:
            words = one_line(said.text)
            warnings.setdefault(
                (line, words), CompilerWarning(words, source.file_name, line, column)
            )
        elif said.severity == "error" and line:
            words = with_needed_gpu(_in_words(said, lines, line), architectures)
            column = column or _column_of_callee(said.text, lines, line)
            finding = Finding(FindingKind.COMPILE_ERROR, words, source.file_name, line, column)
            finding = in_beginners_words(finding, lines)
            if all(finding.message != known.message for known in errors.values()):
                errors.setdefault(line, finding)
        elif said.severity == "error":
            elsewhere.append(said)
    if not errors and elsewhere:
        errors[0] = _without_place(elsewhere[0], source.file_name)
    return tuple(errors.values())[:_SHOWN_ERRORS], tuple(warnings.values())


def _diagnostics(output: str) -> Iterator[_Said]:
    """The diagnostics in `output`, with the lines that belong to each."""
    lines = output.splitlines()
    for at, line in enumerate(lines):
        if match := _ASSEMBLER.fullmatch(line):
            yield _Said(match["severity"], match["text"], "", 0, ())
        elif match := _HEAD.fullmatch(line) or _DIRECTIVE.fullmatch(line):
            yield _Said(
                match["severity"],
                match["text"],
                Path(match["file"]).name,
                int(match["line"]),
                tuple(_details(lines[at + 1 :])),
            )


def _details(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith(" "):
            return
        yield line


def _placed(found: Iterator[_Said], file_name: str, lines: Sequence[str]) -> Iterator[_Said]:
    """Each diagnostic with its place in the student's file, if it has one."""
    for said in found:
        if said.file == file_name and said.line:
            yield _at(said, said.line, _column(said.details, lines, said.line))
        elif (
            (line := _line_of_entry(said.text, lines) if not said.file else 0)
            or (line := _line_of_instantiation(said, file_name))
            or (
                (match := _FROM_DEVICE.search(said.text))
                and (line := _line_of_library_use(match["caller"], lines))
            )
        ):
            yield _at(said, line, 0)
        else:
            yield said


def _at(said: _Said, line: int, column: int) -> _Said:
    return _Said(said.severity, said.text, said.file, said.line, said.details, (line, column))


def _column(details: Sequence[str], lines: Sequence[str], line: int) -> int:
    """The caret's word in the student's line, which nvcc shows with macros replaced."""
    caret = next((at for at, text in enumerate(details) if _CARET.fullmatch(text)), 0)
    if not caret or not 0 < line <= len(lines):
        return 0
    excerpt, offset = details[caret - 1], details[caret].index("^")
    match = _WORD.match(excerpt, offset)
    if not match:
        return 0
    earlier = [word[0] for word in _WORD.finditer(excerpt, 0, offset)].count(match[0])
    places = [word.start() for word in _WORD.finditer(lines[line - 1]) if word[0] == match[0]]
    return places[earlier] + 1 if earlier < len(places) else 0


def _line_of_entry(text: str, lines: Sequence[str]) -> int:
    """Where the kernel is defined that the assembler names."""
    match = _ENTRY.search(text)
    return _definition(demangle([match[1]])[0], lines) if match else 0


def _line_of_instantiation(said: _Said, file_name: str) -> int:
    """The student's line from which the compiler came to a template of a header."""
    for number, file in _FROM_LINE.findall(" ".join(said.details)):
        if Path(file).name == file_name:
            return int(number)
    return 0


def _line_of_library_use(caller: str, lines: Sequence[str]) -> int:
    """The first use of the C++ library in the function that nvcc names, which gives no line."""
    first = _definition(caller, lines)
    uses = (at for at in range(first, len(lines) + 1) if _LIBRARY_NAME.search(lines[at - 1]))
    return next(uses, first) if first else 0


def _definition(function: str, lines: Sequence[str]) -> int:
    called = re.compile(rf"\b{re.escape(_short(function))}\s*\(")
    return next((at for at, line in enumerate(lines, 1) if called.search(line)), 0)


def _in_words(said: _Said, lines: Sequence[str], line: int) -> str:
    """nvcc's message; for beginners' mistakes also its meaning and the next step."""
    code = lines[line - 1] if 0 < line <= len(lines) else ""
    if match := _FROM_DEVICE.search(said.text):
        caller, callee = _short(match["caller"]), _short(match["callee"])
        if library := _LIBRARY_NAME.search(code):
            name = library[0].replace(" ", "")
            return f"{caller} runs on the GPU and cannot use {name}, which exists only on the host"
        advice = f": write __device__ before {callee}" if _definition(callee, lines) else ""
        return f"{caller} runs on the GPU and cannot call {callee}, a host function{advice}"
    if match := _FROM_HOST.search(said.text):
        caller, callee = _short(match["caller"]), _short(match["callee"])
        advice = (
            f"; without __host__, {caller} may call it"
            if match["both"]
            else ": call it from a kernel, or write __host__ __device__ before it"
        )
        return f"{caller} runs on the host and cannot call {callee}, a device function{advice}"
    if match := _NOT_ON_DEVICE.search(said.text):
        name = _short(match["name"])
        return (
            f"{name} is on the host, so a kernel cannot use it: pass its value to the kernel, or "
            "declare it __device__ or __constant__"
        )
    if "a host function call cannot be configured" in said.text:
        launched = _LAUNCHED.search(code)
        name = launched[1] if launched else "this function"
        return f"<<<...>>> launches a kernel, and {name} is none: write __global__ before it"
    if "a __global__ function call must be configured" in said.text:
        return f"{one_line(said.text)}: launch the kernel with <<<blocks, threads>>>"
    if match := _SHARED.search(said.text):
        taken, most = int(match[1], 16), int(match[2], 16)
        return f"the kernel declares {taken} bytes of shared memory; a block has at most {most}"
    words = one_line(_FLAG_ADVICE.sub("", said.text))
    types = next((text.strip() for text in said.details if _TYPES.search(text)), "")
    return with_successor(f"{words} ({types})" if types else words)


def _column_of_callee(text: str, lines: Sequence[str], line: int) -> int:
    """The place of the function or variable that the message names."""
    match = _FROM_DEVICE.search(text) or _FROM_HOST.search(text)
    named = match["callee"] if match else ""
    if not match and (match := _NOT_ON_DEVICE.search(text)):
        named = match["name"]
    if not named or not 0 < line <= len(lines):
        return 0
    code = lines[line - 1]
    word = _LIBRARY_NAME.search(code) or re.search(rf"\b{re.escape(_short(named))}\b", code)
    return word.start() + 1 if word else 0


def _without_place(said: _Said, file_name: str) -> Finding:
    where = f"{said.file}:{said.line}: " if said.file else ""
    text = one_line(_FLAG_ADVICE.sub("", said.text))
    return Finding(FindingKind.COMPILE_ERROR, f"{where}{text}", file_name)


def _short(name: str) -> str:
    """lab::plain(float) is plain; so is _ZN3lab5plainE1?, as nvcc at times has it."""
    if name.startswith("_Z"):
        at, last = 2, ""
        while match := re.compile(r"[NS_L]*(\d+)").match(name, at):
            last = name[match.end() : match.end() + int(match[1])]
            at = match.end() + int(match[1])
        return last or name
    return name.partition("(")[0].partition("<")[0].strip().rpartition("::")[2].strip() or name


def names_an_error(output: str) -> bool:
    """Whether a compiler names a place and an error, whatever else it says."""
    return bool(_DIAGNOSTIC.search(output))


def step_finding(step: str, output: str, source: Source) -> Finding | None:
    """The first error that the failed step names, with the student's line where it has one."""
    if step == "link" and "relocation truncated to fit" in output:
        message = "its file-scope variables take more memory than a program may use"
        return Finding(FindingKind.OUT_OF_MEMORY, message, source.file_name)
    lines = source.data.decode("utf-8", "replace").splitlines()
    pattern = _LINK_DIAGNOSTIC if step == "link" else _DIAGNOSTIC
    if match := pattern.search(output):
        places = match.groupdict()
        line = int(places["line"] or places.get("nvcc_line") or 0)
        text = with_successor(one_line(places["text"])) or "compile error"
        name = Path(places["file"] or source.file_name).name
        if name == source.file_name:
            return in_beginners_words(Finding(FindingKind.COMPILE_ERROR, text, name, line), lines)
        message = f"{name}:{line}: {text}"
        return Finding(FindingKind.COMPILE_ERROR, message, source.file_name)
    if step != "link" and (match := _UNPLACED_ERROR.search(output)):
        finding = Finding(FindingKind.COMPILE_ERROR, one_line(match["text"]), source.file_name)
        return in_beginners_words(finding, lines)
    return None
