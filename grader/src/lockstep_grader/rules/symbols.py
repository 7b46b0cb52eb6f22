# SPDX-License-Identifier: MIT
"""What a rung's object may refer to, define and run: an allow list, since the rest is unknown.

A rung is computation: CUDA's runtime, mathematics, containers, algorithms, text to stdout. What is
not listed is a finding of kind `forbidden` that names the symbol and what to use instead.
"""

import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Finding, FindingKind
from lockstep_grader.model.text import one_line
from lockstep_grader.rules.allowlist import (
    ADVICE,
    BEFORE_MAIN,
    C_NAMES,
    C_PATTERNS,
    CUDA_C_PATTERNS,
    CUDA_STUBS,
    CUDA_SUBSTITUTES,
    INITIALISERS,
    PLAIN_ADVICE,
    RUNTIME_NAMESPACES,
    STD_REFUSED,
)
from lockstep_grader.rules.elf import (
    Binding,
    Kind,
    MalformedObjectError,
    Object,
    Symbol,
    read_object,
)

# The limit of a worker's memory: with more it would not start, which looks like the machine's
# fault.
_STATIC_BYTES = 3 << 30
_NAME_CHARACTERS = 300  # of a name that a message spells out


def check_object(file: Path, source: Source) -> Finding | None:
    """The first forbidden thing in the object `file`. Raises FaultError."""
    try:
        made = read_object(file)
    except OSError as error:
        raise FaultError(f"cannot read the compiled rung: {error}") from error
    except MalformedObjectError as error:  # nvcc made it of the rung, and said that all went well
        message = f"what nvcc made of it cannot be examined: {error}"
        return Finding(FindingKind.FORBIDDEN, message, source.file_name)
    taken = sum(section.size for section in made.sections if section.is_allocated)
    if taken > _STATIC_BYTES:
        message = (
            f"its file-scope variables take {taken >> 20} MiB, more than the "
            f"{_STATIC_BYTES >> 20} MiB that a program may use"
        )
        return Finding(FindingKind.OUT_OF_MEMORY, message, source.file_name)
    complaints = (
        *_initialisers(made),
        *_disguises(made),
        *_definitions(made.symbols),
        *_references(made.symbols),
    )
    for name, message in complaints:
        words = [word.removeprefix("basic_") for word in reversed(name.split("::"))]
        words += [word.lstrip("_") for word in words]  # setjmp is a macro for _setjmp
        line = next(filter(None, (line_of(word, source) for word in words)), 0)
        return Finding(FindingKind.FORBIDDEN, message, source.file_name, line)
    return None


def is_allowed(symbol: str) -> bool:
    """Whether a rung may refer to the (mangled) name."""
    if symbol in C_NAMES or any(pattern.fullmatch(symbol) for pattern in C_PATTERNS):
        return True
    names = qualified_name(symbol)
    is_cuda = any(pattern.fullmatch(symbol) for pattern in CUDA_C_PATTERNS)
    if is_cuda or symbol in CUDA_STUBS | CUDA_SUBSTITUTES:
        return True
    if not names:
        return False
    if names[0] == "std":
        return not any(STD_REFUSED.fullmatch(name) for name in names[1:])
    if names[0] in ("operator new", "operator delete"):
        return True
    if names[0] == "lab":  # of the contract; what is not there is the linker's to say
        return True
    plain = len(names) == 1
    is_runtime = names[0] in C_NAMES
    return plain and (is_runtime or any(p.fullmatch(names[0]) for p in CUDA_C_PATTERNS))


_COMPONENT = re.compile(r"(\d+)")
# rVK are a member function's qualifiers, R and O its & and &&, as in ostringstream::str() const&.
_PREFIX = re.compile(r"_Z(?:T[ISVT]|GV)?(N?)[rVK]*[RO]?")
_MACRO = re.compile(r"\s*#\s*define\b")
_SHORT_STD = re.compile(r"S[tabsiod]")


def qualified_name(mangled: str) -> tuple[str, ...]:
    """("std", "vector", "push_back") of a mangled C++ name; a C name stands alone."""
    if not mangled.startswith("_Z"):
        return (mangled,)
    if mangled.startswith(("_Znw", "_Zna")):
        return ("operator new",)
    if mangled.startswith(("_Zdl", "_Zda")):
        return ("operator delete",)
    prefix = _PREFIX.match(mangled)
    if prefix is None:
        return ()
    at, is_nested = prefix.end(), bool(prefix[1])
    names: list[str] = []
    if _SHORT_STD.match(mangled, at):
        names.append("std")
        at += 2
    while match := _COMPONENT.match(mangled, at):
        begin, length = match.end(), int(match[1])
        names.append(mangled[begin : begin + length])
        at = begin + length
        if not is_nested:  # what follows are parameters
            break
    return tuple(names)


def line_of(name: str, source: Source) -> int:
    """The first line of the source's code that has `name` as a word; 0 if none does.

    A macro's first line counts if no other line does.
    """
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    text = source.data.decode("utf-8", "replace")
    macro = 0
    for number, line in enumerate(text.split("\n"), start=1):
        code = line.partition("//")[0]
        if not word.search(code):
            continue
        if not code.lstrip().startswith("#"):
            return number
        if not macro and _MACRO.match(code):
            macro = number
    return macro


_Complaint = tuple[str, str]  # a word to look for in the source, and the message


def _references(symbols: Iterable[Symbol]) -> Iterator[_Complaint]:
    for symbol in symbols:
        if not symbol.name or symbol.is_defined or is_allowed(symbol.name):
            continue
        names = qualified_name(symbol.name) or (_demangled(symbol.name),)
        name = "::".join(names)
        yield name, f"uses {name}, which no rung needs: {_advice(names)}"


def _demangled(name: str) -> str:
    """As C++ writes it; as it is where c++filt is missing or does not know it."""
    try:
        done = subprocess.run(
            ["c++filt"],
            input=name,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=5,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return name
    return one_line(done.stdout)[:_NAME_CHARACTERS] or name


_VISIBLE = (Binding.GLOBAL, Binding.WEAK, Binding.UNIQUE)


def _definitions(symbols: Iterable[Symbol]) -> Iterator[_Complaint]:
    """Definitions of names that belong to the runtime.

    Any of C's names: the linker prefers a weak one in an object to a library's. Only strong ones of
    C++'s names, because headers define weak ones.
    """
    for symbol in symbols:
        if not symbol.is_defined or symbol.binding not in _VISIBLE:
            continue
        names = qualified_name(symbol.name)
        if symbol.name.startswith("_Z"):
            in_runtime = len(names) > 1 and names[0] in RUNTIME_NAMESPACES
            is_cuda = len(names) == 1 and any(p.fullmatch(names[0]) for p in CUDA_C_PATTERNS)
            taken = in_runtime or is_cuda or names in (("operator new",), ("operator delete",))
            taken = taken and symbol.binding == Binding.GLOBAL
        else:
            taken = _is_taken_in_c(symbol)
        if taken:
            name = "::".join(names)
            yield names[-1], f"defines {name}, which belongs to the runtime: choose another name"


def _is_taken_in_c(symbol: Symbol) -> bool:
    patterns = (*C_PATTERNS, *CUDA_C_PATTERNS)
    if symbol.name in C_NAMES or symbol.name == "main":
        return True
    if any(pattern.fullmatch(symbol.name) for pattern in patterns):
        return True
    # A variable may well be called `send`; a function with C's linkage is made to replace one.
    is_function = symbol.kind in (Kind.FUNCTION, Kind.IFUNC)
    return is_function and any(re.fullmatch(pattern, symbol.name) for pattern, _ in ADVICE)


def _initialisers(made: Object) -> Iterator[_Complaint]:
    for index, section in enumerate(made.sections):
        if not BEFORE_MAIN.fullmatch(section.name) or section.size == 0:
            continue
        functions = made.pointers.get(index, ())
        strangers = _strangers(functions, INITIALISERS.get(section.name, ()))
        if strangers or section.size != 8 * len(functions):
            name = (qualified_name(strangers[0]) or ("",))[-1] if strangers else ""
            yield (
                name,
                (
                    f"has {name or 'code'} run before or after the program: do what it does "
                    "in the function that is called"
                ),
            )


def _strangers(functions: Sequence[str], expected: Sequence[re.Pattern[str]]) -> list[str]:
    """Those that no compiler made: not expected, or a second one of the same origin."""
    awaited = list(expected)
    found = []
    for name in functions:
        origin = next((pattern for pattern in awaited if pattern.fullmatch(name)), None)
        if origin is None:
            found.append(name)
        else:
            awaited.remove(origin)
    return found


def _disguises(made: Object) -> Iterator[_Complaint]:
    """Code that is not a function of C++: data among the code, and resolvers."""
    for symbol in made.symbols:
        section = made.section_of(symbol)
        if section is None:
            continue
        name = (qualified_name(symbol.name) or (symbol.name,))[-1]
        if symbol.kind == Kind.IFUNC:
            yield name, f"lets the loader choose {name}: write it as one function"
        elif symbol.kind == Kind.OBJECT and section.is_executable:
            yield name, f"puts the data {name} among the code: data needs no section of its own"


def _advice(names: tuple[str, ...]) -> str:
    for pattern, advice in ADVICE:
        if any(re.fullmatch(pattern, name) for name in names):
            return advice
    return PLAIN_ADVICE
