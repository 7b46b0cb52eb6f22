# SPDX-License-Identifier: MIT
"""What a lab forbids: other people's solutions of it, and files that are not the lab's.

A rung's code runs in a sandbox, apart from the judge, so any style of code is as good as another.
The compiler finds no library that is forbidden here (confine/sandbox.py hides a toolkit's), so a
text that misleads this reader gains nothing.
"""

import posixpath
import re
from collections.abc import Iterator

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.grades import Finding, FindingKind
from lockstep_grader.rules.tokens import Token, tokens_of

_LIBRARIES = re.compile(
    r"(thrust|cub|cutlass|cute|cudnn|cccl|cuda/experimental)(/|$|\.)|"
    r"(cublas|cufft|curand|cusparse|cusolver|nvrtc|nccl|npp|nvjpeg)\w*(\.h|$)"
)
_HEADER_FOLDERS = frozenset({"lab", "cuda", "cooperative_groups", "sys"})
_HEADER_NAME = re.compile(r"<([\w./+-]+)>|\"([\w./+-]+)\"", re.ASCII)
_INTRINSICS = re.compile(r"(\w*intrin|arm_\w+|cpuid|mm_malloc|x86gprintrin)\.h")


def check_source(source: Source) -> Finding | None:
    """The first forbidden include."""
    text = source.data.decode("utf-8-sig", "replace")
    for line, written in _includes(tokens_of(text)):
        if problem := _problem(written):
            message = f"a rung may not have {problem}"
            return Finding(FindingKind.FORBIDDEN, message, source.file_name, line)
    return None


def _includes(tokens: Iterator[Token]) -> Iterator[tuple[int, str]]:
    """The line of each #include, and what follows the word."""
    line: list[Token] = []
    for token in (*tokens, Token("newline", "\n", 0, after_blank=False)):
        if token.kind != "newline":
            line.append(token)
            continue
        if [each.text for each in line[:2]] == ["#", "include"]:
            yield line[1].line, "".join(each.spaced for each in line[2:]).strip()
        line = []


def _problem(written: str) -> str:
    """What is wrong about an include; empty if nothing is."""
    match = _HEADER_NAME.fullmatch(written)
    if match is None:
        return "an include whose name is not written out"
    path = match[1] or match[2]
    parts = path.split("/")
    if path.startswith("/") or ".." in parts:
        return "an include from outside: take the lab's headers and the standard ones"
    if _LIBRARIES.match(posixpath.normpath(path)):
        library = posixpath.normpath(path).partition("/")[0].partition(".")[0]
        return f"{library}: what it does is this lab's to write"
    if _INTRINSICS.fullmatch(path):
        return f"an include of {path}: a processor's own instructions are not CUDA"
    if "." in parts or "" in parts:
        return f"an include of {path}: write the header's name without ./ and //"
    if path == "bits/stdc++.h":
        return (
            f"an include of {path}, which only g++ has: include the standard headers that you use, "
            "such as <algorithm> and <vector>"
        )
    if len(parts) > 1 and parts[0] not in _HEADER_FOLDERS:
        return f"an include of {path}: take the lab's headers and the standard ones"
    return ""
