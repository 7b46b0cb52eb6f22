# SPDX-License-Identifier: MIT
"""Evaluates expressions of C: names, literals, indices, members, pointers, arithmetic, casts."""

import operator
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from lockstep_grader.model.errors import InputError
from lockstep_grader.model.text import count_of
from lockstep_grader.student.debug.values import (
    BASIC,
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    UNSIGNED,
    UNSIGNED_LONG,
    VOID,
    Read,
    Type,
    Value,
    array_of,
    item_of,
    made,
    member_of,
    pointer_to,
)

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<float>(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?[fF]?|\d+[eE][+-]?\d+[fF]?)"
    r"|(?P<int>0[xX][0-9a-fA-F]+|\d+)(?P<suffix>[uUlL]*)|(?P<char>'(?:\\.|[^'\\])')"
    r"|(?P<name>[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*|\$\d*)"
    r"|(?P<sign>->|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^~!<>()\[\].,?:@=]))"
)
_LEVELS: Final = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", ">", "<=", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_COMPARED: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le,
    ">=": operator.ge,
}  # fmt: skip
_COMPUTED: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_, "|": operator.or_,
    "^": operator.xor,
}  # fmt: skip
_ESCAPES: Final = {"n": "\n", "t": "\t", "0": "\0", "r": "\r"}
_WORDS: Final = frozenset(
    ("unsigned", "signed", "long", "short", "int", "char", "const", "volatile")
)

Lookup = Callable[[str], Value]


def evaluate(text: str, lookup: Lookup, read: Read, types: Callable[[str], Type | None]) -> Value:
    """Raises InputError with one sentence."""
    return _Parser(text, lookup, read, types).whole()


class _Parser:
    def __init__(
        self, text: str, lookup: Lookup, read: Read, types: Callable[[str], Type | None]
    ) -> None:
        self._lookup, self._read, self._types = lookup, read, types
        self._tokens: list[tuple[str, str]] = []
        self._ends: list[int] = []
        self._text = text
        at = 0
        while text[at:].strip():
            match = _TOKEN.match(text, at)
            if match is None:
                raise InputError(f"the expression has an unexpected '{text[at:].strip()[0]}'")
            kind = match.lastgroup or ""
            kind = "int" if kind == "suffix" else kind
            self._tokens.append((kind, match[0].strip()))
            at = match.end()
            self._ends.append(at)
        self._at = 0

    def whole(self) -> Value:
        value = self._binary(0)
        if self._at < len(self._tokens):
            word = self._tokens[self._at][1]
            if word == "=":
                raise InputError("the debugger cannot change variables")
            raise InputError(f"the expression has an unexpected '{word}'")
        return value

    def _peek(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _take(self, word: str) -> bool:
        if self._peek() != word or self._tokens[self._at][0] == "char":
            return False
        self._at += 1
        return True

    def _need(self, word: str) -> None:
        if not self._take(word):
            raise InputError(f"the expression lacks a '{word}'")

    def _number(self, value: Value) -> int | float:
        return self._read_reference(value).number(self._read)

    def _binary(self, level: int) -> Value:
        if level == len(_LEVELS):
            value = self._unary()
            if self._take("@"):  # gdb's: an array from there on
                count = max(int(self._number(self._unary())), 1)
                value = replace(value, type=array_of(value.type, count), data=None)
            return value
        left = self._binary(level + 1)
        while (word := self._peek()) in _LEVELS[level]:
            self._at += 1
            if word in ("&&", "||"):
                left = self._logical(left, word, level)
            else:
                left = self._arithmetic(left, word, self._binary(level + 1))
        return left

    def _logical(self, left: Value, word: str, level: int) -> Value:
        is_true = bool(self._number(left))
        if is_true == (word == "&&"):
            return made(BOOL, bool(self._number(self._binary(level + 1))))
        read, self._read = self._read, lambda _address, size, _origin: bytes(size)
        try:
            self._binary(level + 1)
        finally:
            self._read = read
        return made(BOOL, is_true)

    def _arithmetic(self, left: Value, word: str, right: Value) -> Value:
        left, right = self._read_reference(left), self._read_reference(right)
        a, b = self._number(left), self._number(right)
        if word in _COMPARED:
            if left.type.kind not in ("pointer", "array") and right.type.kind != "pointer":
                common = _common(left.type, right.type)
                a, b = (made(common, one).number(self._read) for one in (a, b))
            return made(BOOL, _COMPARED[word](a, b))
        if left.type.target is not None or right.type.target is not None:
            return self._moved(left, word, right)
        common = _common(left.type, right.type)
        if word in ("<<", ">>"):
            common = _common(left.type, INT)
        if common.kind == "float":
            return made(common, _float(a, word, b))
        return made(common, _whole(int(a), word, int(b)))

    def _moved(self, left: Value, word: str, right: Value) -> Value:
        """Arithmetic of pointers."""
        if left.type.target is None and word == "+":
            left, right = right, left
        target = left.type.target or VOID
        size = max(target.size, 1)
        a, b = int(self._number(left)), int(self._number(right))
        if right.type.target is not None and word == "-":
            return made(LONG, (a - b) // size)
        if word not in ("+", "-"):
            raise InputError(f"'{word}' is not for pointers")
        moved = made(pointer_to(target), a + (b if word == "+" else -b) * size)
        return replace(moved, base=left.base or a)

    def _unary(self) -> Value:
        if self._take("-"):
            value = self._unary()
            return made(_common(value.type, INT), -self._number(value))
        if self._take("+"):
            return self._unary()
        if self._take("!"):
            return made(BOOL, not self._number(self._unary()))
        if self._take("~"):
            value = self._unary()
            return made(_common(value.type, INT), ~int(self._number(value)))
        if self._take("*"):
            return self._pointed_to(self._unary())
        if self._take("&"):
            value = self._read_reference(self._unary())
            if not value.address:
                raise InputError(f"{value.text or 'this'} has no address")
            return made(pointer_to(value.type), value.address)
        if self._peek() == "(" and (type_ := self._cast()) is not None:
            value = self._read_reference(self._unary())
            number = self._number(value)
            return replace(made(type_, number), base=value.base)
        if self._take("sizeof"):
            type_ = self._cast() if self._peek() == "(" else None
            return made(UNSIGNED_LONG, (type_ or self._unary().type).size)
        return self._postfix()

    def _cast(self) -> Type | None:
        """The type in parentheses that comes next, if it is one."""
        begin = self._at
        self._at += 1
        words: list[str] = []
        while self._at < len(self._tokens) and self._tokens[self._at][0] == "name":
            if words and words[-1] not in _WORDS and self._peek() not in _WORDS:
                break
            words.append(self._peek())
            self._at += 1
        type_ = self._type_called([word for word in words if word not in ("const", "volatile")])
        while type_ is not None and self._take("*"):
            type_ = pointer_to(type_)
        if type_ is None or not self._take(")"):
            self._at = begin
            return None
        return type_

    def _type_called(self, words: list[str]) -> Type | None:
        if not words:
            return None
        name = " ".join(words)
        if len(words) > 1:
            name = " ".join(word for word in words if word not in ("int", "signed")) or "int"
        return BASIC.get(name) or self._types(name)

    def _postfix(self) -> Value:
        begin = self._ends[self._at - 1] if self._at else 0
        value = self._primary()
        while True:
            if self._take("["):
                at = self._number(self._binary(0))
                self._need("]")
                value = self._item(value, int(at))
            elif self._take(".") or self._peek() == "->":
                if self._take("->"):
                    value = self._pointed_to(value)
                value = self._member(self._read_reference(value))
            else:
                return value
            text = self._text[begin : self._ends[self._at - 1]].strip()
            value = replace(value, text=text)

    def _primary(self) -> Value:
        if self._take("("):
            value = self._binary(0)
            self._need(")")
            return value
        if self._at >= len(self._tokens):
            raise InputError("the expression is not complete")
        kind, word = self._tokens[self._at]
        self._at += 1
        if kind == "int":
            return _literal(word)
        if kind == "float":
            return made(FLOAT if word[-1] in "fF" else DOUBLE, float(word.rstrip("fF")))
        if kind == "char":
            letter = word[1:-1]
            letter = _ESCAPES.get(letter[1], letter[1]) if letter[0] == "\\" else letter
            return made(BASIC["char"], ord(letter))
        if word in ("true", "false"):
            return made(BOOL, word == "true")
        if word == "nullptr":
            return made(pointer_to(VOID), 0)
        if kind == "name":
            return replace(self._read_reference(self._lookup(word)), text=word)
        raise InputError(f"the expression has an unexpected '{word}'")

    def _read_reference(self, value: Value) -> Value:
        if value.type.kind != "reference":
            return value
        address = int(value.number(self._read))
        return Value(value.type.target or VOID, None, address, address, text=value.text)

    def _pointed_to(self, value: Value) -> Value:
        target = value.type.target
        if target is None or target.kind == "void":
            raise InputError(f"{value.text or 'this'} is no pointer to a type that is known")
        if value.type.kind == "array":
            return item_of(value, 0, target)
        address = int(self._number(value))
        return Value(target, None, address, value.base or address)

    def _item(self, value: Value, at: int) -> Value:
        value = self._read_reference(value)
        target, name = value.type.target, value.text or "this"
        if target is None or target.kind == "void":
            raise InputError(f"{name} is no array and no pointer to a type that is known")
        if value.type.kind == "array":
            if not 0 <= at < value.type.count:
                items = count_of(value.type.count, "item")
                side = "before the beginning" if at < 0 else "past the end"
                raise InputError(f"{name}[{at}]: {side} of {name} ({items})")
            return item_of(value, at, target)
        address = int(self._number(value))
        return Value(target, None, address + at * target.size, value.base or address)

    def _member(self, value: Value) -> Value:
        name = self._peek()
        self._at += 1
        waiting = [value]
        while waiting:
            whole = waiting.pop(0)
            for member in whole.type.members:
                if member.name == name:
                    part = member_of(whole, member)
                    return part if not member.bits else member_of(whole.loaded(self._read), member)
                if not member.name:  # a base class, or an anonymous union
                    waiting.append(member_of(whole, member))
        raise InputError(f"{value.text or value.type.name} has no member {name}")


def _literal(word: str) -> Value:
    digits = word.rstrip("uUlL")
    suffix = word[len(digits) :].lower()
    is_octal = digits.startswith("0") and not digits.lower().startswith("0x")
    number = int(digits, 8 if is_octal else 0)
    is_long = "l" in suffix or number > 0xFFFFFFFF or ("u" not in suffix and number > 0x7FFFFFFF)
    if "u" in suffix:
        return made(UNSIGNED_LONG if is_long else UNSIGNED, number)
    return made(LONG if is_long else INT, number)


def _common(left: Type, right: Type) -> Type:
    """What C computes with."""
    floats = [one.size for one in (left, right) if one.kind == "float"]
    if floats:
        return DOUBLE if 8 in floats else FLOAT
    size = max(left.size, right.size, 4)
    is_signed = all(one.is_signed or one.size < size for one in (left, right))
    if size == 4:
        return INT if is_signed else UNSIGNED
    return LONG if is_signed else UNSIGNED_LONG


def _float(a: float, word: str, b: float) -> float:
    if word == "/" and b == 0:
        raise InputError("division by zero")
    if word not in ("+", "-", "*", "/"):
        raise InputError(f"'{word}' is not for numbers with a fraction")
    return a / b if word == "/" else float(_COMPUTED[word](a, b))


def _whole(a: int, word: str, b: int) -> int:
    if word in ("/", "%"):
        if b == 0:
            raise InputError("division by zero")
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if word == "/" else a - quotient * b
    if word in ("<<", ">>"):
        return a << (b & 63) if word == "<<" else a >> (b & 63)
    return int(_COMPUTED[word](a, b))
