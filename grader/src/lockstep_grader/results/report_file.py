# SPDX-License-Identifier: MIT
"""Writes the document of `grade --json` one submission at a time, however large the class."""

import contextlib
import json
import shutil
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lockstep_grader.machine.files import scratch_for
from lockstep_grader.model.grades import SubmissionResult
from lockstep_grader.results.serial import submission_json


@contextlib.contextmanager
def report_file(
    file: Path, head: Mapping[str, Any]
) -> Iterator[Callable[[SubmissionResult], None]]:
    """Yields what adds a submission's result; `file` is there, whole, when all went well."""
    with scratch_for(file) as scratch, scratch.open("w", encoding="ascii") as stream:
        stream.write(json.dumps(head, indent=2).removesuffix("\n}") + ',\n  "submissions": [')
        between = "\n"

        def add(result: SubmissionResult) -> None:
            nonlocal between
            stream.write(
                between + textwrap.indent(json.dumps(submission_json(result), indent=2), "    ")
            )
            between = ",\n"

        yield add
        stream.write("]\n}\n" if between == "\n" else "\n  ]\n}\n")


def copy_report(file: Path, target: Path) -> None:
    """A copy of the report where the caller wants it, which may be a pipe or a device."""
    with scratch_for(target) as scratch, file.open("rb") as source, scratch.open("wb") as stream:
        shutil.copyfileobj(source, stream)
