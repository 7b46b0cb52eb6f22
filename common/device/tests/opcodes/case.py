# SPDX-License-Identifier: MIT
"""A case: instructions in PTX, with the names of their registers and what the sources hold.

Registers are named by size: %h of 16 bits, %r of 32, %d of 64, %q of 128, %p predicates. Results
have the numbers from 0 on, sources those from 50 on.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    text: str  # instructions, separated by "; "
    results: tuple[str, ...]  # names of registers
    sources: tuple[tuple[str, str], ...]  # register, domain of its values (operands.h)
    check: str = "exact"  # or the kind of error that is allowed: opcodes_test.cpp


def bits_of(type_: str) -> int:
    sizes = {
        "f16x2": 32,
        "bf16x2": 32,
        "u16x2": 32,
        "s16x2": 32,
        "e4m3x2": 16,
        "e5m2x2": 16,
        "tf32": 32,
        "bf16": 16,
    }
    if type_ == "pred":
        return 1
    return sizes.get(type_) or int(type_.lstrip("usbf"))


def register(type_: str, number: int) -> str:
    bits = bits_of(type_)
    return f"%{ {1: 'p', 8: 'h', 16: 'h', 32: 'r', 64: 'd', 128: 'q'}[bits] }{number}"


def domain_of(type_: str) -> str:
    if type_ in (
        "f16",
        "bf16",
        "f32",
        "f64",
        "f16x2",
        "bf16x2",
        "e4m3x2",
        "e5m2x2",
        "pred",
    ):
        return type_
    return "f32" if type_ == "tf32" else f"i{bits_of(type_)}"


def case(words: str, result: str, *sources: str, check: str = "exact", tail: str = "") -> Case:
    """One instruction with one result. A source is a type, or "type/domain"."""
    names, domains = [], []
    for number, source in enumerate(sources, 50):
        type_, _, domain = source.partition("/")
        names.append(register(type_, number))
        domains.append((names[-1], domain or domain_of(type_)))
    d = register(result, 0)
    return Case(f"{words} {', '.join([d, *names])}{tail}", (d,), tuple(domains), check)


def joined(*words: str) -> str:
    return ".".join(word for word in words if word)
