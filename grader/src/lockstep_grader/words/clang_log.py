# SPDX-License-Identifier: MIT
"""Turns clang's messages about a rung into findings and warnings at the student's line.

clang reads a rung for the device and for the host. The device's messages come first in what is read
here, and each is told once.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.grades import CompilerWarning, Finding, FindingKind
from lockstep_grader.model.text import one_line
from lockstep_grader.words.beginners import (
    advice_on,
    in_beginners_words,
    is_about_braces,
    unbalanced,
    with_successor,
)

_SHOWN_ERRORS = 5  # later errors are mostly consequences
# FILE:31:5: error: TEXT. The files that include FILE go before it, and notes follow.
_PLACED = re.compile(
    r"(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): "
    r"(?:fatal )?(?P<severity>error|warning|note): (?P<text>.*)"
)
_UNPLACED = re.compile(r"(?:[\w.+-]+: )?(?:fatal )?(?P<severity>error): (?P<text>.*)")
# Its process ended, and it says nothing of the file. Errors of its back end have words.
_CRASH = re.compile(r"clang frontend command failed (?:with exit code|due to signal)")
_CRASHED = (
    "clang, the compiler, crashed over this file, and does not say where: take parts of the file "
    "out until it compiles, to find the one to write in another way"
)
_INCLUDED = re.compile(r"In file included from (?P<file>[^:\n]+):(?P<line>\d+):")
# Of what is superfluous, old or not portable, and of what may be unset on a way that is not taken.
_OF_STYLE = re.compile(
    r" \[-W(?:unused-(?!value|comparison)|sign-compare|missing-|conditional-|deprecated|ignored-|"
    r"reorder|.*extension)[^\]]*\]$"
)
_OPTION = re.compile(r" \[-W[^\]]*\]$| \(use -v to see invocation\)$")  # no words for a student

_LED_HERE = re.compile(r"called by '|requested here|expanded from macro|in call to '|while ")
_CALLER = re.compile(r"called by '(?P<name>[^']*)'")
_HOST_CALLEE = re.compile(
    r"reference to __host__ (?:function|variable) |"
    r"call to __host__ function from __(?:global|device)__ "
)
_DEVICE_CALLEE = re.compile(
    r"reference to __device__ function |call to __device__ function from __host__ function"
)
_HOST_VARIABLE = re.compile(r"reference to __host__ variable '(?P<name>[^']*)'")
_CALLEE = re.compile(r"(?:reference to \w+ function|function for call to) '(?P<name>[^']*)'")
_NOT_A_KERNEL = re.compile(r"kernel call to non-global function '?(?P<name>\w+)")
_NOT_LAUNCHED = re.compile(r"call to global function '?(?P<name>\w+)'? not configured")
_NO_MATCH = re.compile(r"^no matching ")
_MISMATCH = re.compile(r"candidate function not viable: (?!call to )")
_INSTANCE = re.compile(r"in instantiation of function template specialization '(?P<name>.*)' req")
_PARAMETER = re.compile(r"passing argument to parameter (?P<name>'\w+') here")
_SUGGESTION = re.compile(r"; did you mean '[^']*'\?$")
_UNSUITABLE = re.compile(r"candidate .*?(?:not viable|ignored): (?P<why>(?!call to ).*)")

_SHARED_INITIAL = re.compile(r"initialization is not supported for __shared__ variables")

_LIBRARY_NAME = re.compile(r"\bstd\s*::\s*\w+")
_PARAMETERS = r"\((?:[^;{}()]|\([^;{}()]*\))*\)"  # one may be a pointer to a function
_FUNCTION = re.compile(rf"\b(?!(?:if|for|while|switch|catch)\b)(\w+)\s*{_PARAMETERS}[^;{{}}()]*\{{")


@dataclass(frozen=True, slots=True)
class _Place:
    file: str
    line: int
    column: int = 0


@dataclass(frozen=True, slots=True)
class _Said:
    severity: str
    text: str
    place: _Place | None
    included_from: tuple[_Place, ...] = ()
    notes: list["_Said"] = field(default_factory=list)


class _Rung:
    """The student's file, which places and words refer to."""

    def __init__(self, source: Source) -> None:
        self.name = source.file_name
        self.lines = source.data.decode("utf-8", "replace").splitlines()

    def has(self, place: _Place | None) -> bool:
        return place is not None and Path(place.file).name == self.name

    def code(self, line: int) -> str:
        return self.lines[line - 1] if 0 < line <= len(self.lines) else ""

    def column(self, place: _Place) -> int:
        """clang counts bytes."""
        before = self.code(place.line).encode()[: place.column - 1]
        return len(before.decode("utf-8", "replace")) + 1 if place.column else 0

    def column_of(self, word: str, line: int) -> int:
        found = re.search(rf"\b{re.escape(word)}\b", self.code(line))
        return found.start() + 1 if found else 0

    def definition(self, function: str) -> int:
        called = re.compile(rf"\b{re.escape(function)}\s*\(")
        return next((at for at, line in enumerate(self.lines, 1) if called.search(line)), 0)

    def declares(self, function: str) -> bool:
        """Whether a type stands before its name, which a call has not."""
        declared = re.compile(
            rf"\b(?!(?:return|else)\b)\w+[>*&]*\s+[*&]*{re.escape(function)}\s*\("
        )
        return any(map(declared.search, self.lines))

    def library_use(self, function: str) -> int:
        """The first line with a name of the C++ library in the function, which has no other."""
        first = self.definition(function)
        uses = (
            at for at in range(first, len(self.lines) + 1) if _LIBRARY_NAME.search(self.code(at))
        )
        return next(uses, first) if first else 0

    def function_around(self, line: int) -> str:
        """The last function that begins before the end of the line."""
        names: list[str] = _FUNCTION.findall("\n".join(self.lines[:line]))
        return names[-1] if names else "this function"


def clang_findings(
    output: str, source: Source
) -> tuple[tuple[Finding, ...], tuple[CompilerWarning, ...]]:
    """The errors, each line and each message once, and the warnings about the student's file."""
    rung = _Rung(source)
    errors: dict[int, Finding] = {}
    warnings: dict[tuple[int, str], CompilerWarning] = {}
    elsewhere: list[Finding] = []
    blamed: set[int] = set()
    for said in _diagnostics(output):
        place = _students_place(said, rung)
        if said.severity == "warning":
            if place and rung.has(said.place):
                words = one_line(_OPTION.sub("", said.text))
                if advice := advice_on(words, rung.code(place.line)):
                    words = f"{words}: {advice}"
                is_telling = not _OF_STYLE.search(said.text)
                column = rung.column(place)
                warning = CompilerWarning(words, rung.name, place.line, column, is_telling)
                warnings.setdefault((place.line, words), warning)
        elif place and place.line not in blamed:
            blamed.add(place.line)
            finding = _finding(said, place, rung)
            if all(finding.message != known.message for known in errors.values()):
                errors[place.line] = finding
        elif not place:
            elsewhere.append(_finding_elsewhere(said, rung))
    told = _only_brace(errors, rung) or (*errors.values(),) or tuple(elsewhere[:1])
    return told[:_SHOWN_ERRORS], tuple(warnings.values())


def has_crashed(output: str) -> bool:
    """Whether clang itself failed, whatever the file is like."""
    return bool(_CRASH.search(output)) and not any(
        said.severity == "error" and not _CRASH.search(said.text) for said in _diagnostics(output)
    )


def _diagnostics(output: str) -> Iterator[_Said]:
    """Errors and warnings, each with its notes."""
    last: _Said | None = None
    included: list[_Place] = []
    for line in output.splitlines():
        if match := _INCLUDED.fullmatch(line):
            included.append(_Place(match["file"], int(match["line"])))
            continue
        if match := _PLACED.fullmatch(line):
            place = _Place(match["file"], int(match["line"]), int(match["column"]))
            said = _Said(match["severity"], match["text"], place, tuple(included))
        elif match := _UNPLACED.fullmatch(line):
            said = _Said(match["severity"], match["text"], None)
        else:
            continue
        included = []
        if said.severity != "note":
            if last:
                yield last
            last = said
        elif last:
            last.notes.append(said)
    if last:
        yield last


def _students_place(said: _Said, rung: _Rung) -> _Place | None:
    """Where the student wrote what `said` is about, or what led there."""
    if rung.has(said.place):
        return said.place
    for note in said.notes:
        if rung.has(note.place) and _LED_HERE.search(note.text):
            return _where_the_library_is_named(said, note.place, rung)
    callers = [match["name"] for note in said.notes if (match := _CALLER.search(note.text))]
    line = rung.library_use(_short(callers[-1])) if callers else 0  # a destructor has no place
    return _Place(rung.name, line) if line else None


def _where_the_library_is_named(said: _Said, place: _Place | None, rung: _Rung) -> _Place | None:
    """`place`; if it only uses an object of the C++ library, the line that names its class.

    Which of an object's functions clang refuses differs between versions of the library.
    """
    if place is None or not _is_of_library(said) or _LIBRARY_NAME.search(rung.code(place.line)):
        return place
    line = rung.library_use(rung.function_around(place.line))
    return _Place(rung.name, line) if 0 < line <= place.line else place


def _is_of_library(said: _Said) -> bool:
    return said.place is not None and "/include/" in said.place.file


def _finding(said: _Said, place: _Place, rung: _Rung) -> Finding:
    message, column = _in_words(said, place, rung)
    finding = Finding(FindingKind.COMPILE_ERROR, message, rung.name, place.line, column)
    finding = in_beginners_words(finding, rung.lines)
    return replace(finding, message=f"{finding.message}{_instance(said, finding, rung)}")


def _instance(said: _Said, finding: Finding, rung: _Rung) -> str:
    """The use of the template in whose text the error is, which may be the mistake."""
    if not rung.has(said.place):
        return ""
    for note in said.notes:
        if (match := _INSTANCE.search(note.text)) and note.place and rung.has(note.place):
            name = re.sub(r"\(anonymous namespace\)::|\b\w+::", "", match["name"])
            line = note.place.line
            return f" (line {line} uses {name})" if line != finding.line else ""
    return ""


def _finding_elsewhere(said: _Said, rung: _Rung) -> Finding:
    """At the line that includes the header, where one does."""
    if _CRASH.search(said.text):
        return Finding(FindingKind.COMPILE_ERROR, _CRASHED, rung.name)
    where = f"{Path(said.place.file).name}:{said.place.line}: " if said.place else ""
    included = (place.line for place in said.included_from if rung.has(place))
    message = f"{where}{one_line(_OPTION.sub('', said.text))}"
    return Finding(FindingKind.COMPILE_ERROR, message, rung.name, next(included, 0))


def _only_brace(errors: dict[int, Finding], rung: _Rung) -> tuple[Finding, ...]:
    """A brace too few or too many, from which all other errors may follow."""
    if not any(is_about_braces(each.message) for each in errors.values()):
        return ()
    found = unbalanced(rung.lines)
    return (Finding(FindingKind.COMPILE_ERROR, found[1], rung.name, found[0]),) if found else ()


def _in_words(said: _Said, place: _Place, rung: _Rung) -> tuple[str, int]:
    """clang's message, for beginners' mistakes also its meaning and the next step; the column."""
    every = "\n".join([said.text, *(note.text for note in said.notes)])
    if _MISMATCH.search(every):  # of a function that may be called from here
        return _with_mismatch(said, place, rung), rung.column(place)
    line, column = place.line, rung.column(place)
    callee = _short(match["name"]) if (match := _CALLEE.search(said.text)) else ""
    if _HOST_CALLEE.search(every):
        caller = rung.function_around(line)
        if library := _LIBRARY_NAME.search(rung.code(line)):
            name = library[0].replace(" ", "")
            words = f"{caller} runs on the GPU and cannot use {name}, which exists only on the host"
            return words, library.start() + 1
        if match := _HOST_VARIABLE.search(said.text):
            return (
                f"{match['name']} is on the host, so a kernel cannot use it: pass its value to the "
                "kernel, or declare it __device__ or __constant__",
                column,
            )
        if callee:
            advice = ""
            if rung.declares(callee):
                advice = f": write __device__ before {callee}"
            elif not rung.column_of(callee, line):  # by another name, such as a template's argument
                advice = f": pass a __device__ function of your own that calls {callee}"
            words = f"{caller} runs on the GPU and cannot call {callee}, a host function{advice}"
            return words, column
    if callee and _DEVICE_CALLEE.search(every):
        caller = rung.function_around(line)
        advice = f"write __device__ before {caller} if it is for kernels"
        if rung.declares(callee):
            advice = "call it from a kernel, or write __host__ __device__ before it"
        words = f"{caller} runs on the host and cannot call {callee}, a device function"
        return f"{words}: {advice}", column
    if match := _NOT_A_KERNEL.search(said.text):
        words = f"<<<...>>> launches a kernel, and {match['name']} is none"
        return f"{words}: write __global__ before it", rung.column_of(match["name"], line)
    if match := _NOT_LAUNCHED.search(said.text):
        words = f"{match['name']} is a kernel: launch it with <<<blocks, threads>>>"
        return words, rung.column_of(match["name"], line)
    if _SHARED_INITIAL.search(said.text):
        return (
            "a __shared__ variable has no initial value, as no thread would store it: take the "
            "default values (= 0) out of its class, or the value here, and let threads store them",
            column,
        )
    return _with_mismatch(said, place, rung), column


def _with_mismatch(said: _Said, place: _Place, rung: _Rung) -> str:
    """clang's message, and what its notes add to it."""
    message = with_successor(one_line(_OPTION.sub("", said.text)))
    every = "\n".join(note.text for note in said.notes)
    if _NO_MATCH.search(message) and (match := _UNSUITABLE.search(every)):
        message = f"{message}: {match['why']}"
    if match := _PARAMETER.search(every):
        message = f"{message} (the parameter {match['name']})"
    if any(_is_of_library(note) for note in said.notes):
        message = _SUGGESTION.sub("", message)
    if said.place and not rung.has(said.place):
        message = f"{message} (in {Path(said.place.file).name}:{said.place.line})"
    return message


def _short(name: str) -> str:
    """lab::plain<int>(float) is plain."""
    return name.partition("(")[0].partition("<")[0].strip().rpartition("::")[2] or name
