# SPDX-License-Identifier: MIT
"""Results as files, one a (submission, lab, rung), so that a killed run resumes where it stopped.

A file holds the key of all that its judgement depended on; another key means judging again.
Faults are never stored: they are tried again and overwrite no earlier result.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.files import write_json, write_whole
from lockstep_grader.model import Judgement
from lockstep_grader.serial import judgement_from_json, judgement_json

_VERSION = 1


@dataclass(frozen=True, slots=True)
class ResultId:
    submission: str
    lab: str
    rung: str


@dataclass(frozen=True, slots=True)
class Store:
    folder: Path
    reuse: bool  # whether earlier results may stand in for judging

    def find(self, result: ResultId, key: str) -> Judgement | None:
        """The stored judgement of exactly this content, if there is a whole one."""
        if not self.reuse:
            return None
        try:
            data = json.loads(self._file(result).read_bytes())
            if data["version"] != _VERSION or data["key"] != key:
                return None
            judgement = judgement_from_json(data["judgement"])
            folder = self._file(result).parent
            return judgement if all((folder / i.file).is_file() for i in judgement.images) else None
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None  # absent or damaged: judge again

    def keep(self, result: ResultId, key: str, judgement: Judgement) -> None:
        if judgement.fault:
            return
        value = {
            "version": _VERSION,
            "key": key,
            "submission": result.submission,
            "lab": result.lab,
            "rung": result.rung,
            "judgement": judgement_json(judgement),
        }
        keep_images(self._file(result).parent, judgement)  # first: the JSON file names them
        write_json(self._file(result), value)

    def _file(self, result: ResultId) -> Path:
        return self.folder / result.submission / result.lab / f"{result.rung}.json"


def keep_images(folder: Path, judgement: Judgement) -> list[Path]:
    """Writes the pictures that the tests made; returns where they are."""
    for image in judgement.images:
        if image.png:
            write_whole(folder / image.file, image.png)
    return [folder / image.file for image in judgement.images]


def content_key(parts: dict[str, str | bytes]) -> str:
    """A hash over named parts, unambiguous whatever they hold."""
    whole = hashlib.sha256()
    for name, part in sorted(parts.items()):
        data = part.encode() if isinstance(part, str) else part
        whole.update(f"{name} {len(data)} ".encode() + data)
    return whole.hexdigest()
