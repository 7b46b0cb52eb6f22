# SPDX-License-Identifier: MIT
"""Sends rungs out: in tasks of several, tasks in arrays, never more in flight than allowed."""

import uuid
from collections.abc import Mapping

from lockstep_grader.grading.slurm.cluster import Cluster
from lockstep_grader.grading.slurm.options import SlurmOptions
from lockstep_grader.grading.slurm.spool import Array, Settings, Spool, TaskJob
from lockstep_grader.grading.slurm.tracker import Tracker
from lockstep_grader.model.errors import FaultError


class Submitter:
    def __init__(
        self,
        options: SlurmOptions,
        cluster: Cluster,
        spool: Spool,
        settings: Settings,
        tracker: Tracker,
    ) -> None:
        self._options, self._cluster, self._spool = options, cluster, spool
        self._settings, self._tracker = settings, tracker
        self._alone: set[str] = set()
        self.ready: list[str] = []  # names of jobs, in the order of sending

    def again(self, name: str) -> None:
        """The job was sent before, without a result: it goes once more, in its own task."""
        self._alone.add(name)
        self.ready.append(name)

    def send(self, jobs: Mapping[str, TaskJob]) -> None:
        """Sends what is ready as far as there is room. Raises FaultError when Slurm refuses."""
        room = self._options.limit - self._tracker.in_flight()
        if not self.ready or room <= 0:
            return
        tasks = self._tasks()[: self._options.array_size]
        sent = {name for task in tasks for name in task}
        self.ready = [name for name in self.ready if name not in sent]
        array = Array(f"lockstep-{uuid.uuid4().hex[:12]}", "", tuple(tasks), min(room, len(tasks)))
        # Written before Slurm hears of it: a run that is killed in between finds its array by name.
        self._spool.put_array(array)
        self._tracker.add(array)
        files = [
            self._spool.put_task(array.name, index, self._settings, [jobs[name] for name in task])
            for index, task in enumerate(tasks)
        ]
        folder = self._spool.array_folder(array.name)
        try:
            job_id = self._cluster.submit(array.name, folder, files, array.parallelism)
        except FaultError:
            self._tracker.forget(array)
            self._spool.drop_array(array.name)
            raise
        array = Array(array.name, job_id, array.tasks, array.parallelism)
        self._spool.put_array(array)
        self._tracker.add(array)

    def _tasks(self) -> list[tuple[str, ...]]:
        alone = [(name,) for name in self.ready if name in self._alone]
        others = [name for name in self.ready if name not in self._alone]
        size = self._options.batch_for(len(others))
        batches = [tuple(others[at : at + size]) for at in range(0, len(others), size)]
        return [*batches, *alone]
