# SPDX-License-Identifier: MIT
"""`grade --executor slurm` on a real Slurm, which these tests start and stop themselves."""

import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from slurm_cluster import NODES, SlurmCluster, remove, why_not
from test_grade import without_times

from conftest import LAB, SOLUTION, STARTER, Checkout, is_gone, rungs, verdict_line, wait_for

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(bool(why_not()), reason=f"no Slurm here: {why_not()}"),
]

PICTURE = '//! {"images": [{"label": "result", "file": "01_first.result.png"}]}\n'
PATIENCE = 120  # seconds, after which something is broken


@pytest.fixture(scope="module")
def running_cluster() -> Iterator[SlurmCluster]:
    folder = Path(tempfile.mkdtemp(prefix="lockstep-slurm-"))
    cluster = SlurmCluster(folder)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
        remove(folder)


@pytest.fixture
def cluster(
    running_cluster: SlurmCluster, checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> SlurmCluster:
    monkeypatch.setenv("SLURM_CONF", str(running_cluster.conf))
    (checkout.work / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(checkout.work / "tmp"))  # for what killed tasks leave
    return running_cluster


def slurm(*pairs: str) -> list[str]:
    options = [f"--slurm={pair}" for pair in ("poll=1", *pairs)]
    return ["--executor", "slurm", "--results", "kept", "--seed", "7", *options]


def events(checkout: Checkout) -> list[tuple[str, int]]:
    """What the judges noted: when each began and ended, by its process."""
    log = checkout.work / "judge.log"
    words = [line.split() for line in log.read_text().splitlines()] if log.exists() else []
    return [(word[0], int(word[1])) for word in words]


def count(checkout: Checkout, event: str) -> int:
    return sum(what == event for what, _ in events(checkout))


def most_at_once(checkout: Checkout) -> int:
    running = most = 0
    for what, _ in events(checkout):
        running += 1 if what == "begin" else -1
        most = max(most, running)
    return most


def wait_beside(running: subprocess.Popen[str], condition: Callable[[], bool]) -> None:
    """Waits for `condition` as long as the grader is there to bring it about."""
    wait_for(lambda: condition() or running.poll() is not None, PATIENCE)
    assert running.poll() is None, running.communicate()


def make_class(checkout: Checkout, directive: str = "") -> Path:
    """Four submissions, eight different rungs, one of them missing."""
    slow = f"//! {directive}\n" if directive else ""
    half = verdict_line() + verdict_line(outcome="failed", message="no")
    checkout.submission("class/ann", {"01_first": slow + PICTURE, "02_second": f"// ann\n{slow}"})
    checkout.submission("class/bob", {"01_first": slow + STARTER, "02_second": slow + half})
    checkout.submission("class/cy", {"01_first": "SYNTAX", "02_second": f"// cy\n{slow}"})
    checkout.submission("class/dee", {"02_second": f"// dee\n{slow}"})
    (checkout.root / "class" / "dee" / LAB / "01_first.cu").unlink()
    return checkout.root / "class"


def test_scores_are_those_of_the_local_pool_and_no_more_tasks_run_than_allowed(
    checkout: Checkout, cluster: SlurmCluster
) -> None:
    folder = make_class(checkout, "sleep 0.4")
    _, local = checkout.grade(folder, "--results", "local", "--seed", "7")
    (checkout.work / "judge.log").unlink()
    ran, through_slurm = checkout.grade(folder, *slurm("limit=2", "batch=2"))
    assert ran.status == 1, ran.err
    assert without_times(through_slurm) == without_times(local)
    assert count(checkout, "begin") == 6  # one rung does not compile, one is missing
    assert most_at_once(checkout) <= 2
    kept = checkout.work / "kept"
    assert (kept / "ann" / LAB / "01_first.result.png").read_bytes() == b"a picture"
    checkout.grade(folder, *slurm())
    assert count(checkout, "begin") == 6
    assert not [file for file in (kept / ".slurm").rglob("*") if file.is_file()]


def test_equal_files_are_sent_once_and_each_for_itself_after_a_fault(
    checkout: Checkout, cluster: SlurmCluster
) -> None:
    for name in ("ann", "bob", "cy"):
        checkout.submission(f"class/{name}", {"01_first": PICTURE, "02_second": "//! segfault\n"})
    ran, report = checkout.grade(checkout.root / "class", *slurm("tries=1"))
    assert ran.status == 3
    assert count(checkout, "begin") == 1 + 3
    for number, name in enumerate(("ann", "bob", "cy")):
        assert rungs(report, number)["01_first"]["score"] == 4
        picture = checkout.work / "kept" / name / LAB / "01_first.result.png"
        assert picture.read_bytes() == b"a picture"
        assert rungs(report, number)["02_second"]["outcome"] == "error"


def test_a_killed_submitter_goes_on_with_what_is_queued_and_grades_nothing_twice(
    checkout: Checkout, cluster: SlurmCluster
) -> None:
    go = checkout.work / "go"
    folder = make_class(checkout, f"await {go}")
    running = checkout.start("grade", folder, *slurm("limit=2", "batch=1"))
    wait_beside(running, lambda: count(checkout, "begin") == 2)
    running.kill()
    running.communicate()
    assert len(cluster.queue()) > 2
    go.touch()
    ran, report = checkout.grade(folder, *slurm("limit=2"))
    assert "in Slurm's queue from an earlier run" in " ".join(ran.err.split())
    assert count(checkout, "begin") == count(checkout, "end") == 6
    assert most_at_once(checkout) <= 2
    scores = [submission["score"] for submission in report["submissions"]]
    assert scores == [10, 2, 6, 6]


def test_what_a_failed_node_had_is_graded_on_another(
    checkout: Checkout, cluster: SlurmCluster
) -> None:
    go = checkout.work / "go"
    folder = make_class(checkout, f"await {go}")
    running = checkout.start("grade", folder, *slurm("limit=8", "batch=1"))
    try:
        wait_beside(running, lambda: count(checkout, "begin") == 6)
        on_the_node = cluster.queue("%N").count("n1")
        assert 0 < on_the_node < 7
        cluster.fail_node("n1")
        go.touch()
        out, err = running.communicate(timeout=PATIENCE)
    finally:
        running.kill()
        cluster.repair_node("n1")
    assert running.returncode == 1, out + err
    assert count(checkout, "end") == 6
    assert count(checkout, "begin") > 6
    _, report = checkout.grade(folder, "--results", "kept", "--seed", "7")
    assert [submission["score"] for submission in report["submissions"]] == [10, 2, 6, 6]


def test_a_rung_whose_task_dies_each_time_is_an_error_and_takes_no_other_along(
    checkout: Checkout, cluster: SlurmCluster
) -> None:
    folder = checkout.submission("ann", {"01_first": "//! end the grader\n"})
    ran, report = checkout.grade(folder, *slurm("tries=2", "batch=2"))
    first, second = rungs(report).values()
    assert (first["outcome"], first["score"]) == ("error", None)
    assert "ended without a result: FAILED; tried 2 times" in first["fault"]
    assert (second["outcome"], second["score"]) == ("passed", 6)
    assert ran.status == 3


def test_an_interrupted_submitter_cancels_its_jobs(
    checkout: Checkout, cluster: SlurmCluster
) -> None:
    folder = make_class(checkout, "sleep 60")
    running = checkout.start("grade", folder, *slurm("limit=2", "batch=1"))
    wait_beside(running, lambda: count(checkout, "begin") == 2)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130, out + err
    assert "interrupted after" in err
    assert "Traceback" not in out + err
    wait_for(lambda: not cluster.queue(), PATIENCE)
    assert all(is_gone(pid) for _, pid in events(checkout))


def test_a_gpu_is_asked_for_and_measures_one_rung_at_a_time(
    checkout: Checkout, cluster: SlurmCluster
) -> None:
    checkout.write_toolchain(backend="cuda", anchors=str(checkout.write("anchors", "fast")))
    for name in ("ann", "bob"):
        slow = f"// {name}\n//! sleep 0.4\n{SOLUTION}"
        checkout.submission(f"class/{name}", {"01_first": slow, "02_second": slow})
    ran, _ = checkout.grade(checkout.root / "class", *slurm("limit=4", "batch=1"))
    assert ran.status == 0, ran.err
    assert [what for what, _ in events(checkout)] == ["begin", "end"] * 4
    assert NODES[1] in cluster.run("sinfo", "--noheader", "--Node", "--format=%N %G")


def test_what_slurm_refuses_is_one_line(checkout: Checkout, cluster: SlurmCluster) -> None:
    assert "invalid partition specified: moon" in checkout.refusal(
        "grade", checkout.submission("ann", {}), *slurm("partition=moon"), status=3
    )
