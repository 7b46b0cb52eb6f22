# SPDX-License-Identifier: MIT
"""What a stored result depends on: the files and values that its key is made of.

A result is used again as long as its key is the same. So the key contains everything that can
change a verdict. Points, gates, hints and titles cannot: scoring and pages apply them to the stored
judgement, each time. Of lab.toml, judging uses the ids of lab and rung, the lists of headers, the
architectures, and whether a rung uses libraries.
"""

import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path

from lockstep_grader.confine.sandbox import Sandbox
from lockstep_grader.intake.submission import Source
from lockstep_grader.machine.process import patience
from lockstep_grader.model.grades import Backend, Finding, Lab
from lockstep_grader.request.job import Job, Setup
from lockstep_grader.toolchain.description import digest

# The packages whose code decides a verdict. A test compares them with what `judging` imports.
DECIDING = (
    *("model", "machine", "intake", "confine", "toolchain"),
    *("request", "rules", "words", "compile", "observe", "judging"),
)
PACKAGE = Path(__file__).parents[1]
_Stamp = tuple[int, int] | None  # time of the last change, and size


class Keys:
    """The keys of one session's results; safe to use from several threads."""

    def __init__(self, setup: Setup, emulator: "Keys | None" = None) -> None:
        """`emulator`: of the judge that judges cleanliness on a GPU, too."""
        self._setup, self._emulator = setup, emulator
        self._stamps: dict[Path, _Stamp] = {}  # of the files that keys were made of
        self._lab_digests: dict[str, str] = {}

    def of(self, job: Job, source: Source | Finding) -> str:
        """A hash of everything that the job's judgement depends on."""
        setup = self._setup
        self._watch(setup.toolchain.files)
        return content_key(
            {
                "source": source.data if isinstance(source, Source) else repr(source),
                "lab": job.lab.id,
                "rung": job.rung.id,
                "lab files": self._lab_digest(job.lab),
                "headers": " ".join(job.lab.headers),
                "toolchain": setup.toolchain.digest,
                "grader": grader_digest(),
                "seed": "secret" if setup.seed is None else str(setup.seed),
                "sanitizer": setup.sanitizer.version if setup.sanitizer else "",
                "nvcc": self._nvcc_words(job),
                "confinement": self._confinement_words(job),
                "libraries": str(job.rung.uses_libraries),
                "beside": self._beside_digest(job),
                "patience": str(patience()),
                "emulator": self._emulator.of(job, source) if self._emulator else "",
                "awaited": " ".join(job.awaited.arguments()),
            }
        )

    def changed(self) -> str:
        """A file that changed after its content went into a key; empty when there is none."""
        watched = list(self._stamps.items())
        return next((str(file) for file, stamp in watched if _stamp(file) != stamp), "")

    def _nvcc_words(self, job: Job) -> str:
        nvcc = self._setup.nvcc
        if nvcc is None or job.phase is None:
            return ""
        return " ".join(
            [nvcc.version, Path(nvcc.host).name, *job.rung.architectures, str(job.phase)]
        )

    def _confinement_words(self, job: Job) -> str:
        confinement = self._setup.of(job.lab, job.rung).confinement
        if not isinstance(confinement, Sandbox):
            return "none"
        return " ".join(["sandbox", *(file.name for file in confinement.hidden)])

    def _lab_digest(self, lab: Lab) -> str:
        """A hash of the lab's judge, with its data, its calls and its contract."""
        if lab.id not in self._lab_digests:
            tools = self._setup.toolchain.lab(lab.id)
            files = [tools.judge, tools.calls, *sorted(tools.include.glob("*.cuh"))]
            self._watch(files)
            self._lab_digests[lab.id] = digest(files)
        return self._lab_digests[lab.id]

    def _beside_digest(self, job: Job) -> str:
        """A hash of the solutions that are timed with the submission: a ratio depends on both."""
        if self._setup.backend is Backend.CPU:
            return ""
        folder = self._setup.workspace.solutions / job.lab.id
        beside = [folder / rung.file_name for rung in (job.lab.rungs[0], job.rung)]
        return digest(file for file in beside if file.is_file())

    def _watch(self, files: Iterable[Path]) -> None:
        for file in files:
            self._stamps.setdefault(file, _stamp(file))


@functools.cache
def grader_digest() -> str:
    """A hash of the packages in DECIDING: another grader may judge otherwise."""
    return digest(file for name in DECIDING for file in sorted(PACKAGE.joinpath(name).glob("*.py")))


def content_key(parts: dict[str, str | bytes]) -> str:
    """A hash over named parts, unambiguous whatever they hold."""
    whole = hashlib.sha256()
    for name, part in sorted(parts.items()):
        data = part.encode() if isinstance(part, str) else part
        whole.update(f"{name} {len(data)} ".encode() + data)
    return whole.hexdigest()


def _stamp(file: Path) -> _Stamp:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
