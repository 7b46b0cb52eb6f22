# SPDX-License-Identifier: MIT
"""What the debugger makes of expressions, and of the text of a program's PTX."""

import struct

import pytest

from lockstep_grader.model.compat import tomllib
from lockstep_grader.model.errors import InputError
from lockstep_grader.student.debug.dwarf import Dwarf, read_ptx
from lockstep_grader.student.debug.expression import evaluate
from lockstep_grader.student.debug.values import (
    FLOAT,
    INT,
    Member,
    Type,
    Value,
    array_of,
    made,
    pointer_to,
    spelled,
)

from conftest import DATA

EXPRESSIONS = tomllib.loads((DATA / "expressions.toml").read_text("utf-8"))
MEMORY = struct.pack("<6i", 10, 20, 30, 40, -1, 0x3F000000)
BASE = 0x1000
PAIR = Type(
    "struct",
    "Pair",
    8,
    members=(Member("first", INT, 0), Member("low", INT, 4, (0, 3)), Member("rest", INT, 4)),
)


def read(address: int, size: int, origin: int) -> bytes:
    begin = address - BASE
    if not 0 <= begin <= len(MEMORY) - size:
        raise InputError(f"{address:#x} is outside, from {origin:#x}")
    return MEMORY[begin : begin + size]


def look_up(name: str) -> Value:
    known = {
        "items": Value(array_of(INT, 4), None, BASE, BASE),
        "table": Value(array_of(array_of(INT, 2), 2), None, BASE, BASE),
        "p": made(pointer_to(INT), BASE),
        "pair": Value(PAIR, None, BASE + 16, BASE + 16),
        "half": Value(FLOAT, None, BASE + 20, BASE + 20),
    }
    if name not in known:
        raise InputError(f"there is no variable {name} here")
    return known[name]


def shown(text: str) -> str:
    value = evaluate(text, look_up, read, lambda name: PAIR if name == "Pair" else None)
    return spelled(value, read)


@pytest.mark.parametrize(("text", "value"), EXPRESSIONS["values"].items())
def test_expressions_have_the_values_of_c(text: str, value: str) -> None:
    assert shown(text) == value


@pytest.mark.parametrize(("text", "complaint"), EXPRESSIONS["complaints"].items())
def test_a_wrong_expression_is_explained(text: str, complaint: str) -> None:
    with pytest.raises(InputError) as error:
        shown(text)
    assert str(error.value) == complaint


PTX = (DATA / "kernel.ptx").read_text("utf-8")


def test_lines_and_variables_are_found_in_the_text() -> None:
    ptx = read_ptx(PTX)
    assert [(spot.at, spot.line) for spot in ptx.spots] == [(12, 3), (15, 7)]
    assert ptx.entries["kernel"].at == 12, "behind what stores parameters"
    assert ptx.spots[0].file == "/home/me/a.cu"
    assert ptx.kernels == ["kernel"]
    function = Dwarf(ptx).functions["kernel"]
    assert (function.tag, function.text("name")) == ("subprogram", "k")
    (parameter,) = function.children
    assert (parameter.tag, parameter.text("name")) == ("formal_parameter", "n")
    place = parameter.attributes["location"]
    assert (getattr(place, "symbol", ""), getattr(place, "offset", 0)) == ("__local_depot0", 132)
