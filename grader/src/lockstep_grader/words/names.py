# SPDX-License-Identifier: MIT
"""The student's own names of device memory, which an emulator can only count: "allocation 3"."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from lockstep_grader.model.grades import Finding

_ALLOCATION = re.compile(
    r"\ballocation \d+(?=(?: \(\d+ bytes?)?, allocated in line (?P<line>\d+) of (?P<file>[^\s,)]+))"
)
_ALLOCATED = re.compile(r"\bcuda\w*(?:Malloc|HostAlloc)\w*\s*\([^&;]*&\s*(?P<name>\w+)\s*[,)]")


def with_names(finding: Finding, texts: Mapping[str, Sequence[str]]) -> Finding:
    """`finding` with the variables in which the program keeps what it allocates.

    `texts`: the lines of each file, by its name.
    """

    def name_of(match: re.Match[str]) -> str:
        lines = texts.get(match["file"], ())
        line = int(match["line"])
        found = _ALLOCATED.search(lines[line - 1]) if 0 < line <= len(lines) else None
        return found["name"] if found else match[0]

    return replace(finding, message=_ALLOCATION.sub(name_of, finding.message))
