# SPDX-License-Identifier: MIT
"""What the debugger makes of expressions, and of the text of a program's PTX."""

import struct

import pytest

from lockstep_grader.model.errors import InputError
from lockstep_grader.student.debug.dwarf import FUNCTION, NAME, PARAMETER, Dwarf, read_ptx
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


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("10 - 4 - 3", "3"),
        ("-7 / 2", "-3"),
        ("-7 % 3", "-1"),
        ("7 / 2.0", "3.5"),
        ("1.5f + 1", "2.5"),
        ("0xffffffffu + 1", "0"),
        ("2147483647 + 1", "-2147483648"),
        ("4294967295 + 1", "4294967296"),
        ("-1 < 0u", "false"),
        ("-1 < 0", "true"),
        ("1 << 4 | 3", "19"),
        ("~0", "-1"),
        ("!items[0]", "false"),
        ("'a' + 1", "98"),
        ("'\\n'", "10 '\\012'"),
        ("(char)65", "65 'A'"),
        ("(unsigned char)-1", "255 '\\377'"),
        ("(float)1 / 4", "0.25"),
        ("items", "{10, 20, 30, 40}"),
        ("items[3]", "40"),
        ("table", "{{10, 20}, {30, 40}}"),
        ("table[1][0]", "30"),
        ("*p", "10"),
        ("p[2]", "30"),
        ("*(p + 3)", "40"),
        ("&p[2] - p", "2"),
        ("p + 1", "(int *) 0x1004"),
        ("*p@3", "{10, 20, 30}"),
        ("&items[1]", "(int *) 0x1004"),
        ("p == &items[0]", "true"),
        ("pair.first", "-1"),
        ("(&pair)->first", "-1"),
        ("((Pair*)p)->first", "10"),
        ("pair.low", "0"),
        ("half", "0.5"),
        ("sizeof(Pair) + sizeof(int)", "12"),
        ("1 || p[99]", "true"),
        ("0 && p[99]", "false"),
    ],
)
def test_expressions_have_the_values_of_c(text: str, value: str) -> None:
    assert shown(text) == value


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("items[4]", "items[4]: past the end of items (4 items)"),
        ("items[-1]", "items[-1]: before the beginning of items (4 items)"),
        ("table[0][2]", "table[0][2]: past the end of table[0] (2 items)"),
        ("p[6]", "0x1018 is outside, from 0x1000"),
        ("*(p - 1)", "0xffc is outside, from 0x1000"),
        ("pair.third", "pair has no member third"),
        ("pair + 1", "pair is no number"),
        ("items.first", "items has no member first"),
        ("0 && nothing", "there is no variable nothing here"),
        ("1 +", "the expression is not complete"),
        ("1 2", "the expression has an unexpected '2'"),
        ("(1", "the expression lacks a ')'"),
        ("#", "the expression has an unexpected '#'"),
        ("1 / 0", "division by zero"),
        ("1 % 0", "division by zero"),
        ("items[0] = 3", "the debugger cannot change variables"),
        ("1.5 << 1", "'<<' is not for numbers with a fraction"),
        ("*3", "this is no pointer to a type that is known"),
    ],
)
def test_a_wrong_expression_is_explained(text: str, complaint: str) -> None:
    with pytest.raises(InputError) as error:
        shown(text)
    assert str(error.value) == complaint


PTX = """\
.version 8.7
.visible .entry kernel(
\t.param .u32 kernel_param_0
)
{
\t.local .align 4 .b8 \t__local_depot0[8];
\t.loc\t1 2 0                           // a.cu:2:0
$L__func_begin0:
\tst.b32 \t[%SP], %r1;
\t.loc\t1 3 5                           // a.cu:3:5
$L__tmp0:
\t@%p1 bra \t$L__BB0_1;
\tadd.s32 \t%r1, %r1, 1;
\t.loc\t1 7 5                           // a.cu:7:5 @[ a.cu:4:2 ]
\tadd.s32 \t%r1, %r1, 2;
\t.loc\t1 3 9                           // a.cu:3:9
\tret;
$L__func_end0:
}
\t.file\t1 "/home/me/a.cu"
\t.section\t.debug_abbrev
\t{
.b8 1,17,1,0,0
.b8 2,46,1,17,1,18,1,3,8,0,0
.b8 3,5,0,2,10,3,8,0,0
.b8 0
\t}
\t.section\t.debug_info
\t{
.b32 45
.b8 2
.b8 0
.b32 .debug_abbrev
.b8 8
.b8 1
.b8 2                                   // a function
.b64 $L__func_begin0
.b64 $L__func_end0
.b8 107,0
.b8 3                                   // its parameter
.b8 12,3
.b64 __local_depot0
.b8 35,132,1
.b8 110,0
.b8 0
.b8 0
\t}
"""


def test_lines_and_variables_are_found_in_the_text() -> None:
    ptx = read_ptx(PTX)
    assert [(spot.at, spot.line) for spot in ptx.spots] == [(12, 3), (15, 7)]
    assert ptx.entries["kernel"].at == 12, "behind what stores parameters"
    assert ptx.spots[0].file == "/home/me/a.cu"
    assert ptx.kernels == ["kernel"]
    function = Dwarf(ptx).functions["kernel"]
    assert (function.tag, function.text(NAME)) == (FUNCTION, "k")
    (parameter,) = function.children
    assert (parameter.tag, parameter.text(NAME)) == (PARAMETER, "n")
    place = parameter.attributes[0x02]
    assert (getattr(place, "symbol", ""), getattr(place, "offset", 0)) == ("__local_depot0", 132)
