# SPDX-License-Identifier: MIT
"""What `--slurm KEY=VALUE` may say: keys of ours, and any option of sbatch that is free."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from lockstep_grader.model.errors import InputError

_KEY = re.compile(r"[a-z][a-z0-9-]*")
_CLOCK = re.compile(r"(?:(\d+)-)?(\d+):(\d\d):(\d\d)")
# What the submission itself is made of.
_RESERVED: Final = frozenset(
    {"array", "chdir", "error", "help", "input", "job-name", "nodes", "ntasks", "ntasks-per-node"}
    | {"open-mode", "output", "parsable", "requeue", "no-requeue", "test-only", "usage", "wait"}
    | {"wrap"}
)
_GPU_KEYS: Final = frozenset({"gpus", "gpus-per-node", "gpus-per-task", "gres"})
_OWN_KEYS: Final = {"poll": "poll_seconds", "array-size": "array_size", "time": "minutes"} | {
    key: key for key in ("limit", "batch", "tries")
}


@dataclass(frozen=True, slots=True)
class SlurmOptions:
    limit: int = 64  # tasks in flight at once
    batch: int = 0  # rungs per task; 0: computed from their number
    tries: int = 3  # how often a rung is sent before it counts as not graded
    poll_seconds: int = 10  # between two questions to Slurm's controller
    array_size: int = 1000  # tasks in an array, at most; Slurm's own MaxArraySize is 1001
    minutes: int = 60  # the time limit of a task
    sbatch: Mapping[str, str] = field(default_factory=dict)  # further options, by long name

    def batch_for(self, num_jobs: int) -> int:
        """How many of `num_jobs` rungs go into one task, so that they fit in one array.

        Four rounds of tasks keep every slot busy to the end. A task of more than 16 rungs is so
        long that Slurm's time to start it does not matter.
        """
        size = self.batch or max(1, min(16, -(-num_jobs // (4 * self.limit))))
        return max(size, -(-num_jobs // self.array_size))

    def asks_for_gpus(self) -> bool:
        return not _GPU_KEYS.isdisjoint(self.sbatch)


def parse_slurm_options(pairs: Sequence[str]) -> SlurmOptions:
    """The options in `pairs`, each KEY=VALUE. Raises InputError naming the one that is wrong."""
    own: dict[str, Any] = {}
    sbatch: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        key = name.strip().removeprefix("--").replace("_", "-")
        if not equals or not value.strip() or not _KEY.fullmatch(key):
            raise InputError(f"--slurm {pair}: say KEY=VALUE, such as partition=gpu or limit=32")
        if key in _RESERVED:
            raise InputError(f"--slurm {pair}: {key} is set by the grader itself")
        if _OWN_KEYS.get(key) in own or key in sbatch:
            raise InputError(f"--slurm {pair}: {key} is given twice")
        if "\n" in value or "\r" in value:
            raise InputError(f"--slurm {key}: the value has more than one line")
        if key in _OWN_KEYS:
            own[_OWN_KEYS[key]] = (_minutes if key == "time" else _count)(pair, value.strip())
        else:
            sbatch[key] = value.strip()
    return SlurmOptions(**own, sbatch=sbatch)


def _count(pair: str, text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise InputError(f"--slurm {pair}: a whole number from 1 on is needed")
    return int(text)


def _minutes(pair: str, text: str) -> int:
    """Minutes, or Slurm's [DAYS-]HOURS:MINUTES:SECONDS, rounded up."""
    if clock := _CLOCK.fullmatch(text):
        days, hours, minutes, seconds = (int(part or 0) for part in clock.groups())
        total = (days * 24 + hours) * 60 + minutes + (seconds > 0)
    elif text.isascii() and text.isdigit():
        total = int(text)
    else:
        raise InputError(f"--slurm {pair}: time is in minutes, or HH:MM:SS, or D-HH:MM:SS")
    if total == 0:
        raise InputError(f"--slurm {pair}: a task needs at least a minute")
    return total
