# SPDX-License-Identifier: MIT
"""Results as files, one per (submission, lab, rung), so that a killed run resumes where it stopped.

A file holds the key of all that its judgement depended on; another key means judging again. The
file that was there moves to attempts/RUNG/NUMBER first. Faults are never stored: they are tried
again and overwrite no earlier result.
"""

import contextlib
import os
import shutil
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from lockstep_grader.intake.submission import Source
from lockstep_grader.machine.files import read_json, write_json, write_whole
from lockstep_grader.model.compat import UTC
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Finding, Judgement, TestResult
from lockstep_grader.results.serial import as_json

_VERSION = 2


@dataclass(frozen=True, slots=True)
class ResultId:
    submission: str
    lab: str
    rung: str

    def __str__(self) -> str:
        return f"{self.submission}/{self.lab}/{self.rung}"


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a result's file says."""

    key: str
    attempt: int
    judgement: Judgement


class Store:
    """The files of one results folder; safe to use from several threads."""

    def __init__(
        self,
        folder: Path,
        again: Mapping[str, int] | None = None,
        handed_in: Mapping[str, str] | None = None,
    ) -> None:
        """`again` names attempts, by result, that may not stand in for judging any more.

        `handed_in` has the times that platforms know, by submission.
        """
        self.folder = folder
        self.reused = 0  # judgements that were there already
        self.shared = 0  # judgements taken from an equal file of this run
        self.standing: dict[ResultId, str] = {}  # judged again, no result: an earlier counts
        self._again = dict(again or {})
        self._handed_in = dict(handed_in or {})
        self._lock = threading.Lock()

    def is_again(self, result: ResultId) -> bool:
        """Whether a judgement on file must be made a second time."""
        return str(result) in self._again

    def find(self, result: ResultId, key: str) -> Judgement | None:
        """The judgement of exactly this content, if there is a whole one that may be reused."""
        kept = self._kept(result)
        if kept is None or kept.key != key or self._again.get(str(result), 0) >= kept.attempt:
            return None
        folder = self._folder(result)
        if not all((folder / image.file).is_file() for image in kept.judgement.images):
            return None
        with self._lock:
            self.reused += 1
        return kept.judgement

    def settle(
        self, result: ResultId, key: str, source: Source | Finding, judgement: Judgement
    ) -> Judgement:
        """Keeps a new judgement; returns the one that counts.

        That is the new one, except after a fault: then an earlier one of the same content counts.
        """
        kept = self._kept(result)
        if not judgement.fault:
            self._keep(result, key, source, judgement, kept)
            return judgement
        if kept is None or kept.key != key:
            return judgement
        with self._lock:
            self.standing[result] = judgement.fault
        return kept.judgement

    def share(
        self, judged: ResultId, result: ResultId, key: str, source: Source
    ) -> Judgement | None:
        """Gives `result` the judgement of `judged`, an equal file; None where that is not whole."""
        kept = self._kept(judged)
        if kept is None or kept.key != key:
            return None
        try:
            judgement = with_pictures(kept.judgement, self._folder(judged))
        except OSError:
            return None
        with self._lock:
            self.shared += 1
        return self.settle(result, key, source, judgement)

    def load(self, result: ResultId) -> Judgement:
        """The judgement on file, whatever its content. Raises FaultError when there is none."""
        kept = self._kept(result)
        if kept is None:
            raise FaultError(f"{self._file(result)} has gone or was damaged; grade again")
        return kept.judgement

    def attempt(self, result: ResultId) -> int:
        """The number of the judgement on file; 0: there is none."""
        kept = self._kept(result)
        return kept.attempt if kept else 0

    def key(self, result: ResultId) -> str:
        """What the judgement on file depended on; empty: there is none."""
        kept = self._kept(result)
        return kept.key if kept else ""

    def _keep(
        self,
        result: ResultId,
        key: str,
        source: Source | Finding,
        judgement: Judgement,
        earlier: _Kept | None,
    ) -> None:
        if earlier:
            self._put_by(result, earlier)
        value = {
            "version": _VERSION,
            "key": key,
            "attempt": self._last_attempt(result) + 1,
            "submission": result.submission,
            "lab": result.lab,
            "rung": result.rung,
            "at": self._handed_in.get(result.submission) or _now(),
            "judgement": as_json(judgement),
        }
        # The JSON file comes last: it names the others, and a run killed before begins anew.
        keep_images(self._folder(result), judgement)
        source_file = self._file(result).with_suffix(".cu")
        if isinstance(source, Source):
            write_whole(source_file, source.data)
        else:
            source_file.unlink(missing_ok=True)
        write_json(self._file(result), value)

    def _put_by(self, result: ResultId, earlier: _Kept) -> None:
        """Copies the result on file to its place among the attempts, once."""
        target = self._attempts(result) / f"{earlier.attempt:04}"
        if target.exists():
            return
        folder, file = self._folder(result), self._file(result)
        scratch = target.with_name(f".{target.name}.{os.getpid()}-{threading.get_ident()}")
        names = [file.name, f"{result.rung}.cu", *(i.file for i in earlier.judgement.images)]
        try:
            scratch.mkdir(parents=True, exist_ok=True)
            for name in names:
                if (folder / name).is_file():
                    shutil.copyfile(folder / name, scratch / name)
            scratch.rename(target)
        except OSError as error:
            shutil.rmtree(scratch, ignore_errors=True)
            raise FaultError(f"cannot write {target}: {error.strerror}") from error

    def _last_attempt(self, result: ResultId) -> int:
        folder = self._attempts(result)
        numbers = [int(entry.name) for entry in folder.glob("[0-9]*") if entry.name.isdigit()]
        return max(numbers, default=0)

    def _kept(self, result: ResultId) -> _Kept | None:
        """None when the file is absent, damaged or of another version: judge again."""
        from lockstep_grader.results.schema import StoredResult, made  # takes pydantic

        try:
            stored = StoredResult.model_validate(read_json(self._file(result)))
        except (OSError, ValueError):
            return None
        return _Kept(stored.key, stored.attempt, made(Judgement, stored.judgement))

    def _folder(self, result: ResultId) -> Path:
        return self.folder / result.submission / result.lab

    def _file(self, result: ResultId) -> Path:
        return self._folder(result) / f"{result.rung}.json"

    def _attempts(self, result: ResultId) -> Path:
        return self._folder(result) / "attempts" / result.rung


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def keep_images(folder: Path, judgement: Judgement) -> list[Path]:
    """Writes the pictures that the tests made; returns where they are."""
    for image in judgement.images:
        if image.png:
            write_whole(folder / image.file, image.png)
    return [folder / image.file for image in judgement.images]


def with_pictures(judgement: Judgement, folder: Path) -> Judgement:
    """`judgement` with its pictures, which `keep_images` wrote into `folder`. Raises OSError."""

    def loaded(test: TestResult) -> TestResult:
        images = (replace(image, png=(folder / image.file).read_bytes()) for image in test.images)
        return replace(test, images=tuple(images))

    return replace(judgement, tests=tuple(map(loaded, judgement.tests)))


class KeptJudgements:
    """Judgements kept by the content that they depend on, so that a proof is made once.

    One file for each key (key.Keys); safe to use from several threads and processes. For fixed
    seeds only: a judgement under a secret seed is one sample of many.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, result: ResultId, key: str) -> Judgement | None:
        """The judgement of this content; None where there is none, or a damaged one."""
        from lockstep_grader.results.schema import judgement_from_json  # takes pydantic

        del result  # the same content gets the same judgement, from any student
        with contextlib.suppress(OSError, ValueError):
            judgement = judgement_from_json(read_json(self._file(key)))
            self._file(key).touch()  # see workspace.forget_unused
            return judgement
        return None

    def settle(
        self, result: ResultId, key: str, source: Source | Finding, judgement: Judgement
    ) -> Judgement:
        """Keeps `judgement`, unless it is a fault or there is no room, and returns it."""
        del result, source
        if not judgement.fault:
            with contextlib.suppress(FaultError):  # then the proof is made again next time
                write_json(self._file(key), as_json(judgement))
        return judgement

    def _file(self, key: str) -> Path:
        return self._folder / f"{key}.json"
