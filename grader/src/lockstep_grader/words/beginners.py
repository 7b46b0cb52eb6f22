# SPDX-License-Identifier: MIT
"""Mistakes that compilers name in other words than beginners know, or at another line.

Also names that CUDA once had, or has for newer GPUs alone: compilers call both undefined.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

from lockstep_grader.model.grades import Finding
from lockstep_grader.words.braces import is_about_braces, unbalanced

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

_EXPECTED_SEMICOLON = re.compile(r"expected (?:a |one of )?.{0,20}?['\"\u2018];['\"\u2019]")
_COMMENT = re.compile(r"\s*(?://.*|/\*.*\*/\s*)?$")
_LONGEST = 1000  # of a line that is searched for it, which takes time for the square of its length

_OLD_WARP_FUNCTION = re.compile(
    r"(?=.*(?:undefined|not declared|undeclared))"
    r".*?['\"\u2018](?P<name>__(?:shfl(?:_up|_down|_xor)?|any|all|ballot))['\"\u2019]"
)
_OF_NEWER_GPUS = (
    (re.compile(r"__reduce_(?:add|min|max|and|or|xor)_sync"), "8.0", "use __shfl_xor_sync"),
    (
        re.compile(
            r"__cluster_\w+|__cluster(?:DimIsSpecified|Dim|RelativeBlock(?:Idx|Rank)|Idx|"
            r"GridDimInClusters|SizeInBlocks)|__is(?:Cta|Cluster)Shared|__threadfence_cluster|"
            r"this_cluster|cluster_group"
        ),
        "9.0",
        "leave clusters out",
    ),
)
_NVCC_UNDEFINED = re.compile(
    r'(?:identifier "(?P<name>\w+)" is undefined|has no member "(?P<member>\w+)")$'
)


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


def moved_to_the_gap(finding: Finding, lines: Sequence[str]) -> Finding:
    """`finding` at the end of the line that lacks the semicolon, if it blames the line after."""
    if not _EXPECTED_SEMICOLON.search(finding.message) or not 0 < finding.line <= len(lines):
        return finding
    code = lines[finding.line - 1]
    first = len(code) - len(code.lstrip()) + 1
    blamed = re.search(r"before ['\u2018](.+?)['\u2019]", finding.message)
    begins = code.lstrip().startswith(blamed[1]) if blamed else finding.column == first
    if not begins:
        return finding
    for number in range(finding.line - 1, 0, -1):
        if len(lines[number - 1]) > _LONGEST:
            return finding
        before = _COMMENT.sub("", lines[number - 1]).rstrip()
        if before:
            message = "';' is missing at the end of this line"
            return replace(finding, message=message, line=number, column=len(before) + 1)
    return finding


def with_successor(message: str) -> str:
    """A compiler's message; of a name that CUDA has removed, also what took its place."""
    if match := _OLD_WARP_FUNCTION.search(message):
        name = match["name"]
        return (
            f"{message}: CUDA 9 replaced {name} by {name}_sync, whose first argument names the "
            "lanes that take part (0xffffffff: all 32)"
        )
    return message


def with_needed_gpu(message: str, architectures: Sequence[str]) -> str:
    """nvcc's message; of a name that the oldest of `architectures` lacks, also which one has it."""
    if match := _NVCC_UNDEFINED.search(message):
        name = match["name"] or match["member"]
        oldest = min(architectures, key=float)
        for names, needed, advice in _OF_NEWER_GPUS:
            if names.fullmatch(name) and float(oldest) < float(needed):
                return (
                    f"{message}: {name} needs compute capability {needed}, and this rung is also "
                    f"compiled for {oldest}: {advice}"
                )
    return message
