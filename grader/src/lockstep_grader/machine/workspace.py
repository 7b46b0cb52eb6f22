# SPDX-License-Identifier: MIT
"""Where things are: the repository's folders, each overridable for tests and clusters."""

import contextlib
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.model.grades import Backend

MANIFEST = "release.json"  # at the root of a students' copy
LAST_HINT_WAITS = "last_hint_waits"  # a key of it: for a check that failed


@dataclass(frozen=True, slots=True)
class Workspace:
    root: Path
    build_root: Path
    toolchain_file: Path | None = None  # a ready lockstep.json: nothing is built then

    @classmethod
    def from_environment(cls, env: Mapping[str, str] = os.environ) -> "Workspace":
        """LOCKSTEP_ROOT, LOCKSTEP_BUILD and LOCKSTEP_TOOLCHAIN move the parts."""
        root = Path(env.get("LOCKSTEP_ROOT") or Path(__file__).parents[4]).resolve()
        build = Path(env.get("LOCKSTEP_BUILD") or root / "build").absolute()
        toolchain = env.get("LOCKSTEP_TOOLCHAIN")
        ready = Path(toolchain).absolute() if toolchain else None
        return cls(root, build, ready)

    @property
    def labs(self) -> Path:
        return self.root / "labs"

    @property
    def solutions(self) -> Path:
        return self.root / "solutions"

    @property
    def results(self) -> Path:
        return self.root / "results"

    @property
    def state(self) -> Path:
        """What this checkout remembers about its user: progress and revealed hints."""
        return self.root / ".lockstep"

    @property
    def is_students_copy(self) -> bool:
        return (self.root / MANIFEST).is_file()

    def build(self, backend: Backend) -> Path:
        return self.build_root / backend

    def shown(self, path: Path) -> str:
        """`path` as the user would type it: relative to the repository when inside."""
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)


def cache_folder() -> Path:
    """What all checkouts of this user share, by content: it may be deleted at any time."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lockstep"


def forget_unused(folder: Path, days: int = 30) -> None:
    """Deletes the files of a folder of the cache that were neither written nor used for so long.

    What uses a file says so by `touch`.
    """
    oldest = time.time() - days * 24 * 60 * 60
    with contextlib.suppress(OSError):  # another process may delete it first
        for file in folder.iterdir():
            if file.stat().st_mtime < oldest:
                file.unlink()
