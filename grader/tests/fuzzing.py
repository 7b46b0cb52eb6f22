# SPDX-License-Identifier: MIT
"""Any bytes through the readers of what strangers write, steered by coverage; .ci/fuzz runs it.

    python grader/tests/fuzzing.py archives|sources [libFuzzer's options] CORPUS

`test_fuzz.py` tries the same readers in every test run, without steering and without atheris.
"""

import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["lockstep_grader", "zipfile", "tarfile"]):
    from lockstep_grader.intake.archives import STUDENT_BOUNDS, ArchiveError, Spool, read_members
    from lockstep_grader.intake.submission import Source
    from lockstep_grader.rules.source import check_source

from handed_in import GOOD, RUNGS, tar_bytes, zip_bytes

BOUNDS = replace(STUDENT_BOUNDS, unpacked_bytes=1 << 20)
SOURCE = (
    b'#include "lab/launch.cuh"\n#define F(x) (x)\n[[maybe_unused]] int k = 1\'000; // "\n'
    b'__attribute__((aligned(16))) char s[] = "a\\"b"; /* R"( */ \\\n#pragma unroll\n'
)


def read_archive(data: bytes) -> None:
    """An error of the reader's, or members that stay in its folder."""
    with tempfile.TemporaryDirectory() as folder:
        file, spool = Path(folder, "x"), Path(folder, "spool")
        file.write_bytes(data)
        try:
            for member in read_members(file, lambda name: name in RUNGS, Spool(spool), BOUNDS):
                if member.stored and not Path(member.stored).resolve().is_relative_to(spool):
                    raise AssertionError(f"{member.stored} is not in the spool")
        except ArchiveError:
            pass


def read_source(data: bytes) -> None:
    """A finding or none, the same each time, and on no line that is not there."""
    source = Source("x.cu", data)
    finding = check_source(source)
    if finding != check_source(source):
        raise AssertionError("two answers about one source")
    if finding and finding.line and finding.line > data.count(b"\n") + 1:
        raise AssertionError(f"line {finding.line} is behind the end")


TARGETS: dict[str, tuple[Callable[[bytes], None], tuple[bytes, ...]]] = {
    "archives": (read_archive, (zip_bytes(GOOD), tar_bytes(GOOD))),
    "sources": (read_source, (SOURCE,)),
}


def main() -> None:
    name, corpus = sys.argv.pop(1), Path(sys.argv[-1])
    target, seeds = TARGETS[name]
    for number, seed in enumerate(seeds):
        (corpus / f"seed-{number}").write_bytes(seed)
    atheris.Setup(sys.argv, target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
