# SPDX-License-Identifier: MIT
"""Which task has which rung, and which tasks are not over yet; no Slurm and no files here."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lockstep_grader.grading.slurm.spool import Array

TaskId = tuple[str, int]  # the name of an array, and the index in it

# What squeue calls a task that will not run any more; one that it does not list is over, too.
_OVER = frozenset(
    {"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY"}
    | {"PREEMPTED", "REVOKED", "TIMEOUT"}
)


@dataclass(frozen=True, slots=True)
class Ended:
    """A task that is over, and the jobs that it had."""

    array: str
    job_id: str  # as Slurm shows it
    state: str  # empty when Slurm has forgotten it
    names: tuple[str, ...]


class Tracker:
    def __init__(self) -> None:
        self._arrays: dict[str, Array] = {}
        self._open: dict[TaskId, float] = {}  # since when it looks over; 0: it does not
        self._holder: dict[str, TaskId] = {}  # of each job, the task that has it

    @property
    def arrays(self) -> tuple[str, ...]:
        """The arrays with tasks that are not over."""
        return tuple({name: None for name, _ in self._open})

    def holds(self, name: str) -> bool:
        return name in self._holder

    def add(self, array: Array, indices: Iterable[int] | None = None) -> None:
        """Follows the tasks of `array`, or those at `indices`."""
        self._arrays[array.name] = array
        for index in range(len(array.tasks)) if indices is None else indices:
            self._open[array.name, index] = 0
            for name in array.tasks[index]:
                self._holder.setdefault(name, (array.name, index))

    def forget(self, array: Array) -> None:
        """Slurm did not accept the array."""
        for index, names in enumerate(array.tasks):
            self._open.pop((array.name, index), None)
            for name in names:
                self.release(name)

    def release(self, name: str) -> None:
        """The job has its outcome: the end of its task is not news about it."""
        self._holder.pop(name, None)

    def in_flight(self) -> int:
        """The largest number of tasks that Slurm may be running for us."""
        tasks = Counter(name for name, _ in self._open)
        return sum(min(count, self._arrays[name].parallelism) for name, count in tasks.items())

    def update(
        self, states: Mapping[TaskId, str], now: float, settle_seconds: float
    ) -> tuple[Ended, ...]:
        """Closes the tasks that are over; returns those that still held jobs.

        A task that ended well has written its outcomes: what is not seen yet is given
        `settle_seconds` to come through the network file system.
        """
        ended = []
        for task in tuple(self._open):
            state = states.get(task, "")
            if not is_over(state):
                self._open[task] = 0
                continue
            name, index = task
            array = self._arrays[name]
            held = tuple(job for job in array.tasks[index] if self._holder.get(job) == task)
            if held and state in ("", "COMPLETED"):
                self._open[task] = since = self._open[task] or now
                if now - since < settle_seconds:
                    continue
            del self._open[task]
            for job in held:
                self.release(job)
            if held:
                shown = f"{array.job_id}_{index}" if len(array.tasks) > 1 else array.job_id
                ended.append(Ended(name, shown, state, held))
        return tuple(ended)


def is_over(state: str) -> bool:
    return not state or state in _OVER
