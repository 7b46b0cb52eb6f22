# SPDX-License-Identifier: MIT
"""The parts of `--executor slurm` that need no cluster, and the message where there is none."""

from pathlib import Path

import pytest

from lockstep_grader.grading.slurm import SlurmOptions, job_name, parse_slurm_options
from lockstep_grader.model.errors import InputError
from lockstep_grader.results.folder import results_folder
from lockstep_grader.results.store import ResultId

from conftest import Checkout


@pytest.mark.parametrize(
    ("pair", "complaint"),
    [
        ("partition", "say KEY=VALUE"),
        ("=gpu", "say KEY=VALUE"),
        ("partition=", "say KEY=VALUE"),
        ("Part ition=gpu", "say KEY=VALUE"),
        ("limit=0", "a whole number from 1 on is needed"),
        ("tries=many", "a whole number from 1 on is needed"),
        ("array=0-3", "array is set by the grader itself"),
        ("comment=a\n#SBATCH --wrap=rm", "more than one line"),
    ],
)
def test_a_slurm_option_that_makes_no_sense_is_refused(pair: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        parse_slurm_options([pair])


def test_an_option_given_twice_is_refused() -> None:
    with pytest.raises(InputError, match="time is given twice"):
        parse_slurm_options(["time=5", "--time=6"])


def test_our_own_options_and_those_of_sbatch_are_told_apart() -> None:
    options = parse_slurm_options(
        ["limit=8", "array_size=9", "time=1-02:30:01", "--mem=8G", "cpus_per_task=4"]
    )
    assert (options.limit, options.array_size) == (8, 9)
    assert options.sbatch == {"time": "1-02:30:01", "mem": "8G", "cpus-per-task": "4"}


@pytest.mark.parametrize(
    ("jobs", "limit", "batch"), [(1, 64, 1), (256, 64, 1), (257, 64, 2), (9999, 64, 16), (9, 1, 3)]
)
def test_tasks_are_long_enough_yet_all_places_stay_busy(jobs: int, limit: int, batch: int) -> None:
    assert SlurmOptions(limit=limit).batch_for(jobs) == batch
    assert SlurmOptions(limit=limit, batch=5).batch_for(jobs) == max(5, -(-jobs // 1000))
    assert SlurmOptions(limit=limit, array_size=9).batch_for(jobs) >= jobs / 9


def test_the_name_of_a_job_tells_results_and_contents_apart() -> None:
    ids = [ResultId("a", "b/c", "d"), ResultId("a/b", "c", "d"), ResultId("a", "b", "c/d")]
    assert len({job_name(each, key, at) for each in ids for key in "ab" for at in (0, 1)}) == 12


def test_without_slurm_there_is_one_line_and_exit_3(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    said = checkout.refusal("grade", checkout.root / "solutions", "--executor", "slurm", status=3)
    assert "no Slurm here: sbatch is not on PATH" in said


def test_slurm_without_a_cluster_says_where_to_run(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its commands may be installed where no controller answers."""
    for program in ("sbatch", "squeue", "scancel", "srun"):
        script = checkout.write(
            f"bin/{program}", "#!/bin/sh\necho error: Unknown host >&2; exit 1\n"
        )
        script.chmod(0o755)
    monkeypatch.setenv("PATH", str(checkout.root / "bin"))
    said = checkout.refusal("grade", checkout.root / "solutions", "--executor", "slurm", status=3)
    assert "no Slurm cluster answers here: squeue failed: Unknown host; run this on" in said


def test_slurm_options_without_slurm_are_a_mistake(checkout: Checkout) -> None:
    said = checkout.refusal("grade", checkout.root / "solutions", "--slurm", "limit=3")
    assert "--slurm goes with --executor slurm" in said


def test_a_new_run_leaves_alone_what_nodes_are_writing(tmp_path: Path) -> None:
    halves = [tmp_path / folder / ".a.json.12-34" for folder in (".slurm", "ann/01-demo")]
    for half in halves:
        half.parent.mkdir(parents=True)
        half.touch()
    with results_folder(tmp_path, lambda line: None):
        assert [half.exists() for half in halves] == [True, False]
