# SPDX-License-Identifier: MIT
"""Judgements kept by the content that they depend on, so that a proof is made once.

For fixed seeds only: a judgement under a secret seed is one sample of many.
"""

import contextlib
import json
from pathlib import Path

from lockstep_grader.intake.submission import Source
from lockstep_grader.machine.files import write_json
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Finding, Judgement
from lockstep_grader.results.parsed import judgement_from_json
from lockstep_grader.results.serial import judgement_json
from lockstep_grader.results.store import ResultId


class KeptJudgements:
    """One file for each key (key.Keys); safe to use from several threads and processes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, result: ResultId, key: str) -> Judgement | None:
        """The judgement of this content; None where there is none, or a damaged one."""
        del result  # the same content gets the same judgement, from any student
        with contextlib.suppress(OSError, ValueError):
            judgement = judgement_from_json(json.loads(self._file(key).read_bytes()))
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
                write_json(self._file(key), judgement_json(judgement))
        return judgement

    def _file(self, key: str) -> Path:
        return self._folder / f"{key}.json"
