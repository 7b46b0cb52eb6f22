# SPDX-License-Identifier: MIT
"""What a stored result depends on: the files and values that its key is made of.

A result is used again as long as its key is the same. So the key contains everything that can
change a verdict, and nothing else. Points, gates, hints and titles are not: scoring and pages apply
them to
the stored judgement, each time. Of lab.toml, judging uses the ids of lab and rung, the lists
of headers, and the architectures.
"""

import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path

from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.job import Job
from lockstep_grader.judging.lab_confinement import LabConfinement
from lockstep_grader.judging.real_compiler import RealCompiler
from lockstep_grader.judging.sanitizer import Sanitizer
from lockstep_grader.machine.patience import patience
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Backend, Finding, Lab
from lockstep_grader.toolchain.description import Toolchain, digest

# The modules whose code decides a verdict. A test compares this list and the next one with what
# `judging.rung_judge` really imports.
DECIDES = (
    "confine.sandbox",
    "confine.seccomp",
    "intake.submission",
    "judging.beginners",
    "judging.braces",
    "judging.clang_log",
    "judging.compile",
    "judging.emulated",
    "judging.full_device",
    "judging.gtest",
    "judging.job",
    "judging.judge",
    "judging.key",
    "judging.lab_confinement",
    "judging.newer_gpus",
    "judging.nvcc_log",
    "judging.prelude",
    "judging.real_compiler",
    "judging.reference",
    "judging.rung_judge",
    "judging.sanitizer",
    "judging.sanitizer_log",
    "judging.semicolon",
    "judging.shared_limit",
    "judging.standing_judges",
    "judging.unlaunched",
    "machine.gpus",
    "machine.patience",
    "machine.process",
    "model.causes",
    "model.grades",
    "model.measures",
    "model.removed",
    "model.text",
    "rules.allowlist",
    "rules.elf",
    "rules.source",
    "rules.symbols",
    "rules.tokens",
    "toolchain.description",
    "toolchain.ptxas",
)
# `judging.rung_judge` imports these too, but the key already has what they find, as values: the
# headers of labs, and the versions of compute-sanitizer and nvcc.
DECIDES_NOTHING = (
    "intake.catalog",
    "intake.labfile",
    "intake.toml_lines",
    "machine.interrupts",
    "machine.progress",
    "machine.workspace",
    "model.compat",
    "model.errors",
    "model.quiz",  # a score of its own
    "toolchain.distributions",
    "toolchain.installers",
    "toolchain.nvcc",
    "toolchain.nvcc_packages",
    "toolchain.system",
)

PACKAGE = Path(__file__).parents[1]
_Stamp = tuple[int, int] | None  # time of the last change, and size


class Keys:
    """The keys of one session's results; safe to use from several threads."""

    def __init__(
        self,
        workspace: Workspace,
        toolchain: Toolchain,
        seed: int | None,
        sanitizer: Sanitizer | None,
        confinement: LabConfinement,
        real_compiler: RealCompiler | None = None,
        emulator: "Keys | None" = None,
    ) -> None:
        """`emulator`: of the judge that judges cleanliness on a GPU, too."""
        self._workspace, self._toolchain = workspace, toolchain
        self._seed, self._sanitizer, self._confinement = seed, sanitizer, confinement
        self._real_compiler, self._emulator = real_compiler, emulator
        self._stamps: dict[Path, _Stamp] = {}  # of the files that keys were made of
        self._lab_digests: dict[str, str] = {}

    def of(self, job: Job, source: Source | Finding) -> str:
        """A hash of everything that the job's judgement depends on."""
        self._watch(self._toolchain.files)
        return content_key(
            {
                "source": source.data if isinstance(source, Source) else repr(source),
                "lab": job.lab.id,
                "rung": job.rung.id,
                "lab files": self._lab_digest(job.lab),
                "headers": " ".join(job.lab.headers),
                "toolchain": self._toolchain.digest,
                "grader": grader_digest(),
                "seed": "secret" if self._seed is None else str(self._seed),
                "sanitizer": self._sanitizer.version if self._sanitizer else "",
                "nvcc": self._nvcc_words(job),
                "confinement": self._confinement.words(job.lab),
                "beside": self._beside_digest(job),
                "patience": str(patience()),
                "emulator": self._emulator.of(job, source) if self._emulator else "",
                "sought": " ".join(job.sought.arguments()),
            }
        )

    def changed(self) -> str:
        """A file that changed after its content went into a key; empty when there is none."""
        watched = list(self._stamps.items())
        return next((str(file) for file, stamp in watched if _stamp(file) != stamp), "")

    def _nvcc_words(self, job: Job) -> str:
        if self._real_compiler is None or job.phase is None:
            return ""
        return f"{self._real_compiler.words(job.rung.architectures)} {job.phase}"

    def _lab_digest(self, lab: Lab) -> str:
        """Of the lab's judge, with its data, its calls and its contract."""
        if lab.id not in self._lab_digests:
            tools = self._toolchain.lab(lab.id)
            files = [tools.judge, tools.calls, *sorted(tools.include.glob("*.cuh"))]
            self._watch(files)
            self._lab_digests[lab.id] = digest(files)
        return self._lab_digests[lab.id]

    def _beside_digest(self, job: Job) -> str:
        """Of the solutions that are timed with the submission: a ratio is of both."""
        if self._toolchain.backend is Backend.CPU:
            return ""
        folder = self._workspace.solutions / job.lab.id
        beside = [folder / rung.file_name for rung in (job.lab.rungs[0], job.rung)]
        return digest(file for file in beside if file.is_file())

    def _watch(self, files: Iterable[Path]) -> None:
        for file in files:
            self._stamps.setdefault(file, _stamp(file))


@functools.cache
def grader_digest() -> str:
    """Of the modules in DECIDES: another grader may judge otherwise."""
    return digest(PACKAGE.joinpath(*name.split(".")).with_suffix(".py") for name in DECIDES)


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
