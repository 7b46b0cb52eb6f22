# SPDX-License-Identifier: MIT
"""What a lab forbids: other people's solutions of it, and files that are not the lab's.

A rung's code runs in a sandbox, apart from the judge, so any style of code is as good as another.
The compiler finds no library that is forbidden here (confine/sandbox.py hides a toolkit's), so a
text that misleads this reader gains nothing.

clang also compiles kernels that declare more shared memory than a block can have. NVIDIA's
assembler refuses them, where it is installed.
"""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.grades import Finding, FindingKind
from lockstep_grader.toolchain.nvcc import demangle

_TOKENS = re.compile(
    r"""(?P<newline>\n)
      | (?P<blank>[^\S\n]+|//[^\n]*|/\*(?s:.*?)(?:\*/|\Z))
      | (?P<raw>(?:u8|[LuU])?R"(?P<end>[^()\\\s"]{0,16})\((?s:.*?)(?:\)(?P=end)"|\Z))
      | (?P<number>\.?[0-9](?:[eEpP][+-]|\w|[.]|'(?=\w))*)
      | (?P<word>[^\W\d]\w*)
      | (?P<text>"(?:[^"\\\n]|\\[^\n])*"?|'(?:[^'\\\n]|\\[^\n])*'?)
      | (?P<other>.)""",
    re.VERBOSE,
)
_SPLICE = re.compile(r"\\[ \t]*\n")
_LIBRARIES = re.compile(
    r"(thrust|cub|cutlass|cute|cudnn|cccl|cuda/experimental)(/|$|\.)|"
    r"(cublas|cufft|curand|cusparse|cusolver|nvrtc|nccl|npp|nvjpeg)\w*(\.h|$)"
)
_USED_LIBRARIES = frozenset({"cub", "thrust"})  # by a rung that may use libraries
_HEADER_FOLDERS = frozenset({"lab", "cuda", "cooperative_groups", "sys"})
_HEADER_NAME = re.compile(r"<([\w./+-]+)>|\"([\w./+-]+)\"", re.ASCII)
_INTRINSICS = re.compile(r"(\w*intrin|arm_\w+|cpuid|mm_malloc|x86gprintrin)\.h")
_MOST_BYTES = 48 << 10
# A variable t of the kernel _Z3bigPf is called _ZZ3bigPfE1t.
_SHARED = re.compile(r"^\s*(?:\.\w+ )*\.shared .*?\.b8 _Z(Z\w+)\[(\d+)\]", re.MULTILINE)
_KERNEL = re.compile(r"\.entry (_Z\w+)\(")


class Token(NamedTuple):
    kind: str  # of _TOKENS
    text: str
    line: int
    after_blank: bool

    @property
    def spaced(self) -> str:
        return f" {self.text}" if self.after_blank else self.text


def check_source(source: Source, *, may_use_libraries: bool = False) -> Finding | None:
    """The first forbidden include."""
    text = source.data.decode("utf-8-sig", "replace")
    used = _USED_LIBRARIES if may_use_libraries else frozenset()
    for line, written in _includes(tokens_of(text)):
        if problem := _problem(written, used):
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


def _problem(written: str, used: frozenset[str]) -> str:
    """What is wrong about an include; empty if nothing is. `used`: the libraries to allow."""
    match = _HEADER_NAME.fullmatch(written)
    if match is None:
        return "an include whose name is not written out"
    path = match[1] or match[2]
    parts = path.split("/")
    if path.startswith("/") or ".." in parts:
        return "an include from outside: take the lab's headers and the standard ones"
    library = posixpath.normpath(path).partition("/")[0].partition(".")[0]
    if _LIBRARIES.match(posixpath.normpath(path)) and library not in used:
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
    if len(parts) > 1 and parts[0] not in _HEADER_FOLDERS | used:
        return f"an include of {path}: take the lab's headers and the standard ones"
    return ""


def too_much_shared(file: Path, source: Source) -> Finding | None:
    """The first kernel in the PTX that no launch can succeed with."""
    ptx = file.read_text("utf-8", "replace") if file.is_file() else ""
    variables = [(f"_{name}", int(size)) for name, size in _SHARED.findall(ptx)]
    for kernel in _KERNEL.findall(ptx):
        taken = sum(size for name, size in variables if name.startswith(f"{kernel}E"))
        if taken > _MOST_BYTES:
            message = (
                f"the kernel declares {taken} bytes of shared memory; "
                f"a block has at most {_MOST_BYTES}"
            )
            name = demangle([kernel])[0].partition("<")[0]
            lines = source.data.decode("utf-8", "replace").splitlines()
            defined = re.compile(rf"\b{re.escape(name)}\s*\(")
            line = next((at for at, text in enumerate(lines, 1) if defined.search(text)), 0)
            return Finding(FindingKind.COMPILE_ERROR, message, source.file_name, line)
    return None


def tokens_of(text: str) -> Iterator[Token]:
    """The tokens, newlines among them; comments and blanks are only in `after_blank`."""
    line, after_blank = 1, False
    for match in _TOKENS.finditer(_without_splices(text.replace("\r\n", "\n"))):
        kind, found = str(match.lastgroup), match[0]
        if match["raw"] is not None:
            kind = "raw"
        if kind == "blank":
            after_blank = True
        else:
            yield Token(kind, found, line, after_blank)
            after_blank = False
        line += found.count("\n")


def _without_splices(text: str) -> str:
    """Each spliced line as one; its newlines stand behind it, for the numbers of later lines."""
    pieces: list[str] = []
    at = pending = 0
    for match in _SPLICE.finditer(text):
        piece = text[at : match.start()]
        if pending and "\n" in piece:
            head, _, tail = piece.partition("\n")
            piece = head + "\n" * (pending + 1) + tail
            pending = 0
        pieces.append(piece)
        pending += 1
        at = match.end()
    head, newline, tail = text[at:].partition("\n")
    pieces.append(head + newline + "\n" * pending + tail)
    return "".join(pieces)
