# SPDX-License-Identifier: MIT
"""As many compilers at a time as the container's memory holds, and never more than its cores."""

from pathlib import Path

import pytest

from lockstep_grader.author.packages.autograde import COMPILE_BYTES, OWN_BYTES, jobs_that_fit

MEMINFO = "MemTotal:  99999999 kB\nMemAvailable:  {} kB\n"


def container(root: Path, **files: str) -> Path:
    names = {
        "v1": "sys/fs/cgroup/memory/memory.limit_in_bytes",
        "v2": "sys/fs/cgroup/memory.max",
        "free": "proc/meminfo",
    }
    for name, text in files.items():
        file = root / names[name]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


def test_gradescopes_default_container_builds_with_one_compiler(tmp_path: Path) -> None:
    assert jobs_that_fit(container(tmp_path, v2=f"{768 << 20}\n"), cores=64) == 1


@pytest.mark.parametrize(
    ("files", "jobs"),
    [
        ({"v1": str(OWN_BYTES + COMPILE_BYTES * 3)}, 3),
        ({"v1": str(2**63 - 4096), "v2": "max\n"}, 64),
        ({"v2": "1000\n"}, 1),
        ({"free": MEMINFO.format((OWN_BYTES + COMPILE_BYTES * 5) >> 10)}, 5),
        ({"v2": str(COMPILE_BYTES * 9), "free": MEMINFO.format(COMPILE_BYTES * 4 >> 10)}, 3),
        ({}, 64),
    ],
)
def test_the_smallest_limit_counts(tmp_path: Path, files: dict[str, str], jobs: int) -> None:
    assert jobs_that_fit(container(tmp_path, **files), cores=64) == jobs


def test_a_core_alone_builds_with_one_compiler(tmp_path: Path) -> None:
    assert jobs_that_fit(container(tmp_path, v2=str(1 << 40)), cores=1) == 1
