# SPDX-License-Identifier: MIT
"""Every spelling of an arithmetic instruction that bind_arithmetic accepts, with its operands."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from case import Case, bits_of, case, domain_of, joined, register
from matrix_spellings import matrices

ROUNDINGS = ("rn", "rz", "rm", "rp")
INTEGERS = ("u16", "s16", "u32", "s32", "u64", "s64")
FLOAT_COMPARISONS = (
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "equ",
    "neu",
    "ltu",
    "leu",
    "gtu",
    "geu",
    "num",
    "nan",
)
SIGNED_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
UNSIGNED_COMPARISONS = (*SIGNED_COMPARISONS, "lo", "ls", "hi", "hs")


def integers() -> Iterator[Case]:
    for t in INTEGERS:
        for op in ("add", "sub", "div", "rem", "min", "max"):
            yield case(f"{op}.{t}", t, t, t)
        for part in ("lo", "hi"):
            yield case(f"mul.{part}.{t}", t, t, t)
            yield case(f"mad.{part}.{t}", t, t, t, t)
        yield case(f"sad.{t}", t, t, t, t)
        if bits_of(t) < 64:
            wide = f"{t[0]}{2 * bits_of(t)}"
            yield case(f"mul.wide.{t}", wide, t, t)
            yield case(f"mad.wide.{t}", wide, t, t, wide)
        if t[0] == "s":
            yield case(f"abs.{t}", t, t)
            yield case(f"neg.{t}", t, t)
    for op in ("add.sat.s32", "sub.sat.s32", "min.relu.s32", "max.relu.s32"):
        yield case(op, "s32", "s32", "s32")
    yield case("mad.hi.sat.s32", "s32", "s32", "s32", "s32")
    for t, part in itertools.product(("u32", "s32"), ("lo", "hi")):
        yield case(f"mul24.{part}.{t}", t, t, t)
        yield case(f"mad24.{part}.{t}", t, t, t, t)
    yield case("mad24.hi.sat.s32", "s32", "s32", "s32", "s32")
    for t, op in itertools.product(("u16x2", "s16x2"), ("add", "min", "max")):
        yield case(f"{op}.{t}", t, t, t)
    for op in ("min", "max"):
        yield case(f"{op}.relu.s16x2", "s16x2", "s16x2", "s16x2")
    for a, b in itertools.product(("u32", "s32"), repeat=2):
        yield case(f"dp4a.{a}.{b}", "s32", a, b, "s32")
        for half in ("lo", "hi"):
            yield case(f"dp2a.{half}.{a}.{b}", "s32", a, b, "s32")
    yield from carries()
    yield from videos()


def videos() -> Iterator[Case]:
    """Words, halfwords and bytes; the last source is added, or what a mask would keep."""
    types = tuple(itertools.product(("u32", "s32"), repeat=2))
    for op, parts in itertools.product(
        ("vadd", "vsub", "vabsdiff", "vmin", "vmax"), ("", "2", "4")
    ):
        for (a, b), d in itertools.product(types, ("u32", "s32")):
            yield video(f"{op}{parts}.{d}.{a}.{b}", parts)
            yield video(f"{op}{parts}.{d}.{a}.{b}.add", "c")
            if parts:
                yield video(f"{op}{parts}.{d}.{a}.{b}.sat", "c")
    for parts, (a, b) in itertools.product("24", types):
        yield video(f"vavrg{parts}.s32.{a}.{b}", parts)
        yield video(f"vavrg{parts}.u32.{a}.{b}.add", parts)
    for op, a, mode in itertools.product(("vshl", "vshr"), ("u32", "s32"), ("clamp", "wrap")):
        yield case(f"{op}.{a}.{a}.u32.{mode}", "u32", "u32", "u32/shift")
        yield case(f"{op}.u32.{a}.u32.{mode}.add", "u32", "u32", "u32/shift", "u32")
    for parts, (a, b), how in itertools.product(("", "2", "4"), types, SIGNED_COMPARISONS):
        yield video(f"vset{parts}.{a}.{b}.{how}", parts)
    for parts in ("", "2", "4"):
        yield video(f"vset{parts}.s32.u32.lt.add", "c")


def video(words: str, third: str) -> Case:
    return case(words, "u32", "u32", "u32", *(["u32"] if third else []))


def carries() -> Iterator[Case]:
    """Sums of three words; the last one shows the carry."""
    for t, op in itertools.product(("u32", "s32", "u64", "s64"), ("add", "sub")):
        r = "r" if t.endswith("32") else "d"
        text = (
            f"{op}.cc.{t} %{r}0, %{r}50, %{r}51; {op}c.cc.{t} %{r}1, %{r}52, %{r}53; "
            f"{op}c.{t} %{r}2, %{r}54, %{r}55"
        )
        sources = tuple((f"%{r}{n}", domain_of(t)) for n in range(50, 56))
        yield Case(text, tuple(f"%{r}{n}" for n in range(3)), sources)
    for t, part in itertools.product(("u32", "s32", "u64", "s64"), ("lo", "hi")):
        r = "r" if t.endswith("32") else "d"
        text = (
            f"mad.{part}.cc.{t} %{r}0, %{r}50, %{r}51, %{r}52; "
            f"madc.{part}.cc.{t} %{r}1, %{r}51, %{r}52, %{r}53; "
            f"madc.{part}.{t} %{r}2, %{r}50, %{r}53, %{r}51"
        )
        sources = tuple((f"%{r}{n}", domain_of(t)) for n in range(50, 54))
        yield Case(text, tuple(f"%{r}{n}" for n in range(3)), sources)


def bits() -> Iterator[Case]:
    for t in ("b16", "b32", "b64"):
        for op in ("and", "or", "xor"):
            yield case(f"{op}.{t}", t, t, t)
        for op in ("not", "cnot"):
            yield case(f"{op}.{t}", t, t)
        yield case(f"shl.{t}", t, t, "u32/shift")
    for t in ("b16", "b32", "b64", *INTEGERS):
        yield case(f"shr.{t}", t, t, "u32/shift")
    for op in ("and", "or", "xor"):
        yield case(f"{op}.pred", "pred", "pred", "pred")
    yield case("not.pred", "pred", "pred")
    yield case("mov.pred", "pred", "pred")
    for side, mode in itertools.product(("l", "r"), ("clamp", "wrap")):
        yield case(f"shf.{side}.{mode}.b32", "b32", "b32", "b32", "u32/shift")
    for t in ("b32", "b64"):
        for op in ("popc", "clz"):
            yield case(f"{op}.{t}", "u32", t)
        yield case(f"brev.{t}", t, t)
        yield case(f"bfi.{t}", t, t, t, "u32/shift", "u32/shift")
    for t in ("u32", "s32", "u64", "s64"):
        yield case(f"bfind.{t}", "u32", t)
        yield case(f"bfind.shiftamt.{t}", "u32", t)
        yield case(f"bfe.{t}", t, t, "u32/shift", "u32/shift")
    yield case("fns.b32", "b32", "b32", "b32/lane", "s32/count")
    for mode in ("clamp", "wrap"):
        yield case(f"bmsk.{mode}.b32", "b32", "b32/shift", "b32/shift")
        for t in ("u32", "s32"):
            yield case(f"szext.{mode}.{t}", t, t, "u32/shift")
    for mode in ("", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        yield case(joined("prmt", "b32", mode), "b32", "b32", "b32", "b32")
    for table in (0x00, 0x1B, 0x80, 0x96, 0xCA, 0xE8, 0xFE, 0x69):
        yield case("lop3.b32", "b32", "b32", "b32", "b32", tail=f", {table}")
    for op in ("and", "or"):
        text = f"lop3.{op}.b32 %r0|%p1, %r50, %r51, %r52, 232, %p53"
        sources = (("%r50", "i32"), ("%r51", "i32"), ("%r52", "i32"), ("%p53", "pred"))
        yield Case(text, ("%r0", "%p1"), sources)
    yield from moves()


def moves() -> Iterator[Case]:
    for t in ("b16", "b32", "b64", *INTEGERS, "f32", "f64"):
        yield case(f"mov.{t}", t, t)
        yield case(f"selp.{t}", t, t, t, "pred")
    for t in ("b16", "b32", "b64", *INTEGERS, "f32", "f64"):
        yield case(f"slct.{t}.s32", t, t, t, "s32")
        yield case(f"slct.{t}.f32", t, t, t, "f32")
        yield case(f"slct.ftz.{t}.f32", t, t, t, "f32")
    for whole, part, count in (("r", "h", 2), ("d", "r", 2), ("d", "h", 4)):
        size = {"r": 32, "d": 64}[whole]
        elements = [f"%{part}{n}" for n in range(50, 50 + count)]
        domain = {"h": "i16", "r": "i32"}[part]
        yield Case(
            f"mov.b{size} %{whole}0, {{{', '.join(elements)}}}",
            (f"%{whole}0",),
            tuple((e, domain) for e in elements),
        )
        results = tuple(f"%{part}{n}" for n in range(count))
        yield Case(
            f"mov.b{size} {{{', '.join(results)}}}, %{whole}50",
            results,
            ((f"%{whole}50", f"i{size}"),),
        )
    yield Case(
        "mov.b128 %q9, {%d50, %d51}; mov.b128 {%d0, %d1}, %q9",
        ("%d0", "%d1"),
        (("%d50", "i64"), ("%d51", "i64")),
    )


def comparisons() -> Iterator[Case]:
    def kinds() -> Iterator[tuple[str, str, str]]:
        for t in INTEGERS:
            for c in UNSIGNED_COMPARISONS if t[0] == "u" else SIGNED_COMPARISONS:
                yield c, "", t
        for t, c in itertools.product(("b16", "b32", "b64"), ("eq", "ne")):
            yield c, "", t
        for t, c in itertools.product(("f16", "bf16", "f32", "f64"), FLOAT_COMPARISONS):
            yield c, "", t
            if t in ("f16", "f32"):
                yield c, "ftz", t

    for c, ftz, t in kinds():
        yield case(joined("setp", c, ftz, t), "pred", t, t)
        names = [register(t, 50), register(t, 51)]
        sources = ((names[0], domain_of(t)), (names[1], domain_of(t)), ("%p52", "pred"))
        if t in ("f16", "bf16"):  # one destination only
            for op in ("and", "or", "xor"):
                yield case(joined("setp", c, op, ftz, t), "pred", t, t, "pred")
        else:
            for op in ("and", "or", "xor"):
                words = joined("setp", c, op, ftz, t)
                yield Case(
                    f"{words} %p0|%p1, {', '.join(names)}, %p52",
                    ("%p0", "%p1"),
                    sources,
                )
            yield Case(
                f"{joined('setp', c, ftz, t)} %p0|%p1, {', '.join(names)}",
                ("%p0", "%p1"),
                sources[:2],
            )
        if t == "bf16" or (t == "f16" and ftz):
            continue
        results = ("u16", "s16", "u32", "s32", "f16") if t == "f16" else ("u32", "s32", "f32")
        for d in results:
            yield case(joined("set", c, ftz, d, t), d, t, t)
        if t != "f16":
            yield case(joined("set", c, "and", ftz, "u32", t), "u32", t, t, "pred")
    for t, c in itertools.product(("f16x2", "bf16x2"), FLOAT_COMPARISONS):
        yield Case(
            f"setp.{c}.{t} %p0|%p1, %r50, %r51",
            ("%p0", "%p1"),
            (("%r50", t), ("%r51", t)),
        )
        yield Case(
            f"setp.{c}.and.{t} %p0|%p1, %r50, %r51, %p52",
            ("%p0", "%p1"),
            (("%r50", t), ("%r51", t), ("%p52", "pred")),
        )
        yield case(f"set.{c}.{t}.{t}", t, t, t)
    for t, c in itertools.product(("f16", "bf16"), FLOAT_COMPARISONS):
        yield case(f"set.{c}.{t}.{t}", t, t, t)
    for test in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
        yield case(f"testp.{test}.f32", "pred", "f32")
        yield case(f"testp.{test}.f64", "pred", "f64")


def floats() -> Iterator[Case]:
    for op, mode, ftz, sat in itertools.product(
        ("add", "sub", "mul", "fma"), ("", *ROUNDINGS), ("", "ftz"), ("", "sat")
    ):
        count = 3 if op == "fma" else 2
        if op == "fma" and not mode:
            continue
        yield case(joined(op, mode, ftz, sat, "f32"), "f32", *["f32"] * count)
        if not ftz and not sat:
            yield case(joined(op, mode, "f64"), "f64", *["f64"] * count)
    for mode, ftz in itertools.product(ROUNDINGS, ("", "ftz")):
        yield case(joined("mad", mode, ftz, "f32"), "f32", "f32", "f32", "f32")
        yield case(joined("div", mode, ftz, "f32"), "f32", "f32", "f32")
        for op in ("rcp", "sqrt"):
            yield case(joined(op, mode, ftz, "f32"), "f32", "f32")
        if not ftz:
            yield case(f"mad.{mode}.f64", "f64", "f64", "f64", "f64")
            yield case(f"div.{mode}.f64", "f64", "f64", "f64")
            for op in ("rcp", "sqrt"):
                yield case(f"{op}.{mode}.f64", "f64", "f64")
    for op, ftz, nan, sign in itertools.product(
        ("min", "max"), ("", "ftz"), ("", "NaN"), ("", "xorsign.abs")
    ):
        yield case(joined(op, ftz, nan, sign, "f32"), "f32", "f32", "f32")
        for t in ("f16", "f16x2", "bf16", "bf16x2"):
            if not ftz or t[0] == "f":
                yield case(joined(op, ftz, nan, sign, t), t, t, t)
    for op in ("min", "max"):
        yield case(f"{op}.f64", "f64", "f64", "f64")
    for op in ("abs", "neg"):
        yield case(f"{op}.f64", "f64", "f64")
        for t, ftz in itertools.product(("f32", "f16", "f16x2", "bf16", "bf16x2"), ("", "ftz")):
            if not ftz or t[0] == "f":
                yield case(joined(op, ftz, t), t, t)
    for t in ("f32", "f64"):
        yield case(f"copysign.{t}", t, t, t)
    yield from halves()
    yield from approximations()


def halves() -> Iterator[Case]:
    for t in ("f16", "f16x2", "bf16", "bf16x2"):
        is_f16 = t[0] == "f"
        for op, ftz, sat in itertools.product(
            ("add", "sub", "mul", "fma"), ("", "ftz"), ("", "sat")
        ):
            if (ftz or sat) and not is_f16:
                continue
            count = 3 if op == "fma" else 2
            yield case(joined(op, "rn", ftz, sat, t), t, *[t] * count)
        for ftz in ("", "ftz") if is_f16 else ("",):
            yield case(joined("fma.rn", ftz, "relu", t), t, t, t, t)


def approximations() -> Iterator[Case]:
    for ftz in ("", "ftz"):
        yield case(joined("div.approx", ftz, "f32"), "f32", "f32", "f32", check="div")
        yield case(joined("div.full", ftz, "f32"), "f32", "f32", "f32", check="div_full")
        for op in ("rcp", "sqrt", "rsqrt", "lg2", "ex2"):
            yield case(joined(op, "approx", ftz, "f32"), "f32", "f32", check=op)
        for op in ("sin", "cos"):
            yield case(joined(op, "approx", ftz, "f32"), "f32", "f32/angle", check=op)
    yield case("tanh.approx.f32", "f32", "f32", check="tanh")
    yield case("rcp.approx.ftz.f64", "f64", "f64", check="rcp64")
    yield case("rsqrt.approx.ftz.f64", "f64", "f64", check="rsqrt64")
    yield case("rsqrt.approx.f64", "f64", "f64", check="rsqrt64")
    for t in ("f16", "f16x2", "bf16", "bf16x2"):
        yield case(f"tanh.approx.{t}", t, t, check=f"tanh_{t}")
        yield case(f"ex2.approx.{'' if t[0] == 'f' else 'ftz.'}{t}", t, t, check=f"ex2_{t}")


def conversions() -> Iterator[Case]:
    small = ("u8", "s8")
    all_integers = (*small, *INTEGERS)
    for d, s in itertools.product(all_integers, repeat=2):
        yield from converted(f"cvt.{d}.{s}", d, s)
        if d[0] == s[0]:
            is_contained = bits_of(d) >= bits_of(s)
        else:
            is_contained = d[0] == "s" and bits_of(d) > bits_of(s)
        if not is_contained:
            yield from converted(f"cvt.sat.{d}.{s}", d, s)
    for d, s, mode in itertools.product(("f16", "bf16", "f32", "f64"), all_integers, ROUNDINGS):
        if d == "bf16" and s in small:
            continue
        yield from converted(f"cvt.{mode}.{d}.{s}", d, s)
        if mode == "rn" and d in ("f32", "f64", "f16"):
            yield from converted(f"cvt.rn.sat.{d}.{s}", d, s)
    for d, s, mode in itertools.product(
        all_integers, ("f16", "bf16", "f32", "f64"), ("rni", "rzi", "rmi", "rpi")
    ):
        if s == "bf16" and d in small:
            continue
        yield from converted(f"cvt.{mode}.{d}.{s}", d, s)
        if s == "f32":
            yield from converted(f"cvt.{mode}.ftz.{d}.f32", d, s)
            yield from converted(f"cvt.{mode}.sat.{d}.f32", d, s)
    for t, mode, sat in itertools.product(
        ("f16", "f32", "f64"), ("rni", "rzi", "rmi", "rpi"), ("", "sat")
    ):
        yield from converted(joined("cvt", mode, sat, t, t), t, t)
        if t == "f32":
            yield from converted(joined("cvt", mode, "ftz", sat, t, t), t, t)
    yield from float_conversions()
    yield from packed_conversions()
    # Registers wider than the types.
    for words, d, s in (
        ("cvt.s64.s8", "b64", "b32/i32"),
        ("cvt.s32.s8", "b32", "b32/i32"),
        ("cvt.u32.u8", "b32", "b64/i64"),
        ("cvt.s16.s8", "b64", "b64/i64"),
        ("cvt.u8.u32", "b64", "b32/i32"),
        ("cvt.s8.s32", "b64", "b64/i64"),
        ("cvt.rn.f32.s16", "b32", "b64/i64"),
        ("cvt.rzi.s16.f32", "b32", "f32"),
        ("cvt.rzi.s8.f64", "b32", "f64"),
        ("cvt.u16.u32", "b32", "b32/i32"),
        ("cvt.s16.s32", "b32", "b32/i32"),
    ):
        yield case(words, d, s)


def converted(words: str, d: str, s: str) -> Iterator[Case]:
    """Types of 8 bits live in registers of 32, so that their extension shows."""
    yield case(words, "b32" if bits_of(d) == 8 else d, "b32/i32" if bits_of(s) == 8 else s)


def float_conversions() -> Iterator[Case]:
    for ftz, sat in itertools.product(("", "ftz"), ("", "sat")):
        yield case(joined("cvt", ftz, sat, "f32.f32"), "f32", "f32")
        for d, s in (("f64", "f32"), ("f32", "f16")):
            yield case(joined("cvt", ftz, sat, d, s), d, s)
    yield case("cvt.f64.f16", "f64", "f16")
    yield case("cvt.f32.bf16", "f32", "bf16")
    yield case("cvt.f64.bf16", "f64", "bf16")
    for sat in ("", "sat"):
        yield case(joined("cvt", sat, "f64.f64"), "f64", "f64")
        yield case(joined("cvt", sat, "f16.f16"), "f16", "f16")
        yield case(joined("cvt.f64", "f16") if not sat else "cvt.sat.f64.f16", "f64", "f16")
    for mode, ftz, sat in itertools.product(ROUNDINGS, ("", "ftz"), ("", "sat")):
        yield case(joined("cvt", mode, ftz, sat, "f32.f64"), "f32", "f64")
        yield case(joined("cvt", mode, ftz, sat, "f16.f32"), "f16", "f32")
        if not ftz:
            yield case(joined("cvt", mode, sat, "f16.f64"), "f16", "f64")
    for mode in ROUNDINGS:
        for s in ("f16", "f32", "f64"):
            yield case(f"cvt.{mode}.bf16.{s}", "bf16", s)
        yield case(f"cvt.{mode}.f16.bf16", "f16", "bf16")
    for mode in ("rn", "rz"):
        for relu, t in itertools.product(("", "relu"), ("f16", "bf16")):
            yield case(joined("cvt", mode, relu, t, "f32"), t, "f32")
        for relu in ("", "relu"):
            yield case(joined("cvt", mode, relu, "tf32.f32"), "b32", "f32")
    yield case("cvt.rna.tf32.f32", "b32", "f32")


def packed_conversions() -> Iterator[Case]:
    for t, mode, relu in itertools.product(("f16x2", "bf16x2"), ("rn", "rz"), ("", "relu")):
        yield case(joined("cvt", mode, relu, t, "f32"), t, "f32", "f32")
    for t, relu in itertools.product(("e4m3x2", "e5m2x2"), ("", "relu")):
        yield case(joined("cvt.rn.satfinite", relu, t, "f32"), "b16", "f32", "f32")
        yield case(joined("cvt.rn.satfinite", relu, t, "f16x2"), "b16", "f16x2")
        yield case(joined("cvt.rn", relu, "f16x2", t), "f16x2", f"b16/{t}")
    for t in ("u16", "s16"):
        yield case(f"cvt.pack.sat.{t}.s32", "b32", "s32", "s32")
    for t in ("u8", "s8", "u4", "s4", "u2", "s2"):
        yield case(f"cvt.pack.sat.{t}.s32.b32", "b32", "s32", "s32", "b32")


def all_cases() -> list[Case]:
    groups = (
        integers(),
        bits(),
        comparisons(),
        floats(),
        conversions(),
        matrices(),
    )
    cases = list(itertools.chain.from_iterable(groups))
    return list({(made.text, made.sources): made for made in cases}.values())
