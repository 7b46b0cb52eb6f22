# SPDX-License-Identifier: MIT
"""A missing semicolon: compilers report the word after it, where nothing is wrong."""

import re
from collections.abc import Sequence
from dataclasses import replace

from lockstep_grader.model.grades import Finding

_EXPECTED = re.compile(r"expected (?:a |one of )?.{0,20}?['\"\u2018];['\"\u2019]")
_COMMENT = re.compile(r"\s*(?://.*|/\*.*\*/\s*)?$")
_LONGEST = 1000  # of a line that is searched for it, which takes time for the square of its length


def moved_to_the_gap(finding: Finding, lines: Sequence[str]) -> Finding:
    """`finding` at the end of the line that lacks the semicolon, if it blames the line after."""
    if not _EXPECTED.search(finding.message) or not 0 < finding.line <= len(lines):
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
