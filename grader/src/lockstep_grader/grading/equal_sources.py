# SPDX-License-Identifier: MIT
"""Rung files of equal content in one run: the first is judged, and the others get its judgement.

A class has many: untouched starters, and files that students share. To judge each of them
costs time, and under a secret seed equal files could get different verdicts.
"""

import threading
from dataclasses import dataclass, field
from enum import Enum, auto

from lockstep_grader.request.job import Job
from lockstep_grader.results.store import ResultId


class Turn(Enum):
    JUDGE = auto()  # the first of its content, or its content is not shared
    WAIT = auto()  # an equal file is being judged; `end` returns this job
    TAKE = auto()  # an equal file has been judged: `judged` names its result


@dataclass(slots=True)
class _Content:
    first: ResultId
    is_judged: bool = False
    is_shared: bool = True  # no more after a fault
    waiting: list[Job] = field(default_factory=list)


class EqualSources:
    """By key (key.Keys), what became of each content so far; safe to use from several threads."""

    def __init__(self) -> None:
        self._contents: dict[str, _Content] = {}
        self._lock = threading.Lock()

    def turn(self, key: str, result: ResultId, job: Job) -> Turn:
        """What to do with `job`, whose source was just read."""
        with self._lock:
            content = self._contents.setdefault(key, _Content(result))
            if content.first == result or not content.is_shared:
                return Turn.JUDGE
            if content.is_judged:
                return Turn.TAKE
            content.waiting.append(job)
            return Turn.WAIT

    def judged(self, key: str) -> ResultId:
        """The first result of this content."""
        return self._contents[key].first

    def end(self, key: str, result: ResultId, *, failed: bool) -> list[Job]:
        """The jobs that waited for `result`, which was judged, or `failed` because of the machine.

        After a failure each job is judged by itself, because the machine may work again.
        """
        with self._lock:
            content = self._contents[key]
            if content.first != result:
                return []
            content.is_judged, content.is_shared = not failed, not failed
            waiting, content.waiting = content.waiting, []
            return waiting
