# SPDX-License-Identifier: MIT
"""Beginners' mistakes that compilers name in other words, or at another line."""

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

from lockstep_grader.judging.braces import is_about_braces, unbalanced
from lockstep_grader.judging.semicolon import moved_to_the_gap
from lockstep_grader.model.grades import Finding

_CUDA_NAMES = (
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "__syncthreads",
    "__syncwarp",
    "__global__",
    "__device__",
    "__host__",
    "__shared__",
    "__constant__",
    "__shfl_sync",
    "__shfl_up_sync",
    "__shfl_down_sync",
    "__shfl_xor_sync",
    "__ballot_sync",
    "__threadfence",
    "atomicAdd",
)
_SHIFTED = re.compile(r"(?<![\w<])(?P<name>[A-Za-z_]\w*)\s*<<(?!<)[^;]*>>\s*\(", re.DOTALL)
_OF_OPERATOR = re.compile(r"operator<<|integral or unscoped enum|operands to binary expression")
_STATEMENT_LINES = 6  # of a launch that goes over several lines
_UNDEFINED = re.compile(
    r'identifier "(?P<name>\w+)" is undefined$|undeclared identifier \'(?P<clangs>\w+)\'$'
)
_ALLOCATES = re.compile(r"\ballocate\s*\(")


def in_beginners_words(finding: Finding, lines: Sequence[str]) -> Finding:
    """The compiler's finding, at the line to change and with what to change."""
    if is_about_braces(finding.message) and (found := unbalanced(lines)):
        line, message = found
        return replace(finding, message=message, line=line, column=0)
    finding = moved_to_the_gap(finding, lines)
    advice = _advice(finding.message, lines, finding.line)
    return replace(finding, message=f"{finding.message}: {advice}") if advice else finding


def _advice(message: str, lines: Sequence[str], line: int) -> str:
    if not 0 < line <= len(lines):
        return ""
    code = lines[line - 1]
    if _OF_OPERATOR.search(message):
        match = _SHIFTED.search("\n".join(lines[line - 1 : line - 1 + _STATEMENT_LINES]))
        if match and _is_kernel(match["name"], lines):
            return (
                f"<< is a shift; a launch has three angle brackets on each side, "
                f"{match['name']}<<<blocks, threads>>>(...)"
            )
    if "allocate" in message and "match" in message and _ALLOCATES.search(code):
        return "allocate cannot guess the type of an item: write it as in allocate<float>(count)"
    if match := _UNDEFINED.search(message):
        name = match["name"] or match["clangs"]
        similar = get_close_matches(name, _CUDA_NAMES, n=1, cutoff=0.8)
        return f"did you mean {similar[0]}?" if similar else ""
    return ""


def _is_kernel(name: str, lines: Sequence[str]) -> bool:
    pattern = re.compile(rf"__global__[^;{{}}()]*(?:\([^)]*\)[^;{{}}()]*)?\b{re.escape(name)}\s*\(")
    return bool(pattern.search("\n".join(lines)))
