# SPDX-License-Identifier: MIT
"""Which files of an archive to unpack, as a value that can be sent to another process."""

from dataclasses import dataclass

from lockstep_grader.intake.archives import stem
from lockstep_grader.intake.platforms import METADATA, names_at_students


@dataclass(frozen=True, slots=True)
class Names:
    """Rungs' files; of a class also its archives, its metadata, and files that a platform named."""

    files: tuple[str, ...]
    in_class: bool = False

    def __call__(self, name: str) -> bool:
        if name in self.files:
            return True
        if not self.in_class:
            return False
        if name == METADATA or stem(name) is not None:
            return True
        return any(rest in self.files for rest in names_at_students(name))
