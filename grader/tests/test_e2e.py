# SPDX-License-Identifier: MIT
"""Real rungs on the cpu backend: solutions, starters, and a hostile submission."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Backend
from lockstep_grader.toolchain.description import build_backend, workers_target
from test_grade import SCHEMA, without_times

from conftest import rungs, wait_for
from repository import REPOSITORY, sampled

pytestmark = pytest.mark.e2e

SCHEMAS = REPOSITORY / "grader" / "src" / "lockstep_grader" / "schemas"
LAB = "01-reduction"
INCLUDES = '#include "reduction.cuh"\n#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n'
BODY = """
namespace lab {{
void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                cudaStream_t stream) {{
  {body}
}}
}}  // namespace lab
"""


def lab(*arguments: str | Path, **more_env: str) -> subprocess.CompletedProcess[str]:
    moved = ("LOCKSTEP_ROOT", "LOCKSTEP_TOOLCHAIN")
    env = {key: value for key, value in os.environ.items() if key not in moved} | more_env
    return subprocess.run(
        [REPOSITORY / "lab", *arguments],
        env=env,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


_SHORT = 0.3  # so that what is endless here ends after 3 s instead of 10


def grade(path: Path, work: Path, *options: str, patience: float = 1) -> tuple[int, Any]:
    file = work / "out.json"
    temporary = work / "tmp"
    temporary.mkdir(exist_ok=True)
    target = ("--json", file, "--results", work / "r")
    env = {"TMPDIR": str(temporary), "LOCKSTEP_PATIENCE": str(patience)}
    ran = lab("grade", path, "--backend", "cpu", *target, *options, **env)
    assert file.exists(), ran.stderr
    report = json.loads(file.read_text())
    jsonschema.validate(report, SCHEMA)
    return ran.returncode, report


def changed(folder: Path, rung: str, right: str, wrong: str) -> int:
    """Hands in the solution of `rung` with one place changed. Returns the line of that place."""
    solution = (REPOSITORY / "solutions" / f"{rung}.cu").read_text()
    assert solution.count(right) == 1
    file = folder / f"{rung}.cu"
    file.parent.mkdir(exist_ok=True)
    file.write_text(solution.replace(right, wrong))
    return solution[: solution.index(right)].count("\n") + 1


def checked(folder: Path, rung: str, *options: str) -> Any:
    """What `check --json` says of the rung in `folder`."""
    ran = lab("check", rung, "--from", folder, "--json", *options, LOCKSTEP_NVCC="off")
    (result,) = json.loads(ran.stdout)["lab"]["rungs"]
    return result


def programs_under(folder: Path) -> list[str]:
    """Programs in `folder` that still run."""
    found = []
    for link in Path("/proc").glob("[0-9]*/exe"):
        try:
            program = str(link.readlink())
        except OSError:
            continue
        if program.startswith(str(folder)):
            found.append(program)
    return found


# Of one lab: lint proves the solutions and starters of all.
def test_the_solutions_get_full_marks(tmp_path: Path) -> None:
    status, report = grade(REPOSITORY / "solutions", tmp_path, "--lab", "00-threads")
    submission = report["submissions"][0]
    assert (status, submission["score"]) == (0, submission["max_score"])


def test_one_seed_gives_one_json_and_another_seed_the_same_score(tmp_path: Path) -> None:
    for rung in ("00-threads/03_thread_ids", "01-reduction/05_warp_shuffle"):
        file = tmp_path / "ann" / f"{rung}.cu"
        file.parent.mkdir(parents=True)
        shutil.copy(REPOSITORY / "solutions" / f"{rung}.cu", file)
    reports = []
    for index, seed in enumerate(("7", "7", "8")):
        work = tmp_path / str(index)
        work.mkdir()
        status, report = grade(tmp_path / "ann", work, "--seed", seed)
        assert status == 1
        reports.append(report)
    assert without_times(reports[0]) == without_times(reports[1])
    assert reports[2]["submissions"][0]["score"] == reports[0]["submissions"][0]["score"]


def test_a_hostile_submission_is_judged_rung_by_rung(tmp_path: Path) -> None:
    submission = tmp_path / "mallory" / LAB
    submission.mkdir(parents=True)
    shutil.copy(REPOSITORY / "solutions" / LAB / "07_operators.cu", submission)
    hostile = {
        "02_interleaved": "this does not compile;",
        "03_contiguous": "spin<<<1, 32, 0, stream>>>();",
        "05_warp_shuffle": "std::abort();",
        "06_single_pass": 'std::printf("[  PASSED  ] all\\n"); std::fflush(stdout); _exit(0);',
    }
    for rung, body in hostile.items():
        kernel = "__global__ void spin() { for (;;) __syncthreads(); }" if "spin" in body else ""
        (submission / f"{rung}.cu").write_text(INCLUDES + kernel + BODY.format(body=body))

    status, report = grade(tmp_path / "mallory", tmp_path, patience=_SHORT)

    judged = rungs(report)
    assert status == 1
    assert judged["07_operators"]["score"] == judged["07_operators"]["max_score"]
    causes = {
        rung: [finding["kind"] for finding in result["findings"]] for rung, result in judged.items()
    }
    for rung in ("01_global_atomic", *hostile):
        assert (judged[rung]["outcome"], judged[rung]["score"]) == ("failed", 0), causes
    assert causes["01_global_atomic"] == ["compile_error"]
    assert judged["02_interleaved"]["findings"][0]["line"] == 9
    endless = judged["03_contiguous"]["findings"][0]
    assert endless["kind"] == "timeout"
    if "on the clock" not in endless["message"]:  # a busy machine reaches this limit first
        assert endless["line"] == 5  # where `spin` is
        assert "after 2 s of processor time" in endless["message"]
    assert "crash" in causes["05_warp_shuffle"]
    assert causes["06_single_pass"]
    wait_for(lambda: programs_under(tmp_path) == [], seconds=5)
    assert list((tmp_path / "tmp").iterdir()) == []


def test_check_of_a_starter_says_what_to_do() -> None:
    ran = lab("check", f"{LAB}/01", "--backend", "cpu", "--from", REPOSITORY / "labs")
    assert ran.returncode == 1
    assert "not written yet: TODO" in ran.stdout
    assert "./lab hint 01-reduction/01_global_atomic" in ran.stdout


def test_a_crash_of_the_host_in_a_rung_names_its_line(tmp_path: Path) -> None:
    rung, right = "00-threads/02_grid_stride", "  scale_kernel<<<"
    wrong = "  volatile int* volatile nothing = nullptr; *nothing = num_items;" + right
    line = changed(tmp_path, rung, right, wrong)
    (finding,) = checked(tmp_path, rung)["findings"]
    assert (finding["kind"], finding["line"]) == ("crash", line)
    assert finding["message"] == "the host code dereferenced a null pointer"


def test_a_plain_read_that_guards_an_atomic_costs_no_points(tmp_path: Path) -> None:
    rung, right = f"{LAB}/01_global_atomic", "if (item < num_items) atomicAdd"
    guarded = "if (item < num_items && *d_out > -1e30f)\n    atomicAdd"
    line = changed(tmp_path, rung, right, guarded)
    result = checked(tmp_path, rung)
    (warning,) = result["warnings"]
    assert warning["line"] == line
    assert "cuda::atomic_ref" in warning["message"]
    assert result["findings"] == []
    assert result["parts"]["cleanliness"]["score"] == result["parts"]["cleanliness"]["max_score"]


@pytest.mark.parametrize("step", sampled(["factor * d_in[item]", "factor + d_in[item]"], 2))
def test_judges_that_share_tests_say_what_one_judge_says(step: str, tmp_path: Path) -> None:
    rung, right = "00-threads/02_grid_stride", "factor * d_in[item]"
    changed(tmp_path, rung, right, step)
    said = []
    for jobs in ("1", "3"):
        ran = lab("check", rung, "--from", tmp_path, "--seed", "7", "--jobs", jobs, "--json")
        (result,) = json.loads(ran.stdout)["lab"]["rungs"]
        tests = {}
        for test in result["tests"]:
            # A judge looks for a small size that fails only at its first failure.
            said_of = test["message"] if test["outcome"] != "failed" else ""
            tests[test["name"]] = (test["part"], test["outcome"], said_of, test["measures"])
        said.append((ran.returncode, result["score"], tests))
    assert said[0][0] == int(step != right)
    assert len(said[0][2]) > 3
    assert said[0] == said[1]


def test_a_cause_that_fits_small_cases_only_is_not_named(tmp_path: Path) -> None:
    # With two items, the count that the first thread writes is that of all items but the last.
    name = "03-compaction/01_map_scan_scatter"
    right = "if (i == num_items - 1) d_count[0] = d_places[i] + d_flags[i];"
    for wrong, is_named in (
        (right.replace(" + d_flags[i]", ""), True),
        (right.replace("num_items - 1", "0"), False),
    ):
        changed(tmp_path, name, right, wrong)
        result = checked(tmp_path, name, "--seed", "7")
        (cause, *_) = result["findings"]
        assert "d_count[0] = 2, got 1" in cause["message"]
        assert ("It looks as if the last item is not counted" in cause["message"]) is is_named
        assert is_named or "It looks as if" not in cause["message"]


def test_a_real_rung_is_profiled_line_by_line(tmp_path: Path) -> None:
    file, page = tmp_path / "profile.json", tmp_path / "page.html"
    where = ("--from", REPOSITORY / "solutions", "--json", file, "--html", page)
    ran = lab("profile", f"{LAB}/03_contiguous", *where)
    assert ran.returncode == 0, ran.stderr
    report = json.loads(file.read_text())
    schema = SCHEMAS / "profile.schema.json"
    jsonschema.validate(report, json.loads(schema.read_text()))
    (size,) = report["sizes"]
    assert size["measures"]["bank_conflicts"] == 0
    assert size["measures"]["launches"] == 2
    loads = [line for line in size["kernels"][0]["lines"] if line["counters"]["global_read_bytes"]]
    assert sum(line["counters"]["global_read_bytes"] for line in loads) == 4 * (65536 + 32)
    assert all(line["file"] == "03_contiguous.cu" and line["patterns"] for line in loads)
    assert "<svg" in page.read_text()


@pytest.mark.parametrize(
    ("device", "multiprocessors", "warps"), [("h200", 132, 64), ("t4", 40, 32)]
)
def test_a_timed_call_sees_the_multiprocessors_of_the_device(
    device: str, multiprocessors: int, warps: int, tmp_path: Path
) -> None:
    file = tmp_path / "profile.json"
    where = ("--from", REPOSITORY / "solutions", "--json", file)
    timed = ("--timed", "--device", device, "--size", str(1 << 20))
    ran = lab("profile", f"{LAB}/04_grid_stride", *where, *timed)
    assert ran.returncode == 0, ran.stderr
    (size,) = json.loads(file.read_text())["sizes"]
    grid, *_ = (shape["grid"] for shape in size["shapes"] if "grid_stride" in shape["kernel"])
    assert grid == [multiprocessors * warps // 8, 1, 1]  # as many blocks of 8 warps as it holds


def test_a_judge_for_a_checked_worker_measures_nothing_and_another_nothing_else() -> None:
    build = Path(os.environ.get("LOCKSTEP_BUILD") or REPOSITORY / "build")
    toolchain = json.loads((build / "cpu" / "lockstep.json").read_text())
    judge = toolchain["labs"][LAB]["judge"]
    argv = [judge, "--rung=05_warp_shuffle", "--worker=/bin/false", "--gtest_list_tests"]

    def listed(*options: str) -> set[str]:
        done = subprocess.run([*argv, *options], capture_output=True, text=True, check=True)
        return set(done.stdout.split())

    assert listed() - listed("--quick") == {"Measured.", "KeepsItsBudget"}
    assert {"AddsWithinOneBlock", "AddsManyItems"} < listed("--quick")  # with fewer items
    assert listed("--stage=measurements") == {"Measured.", "KeepsItsBudget"}


def test_ctests_workers_depend_on_the_headers_that_they_include() -> None:
    """Reads what Ninja reads. A changed header would disturb what other tests judge meanwhile."""
    workspace = Workspace.from_environment({**os.environ, "LOCKSTEP_ROOT": str(REPOSITORY)})
    target = workers_target("00-threads")
    build = build_backend(workspace, Backend.CPU, [target], 2).parent
    _, _, rule = (
        (build / "build.ninja")
        .read_text()
        .partition("build workers/threads_01_matrix_add_worker/worker")
    )
    found = re.search(r"^  depfile = (.+)$", rule.partition("\n\n")[0], re.MULTILINE)
    assert found
    _, _, headers = (build / found[1]).read_text().partition(":")
    known = {(build / name).resolve() for name in headers.replace("\\\n", " ").split()}
    assert REPOSITORY / "common" / "cuda" / "lab" / "launch.cuh" in known
