# SPDX-License-Identifier: MIT
"""Spellings of mma and movmatrix. Not of wmma, whose layout in registers PTX leaves open."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from case import Case, joined


def matrix(
    words: str,
    registers: tuple[int, int, int, int],
    domains: tuple[str, str, str],
    check: str,
) -> Case:
    """registers: of d, a, b, c; f64 accumulators and fragments are %d registers."""
    letter = "d" if domains[0].startswith("f64") else "r"
    number = 50
    groups, sources = [], []
    for count, domain in zip(registers[1:], domains, strict=True):
        names = [f"%{letter}{n}" for n in range(number, number + count)]
        number += count
        groups.append(f"{{{', '.join(names)}}}")
        sources += [(name, domain) for name in names]
    results = tuple(f"%{letter}{n}" for n in range(registers[0]))
    return Case(
        f"{words} {{{', '.join(results)}}}, {', '.join(groups)}",
        results,
        tuple(sources),
        check,
    )


def matrices() -> Iterator[Case]:
    for exact in (True, False):
        end = "_small" if exact else "_near"
        check = "exact" if exact else "mma"
        f16, bf16, f32 = "f16x2" + end, "bf16x2" + end, "f32" + end
        for d in ("f32", "f16"):
            n = 4 if d == "f32" else 2
            accumulator = f32 if d == "f32" else f16
            half = check if d == "f32" or exact else "mma_half"
            yield matrix(
                f"mma.sync.aligned.m16n8k8.row.col.{d}.f16.f16.{d}",
                (n, 2, 1, n),
                (f16, f16, accumulator),
                half,
            )
            yield matrix(
                f"mma.sync.aligned.m16n8k16.row.col.{d}.f16.f16.{d}",
                (n, 4, 2, n),
                (f16, f16, accumulator),
                half,
            )
        for shape, a, b in (("m16n8k8", 2, 1), ("m16n8k16", 4, 2)):
            yield matrix(
                f"mma.sync.aligned.{shape}.row.col.f32.bf16.bf16.f32",
                (4, a, b, 4),
                (bf16, bf16, f32),
                check,
            )
        for shape, a, b in (("m16n8k4", 2, 1), ("m16n8k8", 4, 2)):
            yield matrix(
                f"mma.sync.aligned.{shape}.row.col.f32.tf32.tf32.f32",
                (4, a, b, 4),
                (f32, f32, f32),
                check,
            )
        for shape, num_c, a, b in (
            ("m8n8k4", 2, 1, 1),
            ("m16n8k4", 4, 2, 1),
            ("m16n8k8", 4, 4, 2),
            ("m16n8k16", 4, 8, 4),
        ):
            f64 = "f64" + end
            yield matrix(
                f"mma.sync.aligned.{shape}.row.col.f64.f64.f64.f64",
                (num_c, a, b, num_c),
                (f64, f64, f64),
                "exact" if exact else "mma64",
            )
        for a_type, b_type in itertools.product(("e4m3", "e5m2"), repeat=2):
            yield matrix(
                f"mma.sync.aligned.m16n8k32.row.col.f32.{a_type}.{b_type}.f32",
                (4, 4, 2, 4),
                (f"{a_type}x4{end}", f"{b_type}x4{end}", f32),
                check if exact else "mma_fp8",
            )
        for a_layout, b_layout in itertools.product(("row", "col"), repeat=2):
            for d, n in (("f32", 8), ("f16", 4)):
                accumulator = f32 if d == "f32" else f16
                yield matrix(
                    f"mma.sync.aligned.m8n8k4.{a_layout}.{b_layout}.{d}.f16.f16.{d}",
                    (n, 2, 2, n),
                    (f16, f16, accumulator),
                    check if d == "f32" or exact else "mma_half",
                )
    shapes = {
        8: (("m8n8k16", 1, 1, 2), ("m16n8k16", 2, 1, 4), ("m16n8k32", 4, 2, 4)),
        4: (("m8n8k32", 1, 1, 2), ("m16n8k32", 2, 1, 4), ("m16n8k64", 4, 2, 4)),
    }
    for bits, sat in itertools.product((8, 4), ("", "satfinite")):
        for a_type, b_type in itertools.product((f"u{bits}", f"s{bits}"), repeat=2):
            for shape, a, b, num_c in shapes[bits]:
                words = joined(
                    "mma.sync.aligned",
                    shape,
                    "row.col",
                    sat,
                    f"s32.{a_type}.{b_type}.s32",
                )
                yield matrix(words, (num_c, a, b, num_c), ("i32", "i32", "i32"), "exact")
    for op in ("xor", "and"):
        for shape, a, b, num_c in (
            ("m8n8k128", 1, 1, 2),
            ("m16n8k128", 2, 1, 4),
            ("m16n8k256", 4, 2, 4),
        ):
            words = f"mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.{op}.popc"
            yield matrix(words, (num_c, a, b, num_c), ("i32", "i32", "i32"), "exact")
    yield Case("movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r50", ("%r0",), (("%r50", "i32"),))
