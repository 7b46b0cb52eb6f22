# SPDX-License-Identifier: MIT
"""Writes the cases of spellings.py: a list for opcodes_test.cpp, or PTX with one kernel each.

    python3 generate.py --list cases.txt
    python3 generate.py --ptx FOLDER

A kernel is called kN, N the line of the list. It reads source s of thread i from in[s * 2048 + i],
and writes result r to out[r * 2048 + i], in words of 64 bits.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from case import Case
from spellings import all_cases

NUM_TUPLES = 2048
PER_MODULE = 160
SIZES = {"h": 16, "r": 32, "d": 64}
HEADER = ".version 8.7\n.target sm_90a\n.address_size 64\n"


def list_of(cases: list[Case]) -> str:
    lines = []
    for case in cases:
        sources = " ".join(f"{name}:{domain}" for name, domain in case.sources)
        lines.append(f"{case.text} | {' '.join(case.results)} | {sources} | {case.check}\n")
    return "".join(lines)


def kernel_of(case: Case, number: int) -> str:
    body = []
    used = sorted(set(re.findall(r"%[hrdqp]\d+", case.text)))
    types = {"h": "b16", "r": "b32", "d": "b64", "q": "b128", "p": "pred"}
    body += [f".reg .{types[name[1]]} {name};" for name in used]
    body += [
        ".reg .b64 %in, %out, %word, %at;",
        ".reg .b32 %i, %threads, %block, %flag;",
        "ld.param.u64 %in, [in];",
        "ld.param.u64 %out, [out];",
        "mov.u32 %i, %tid.x;",
        "mov.u32 %threads, %ntid.x;",
        "mov.u32 %block, %ctaid.x;",
        "mad.lo.u32 %i, %block, %threads, %i;",
        "mul.wide.u32 %at, %i, 8;",
        "add.u64 %in, %in, %at;",
        "add.u64 %out, %out, %at;",
    ]
    for index, (name, _) in enumerate(case.sources):
        body.append(f"ld.global.b64 %word, [%in + {index * NUM_TUPLES * 8}];")
        kind = name[1]
        if kind == "p":
            body += [
                "cvt.u32.u64 %flag, %word;",
                "and.b32 %flag, %flag, 1;",
                f"setp.ne.u32 {name}, %flag, 0;",
            ]
        elif kind == "d":
            body.append(f"mov.b64 {name}, %word;")
        else:
            body.append(f"cvt.u{SIZES[kind]}.u64 {name}, %word;")
    body += [f"{line};" for line in case.text.split("; ")]
    for index, name in enumerate(case.results):
        kind = name[1]
        if kind == "p":
            body += [f"selp.u32 %flag, 1, 0, {name};", "cvt.u64.u32 %word, %flag;"]
        elif kind == "d":
            body.append(f"mov.b64 %word, {name};")
        else:
            body.append(f"cvt.u64.u{SIZES[kind]} %word, {name};")
        body.append(f"st.global.b64 [%out + {index * NUM_TUPLES * 8}], %word;")
    body.append("ret;")
    text = "\n  ".join(body)
    return f".visible .entry k{number}(.param .u64 in, .param .u64 out)\n{{\n  {text}\n}}\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", type=Path)
    parser.add_argument("--ptx", type=Path)
    arguments = parser.parse_args()
    cases = all_cases()
    if arguments.list:
        arguments.list.write_text(list_of(cases))
    if arguments.ptx:
        arguments.ptx.mkdir(parents=True, exist_ok=True)
        for start in range(0, len(cases), PER_MODULE):
            kernels = [
                kernel_of(case, start + i)
                for i, case in enumerate(cases[start : start + PER_MODULE])
            ]
            path = arguments.ptx / f"module{start // PER_MODULE:02}.ptx"
            path.write_text(HEADER + "\n".join(kernels))


if __name__ == "__main__":
    main()
