# SPDX-License-Identifier: MIT
"""Stores of kernels to `__constant__` variables, which clang leaves out of optimised code.

LLVM takes constant memory for memory that nothing can write, so such a store has no effect to it.
Through a pointer of unknown origin the store stays, and the device reports it. This gives
such stores one in the text of LLVM's intermediate code: it follows pointers through local variables
and into the functions that get them.
"""

import itertools
import re
from collections.abc import Iterator

# Makes clang write that text of the whole file, from before the first pass that changes it.
DUMP_OPTIONS = ("-mllvm", "-print-before=forceattrs", "-mllvm", "-ir-dump-directory={folder}")

_VARIABLE = re.compile(r"^(@\S+) = .*\baddrspace\(4\) .*\bconstant ", re.MULTILINE)
_FUNCTION = re.compile(r"^define [^@]*(@[^(]+)(\(.*?)$.*?^}$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r'[@%](?:[\w.$-]+|"[^"]*")')
_DERIVED = re.compile(r"^  (%\S+) = (?:getelementptr|addrspacecast|phi|select|freeze) (.*)$", re.M)
_LOADED = re.compile(r"^  (%\S+) = load ptr, ptr (%[^\s,]+)", re.MULTILINE)
_HELD = re.compile(r"^  store ptr (.*), ptr (%[^\s,]+), align", re.MULTILINE)
_STORE = re.compile(r"^(  store .*?, ptr )([%@][^,]*|[a-z].*\))(, align)", re.MULTILINE)
_COPY = re.compile(
    r"^(.* @llvm\.mem(?:cpy|set)\S*\(ptr (?:align \d+ )?)(.*?)(, (?:ptr align|i8) )", re.MULTILINE
)
_CALL = re.compile(r"^.*\bcall [^@]*(@[^(\s]+)(\(.*)$", re.MULTILINE)


def with_kept_stores(text: str) -> str | None:
    """The text with those stores changed; None: it has none."""
    variables = frozenset(_VARIABLE.findall(text))
    if not variables:
        return None
    functions, parameters = {}, {}
    for match in _FUNCTION.finditer(text):
        functions[match[1]] = match[0]
        parameters[match[1]] = [_NAME.findall(one)[-1:] for one in _arguments(match[2])]
    pointers = {name: set(variables) for name in functions}
    waiting = list(functions)
    while waiting:
        name = waiting.pop()
        _follow(functions[name], pointers[name])
        for callee, arguments in _CALL.findall(functions[name]):
            given = {
                parameter
                for named, argument in zip(
                    parameters.get(callee, ()), _arguments(arguments), strict=False
                )
                for parameter in named
                if _leads(argument, pointers[name])
            }
            if not given <= pointers.get(callee, given):
                pointers[callee] |= given
                waiting.append(callee)
    changed = _FUNCTION.sub(lambda match: _kept(match[0], pointers[match[1]]), text)
    return changed if changed != text else None


def _leads(operand: str, pointers: set[str]) -> bool:
    return not pointers.isdisjoint(_NAME.findall(operand))


def _follow(function: str, pointers: set[str]) -> None:
    """Adds the names of the function's values that are such pointers, too."""
    slots: set[str] = set()  # local variables that hold one
    before = -1
    while before != len(pointers) + len(slots):
        before = len(pointers) + len(slots)
        pointers |= {
            made for made, source in _DERIVED.findall(function) if _leads(source, pointers)
        }
        slots |= {slot for held, slot in _HELD.findall(function) if _leads(held, pointers)}
        pointers |= {made for made, slot in _LOADED.findall(function) if slot in slots}


def _kept(function: str, pointers: set[str]) -> str:
    numbers = itertools.count()

    def write(match: re.Match[str]) -> str:
        begin, pointer, end = match.groups()
        if not _leads(pointer, pointers):
            return match[0]
        name = f"%kept.{next(numbers)}"
        moved = f'  {name} = call ptr asm "mov.b64 $0, $1;", "=l,l"(ptr {pointer})'
        return f"{moved}\n{begin}{name}{end}"

    return _COPY.sub(write, _STORE.sub(write, function))


def _arguments(text: str) -> Iterator[str]:
    """Those of a list that begins with its parenthesis."""
    depth, begin = 0, 1
    for at, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 or (depth == 1 and letter == ","):
            yield text[begin:at]
            begin = at + 1
        if depth == 0:
            return
