# SPDX-License-Identifier: MIT
"""What the cells of an array hold and how they lie: from the source where it says so, else guessed
from the accesses."""

import re
import struct
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lockstep_grader.student.trace.model import Array, Recording

MAX_CELLS = 2048  # of an array that a page shows
_ROW = 32

# Of C++, the name that the page's script knows.
_TYPES = {
    "float": "f32",
    "double": "f64",
    "int": "i32",
    "unsigned": "u32",
    "unsigned int": "u32",
    "long long": "i64",
    "unsigned long long": "u64",
    "char": "i8",
    "signed char": "i8",
    "unsigned char": "u8",
    "bool": "u8",
    "short": "i16",
    "unsigned short": "u16",
    "int8_t": "i8",
    "uint8_t": "u8",
    "int16_t": "i16",
    "uint16_t": "u16",
    "int32_t": "i32",
    "uint32_t": "u32",
    "int64_t": "i64",
    "uint64_t": "u64",
    "size_t": "u64",
    "float2": "f32",
    "float4": "f32",
    "int2": "i32",
    "int4": "i32",
    "uint4": "u32",
}
_SIZES = {"f32": 4, "f64": 8, "i32": 4, "u32": 4, "i64": 8, "u64": 8}
_SIZES |= {"i8": 1, "u8": 1, "i16": 2, "u16": 2}
_WORDS = "|".join(sorted(map(re.escape, _TYPES), key=len, reverse=True))
_CONSTANT = re.compile(
    r"\b(?:constexpr|const)\s+(?:int|unsigned|size_t|auto)\s+(\w+)\s*=\s*([^;]+);"
)
_DEFINE = re.compile(r"^\s*#\s*define\s+(\w+)\s+(\S+)\s*$", re.MULTILINE)
_ALLOCATED = re.compile(r"cuda(?:Malloc|MallocManaged|MallocAsync)\s*\(\s*(?:\([^)]*\)\s*)?&(\w+)")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Cells:
    """The part of an array that a page shows, as a grid."""

    name: str
    type: str
    item_bytes: int
    first: int  # cell that is shown first
    count: int  # cells shown
    total: int  # cells of the array
    columns: int


def cells_of(recording: Recording, texts: Sequence[str], sources: dict[str, str]) -> list[Cells]:
    """One for each array. `texts` may declare them; `sources` are the program's files by name."""
    plain = [_COMMENT.sub(" ", text) for text in texts]
    constants = _constants(plain)
    touched: list[list[tuple[int, int]]] = [[] for _ in recording.arrays]
    words: list[list[bytes]] = [[] for _ in recording.arrays]
    for moment in recording.moments:
        if access := moment.access:
            touched[access.array] += [(offset, access.size_bytes) for offset in access.offsets]
            words[access.array] += access.before + access.after
    made = []
    for array, places, values in zip(recording.arrays, touched, words, strict=True):
        name = _name(array, sources)
        declared = _declaration(name, plain)
        kind = declared[0] if declared else _guess(places, values)
        size = _SIZES[kind]
        shape = _shape(declared[1], constants) if declared else []
        total = max(1, array.size_bytes // size)
        low = min((offset for offset, _ in places), default=0) // size
        high = max((offset + size_bytes for offset, size_bytes in places), default=1)
        columns = shape[-1] if len(shape) > 1 and 1 <= shape[-1] <= 64 else _ROW
        low -= low % columns
        count = min(-(-high // size), total) - low
        made.append(Cells(name, kind, size, low, min(count, MAX_CELLS), total, columns))
    return made


def _name(array: Array, sources: dict[str, str]) -> str:
    """As the program calls it: "allocation 2" is what its line passes to cudaMalloc."""
    lines = sources.get(array.file, "").splitlines()
    if 0 < array.line <= len(lines):
        called = _ALLOCATED.findall(lines[array.line - 1])
        if len(called) == 1:
            return str(called[0])
    return array.name


def _declaration(name: str, texts: Iterable[str]) -> tuple[str, list[str]] | None:
    """The type of the items, and the text of each bracket."""
    found = re.compile(
        rf"(?<![\w:])({_WORDS})\s*(?:const\s*)?(?:\*\s*)*(?:const\s+)?(?:__restrict__\s+)?"
        rf"\b{re.escape(name)}\b\s*((?:\[[^\]]*\]\s*)*)"
    )
    best = None
    for text in texts:
        for match in found.finditer(text):
            best = match if best is None or len(match[2]) > len(best[2]) else best
    if best is None:
        return None
    return _TYPES[best[1]], re.findall(r"\[([^\]]*)\]", best[2])


def _constants(texts: Iterable[str]) -> dict[str, int]:
    known: dict[str, int] = {}
    for text in texts:
        for name, value in [*_CONSTANT.findall(text), *_DEFINE.findall(text)]:
            number = _number(value, known)
            if number is not None:
                known.setdefault(name, number)
    return known


def _shape(brackets: Sequence[str], constants: dict[str, int]) -> list[int]:
    lengths = [_number(text, constants) for text in brackets]
    return [length for length in lengths if length is not None] if None not in lengths else []


def _number(text: str, constants: dict[str, int]) -> int | None:
    """Of sums and products of numbers and constants; nothing of another expression."""
    known = re.sub(r"\b[A-Za-z_]\w*\b", lambda word: str(constants.get(word[0], "?")), text)
    terms = known.replace(" ", "").split("+")
    total = 0
    for term in terms:
        product = 1
        for factor in term.split("*"):
            if not factor.isdigit() or len(factor) > 6:
                return None
            product *= int(factor)
        total += product
    return total


def _guess(places: Sequence[tuple[int, int]], values: Sequence[bytes]) -> str:
    sizes = Counter(min(size, 4) if size in {8, 16} else size for _, size in places)
    size = sizes.most_common(1)[0][0] if sizes else 4
    if size == 1:
        return "u8"
    if size == 2:
        return "i16"
    numbers = [struct.unpack_from("<f", value)[0] for value in values if len(value) >= 4]
    told = [abs(number) for number in numbers if number == number and number != 0]
    floats = sum(1e-6 < number < 1e12 for number in told)
    return "f32" if told and floats > len(told) / 2 else "i32"
