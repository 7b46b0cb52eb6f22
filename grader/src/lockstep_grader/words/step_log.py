# SPDX-License-Identifier: MIT
"""Turns what a step of a compilation says into a finding: of nvcc's g++, the assembler, the linker.

clang's messages about a rung have a reader of their own, clang_log.
"""

import re
from pathlib import Path

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.grades import Finding, FindingKind
from lockstep_grader.model.text import one_line
from lockstep_grader.words.beginners import in_beginners_words, with_successor

# g++ and clang say file:31:5: error: text; nvcc says file(31): error: text.
_DIAGNOSTIC = re.compile(
    r"^(?P<file>[^:()\n]+)(?::(?P<line>\d+)(?::\d+)?|\((?P<nvcc_line>\d+)\)): "
    r"(?:fatal |internal compiler )?error:? ?(?P<text>.*)$",
    re.MULTILINE,
)
_LINK_DIAGNOSTIC = re.compile(
    r"(?:(?P<file>[^:\n]{1,500}):(?P<line>\d+): |: )(?P<text>(?:undefined reference to|"
    r"multiple definition of|first defined here|relocation truncated to fit).*)"
)
_UNPLACED_ERROR = re.compile(r"^.*\berror\b:? ?(?P<text>.*)$", re.MULTILINE | re.IGNORECASE)


def names_an_error(output: str) -> bool:
    """Whether a compiler names a place and an error, whatever else it says."""
    return bool(_DIAGNOSTIC.search(output))


def step_finding(step: str, output: str, source: Source) -> Finding | None:
    """The first error that the failed step names, with the student's line where it has one."""
    if step == "link" and "relocation truncated to fit" in output:
        message = "its file-scope variables take more memory than a program may use"
        return Finding(FindingKind.OUT_OF_MEMORY, message, source.file_name)
    lines = source.data.decode("utf-8", "replace").splitlines()
    pattern = _LINK_DIAGNOSTIC if step == "link" else _DIAGNOSTIC
    if match := pattern.search(output):
        places = match.groupdict()
        line = int(places["line"] or places.get("nvcc_line") or 0)
        text = with_successor(one_line(places["text"])) or "compile error"
        name = Path(places["file"] or source.file_name).name
        if name == source.file_name:
            return in_beginners_words(Finding(FindingKind.COMPILE_ERROR, text, name, line), lines)
        message = f"{name}:{line}: {text}"
        return Finding(FindingKind.COMPILE_ERROR, message, source.file_name)
    if step != "link" and (match := _UNPLACED_ERROR.search(output)):
        finding = Finding(FindingKind.COMPILE_ERROR, one_line(match["text"]), source.file_name)
        return in_beginners_words(finding, lines)
    return None
