# SPDX-License-Identifier: MIT
"""`check`, `hint`, `list`, `submit`, `watch`, `bench`: what a student sees."""

import gzip
import json
import os
import select
import shutil
import tempfile
import threading
import time
import zipfile
from pathlib import Path
from typing import IO

import pytest

from lockstep_grader.machine.console import make_console
from lockstep_grader.student.check import watch

from conftest import LAB, SOLUTION, Checkout, verdict_line, wait_for
from handed_in import GOOD, tar_bytes, zip_bytes
from profiles import profiled_source, timed_profile

RACY = (
    "// a kernel\nint a;\n\tint b = a;  // line 3\nint c;\nint d;\nint e;\n"
    + verdict_line(
        outcome="failed",
        message="asked for 6, got 4",
        output="debug print",
        findings=[{"kind": "race", "file": "01_first.cu", "line": 3, "message": "a is racy"}],
    )
    + "".join(verdict_line(outcome="failed", message=f"wrong {index}") for index in range(5))
)


def test_check_of_a_starter_is_friendly_and_exits_1(checkout: Checkout) -> None:
    ran = checkout.lab("check", LAB)
    assert ran.status == 1
    assert ran.out.count("not written yet: TODO: sum up") == 2
    assert "./lab hint 01-demo/01_first" in ran.out
    assert "failed" not in ran.out


def test_check_judges_what_is_written_of_a_rung_with_a_todo(checkout: Checkout) -> None:
    todo = [{"kind": "todo", "message": "TODO: the second function"}]
    wrong = [{"kind": "wrong_result", "message": "asked for 6, got 4"}]
    checkout.submission(
        "labs",
        {
            "01_first": verdict_line(outcome="passed")
            + verdict_line(outcome="failed", findings=wrong)
            + verdict_line(outcome="failed", findings=todo)
        },
    )
    ran = checkout.lab("check", f"{LAB}/01_first")
    assert "not written yet: TODO: the second function" in ran.out
    assert "of what is written, 1 test passes" in ran.out
    assert "asked for 6, got 4" in ran.out
    assert "1 test fails for this reason" in ran.out


def test_check_explains_with_messages_findings_and_source(checkout: Checkout) -> None:
    checkout.submission("labs", {"01_first": RACY})
    ran = checkout.lab("check", f"{LAB}/01_first")
    assert ran.status == 1
    assert "asked for 6, got 4" in ran.out
    assert "race  01_first.cu:3" in ran.out
    assert ">    3 |     int b = a;  // line 3" in ran.out
    assert "^^^^^^^^^^" in ran.out
    assert "debug print" in ran.out
    assert "tests fail for this reason; the first is " in ran.out
    assert "02_second" not in ran.out


@pytest.mark.parametrize(
    ("wanted", "is_shown"), [("/02", True), ("", False), ("-v", True)], ids=["one", "all", "all -v"]
)
def test_what_a_passed_rung_prints_is_shown_unless_it_is_one_of_many(
    checkout: Checkout, wanted: str, is_shown: bool
) -> None:
    printed = "still here\n" + "more\n" * 20
    passed = verdict_line(output=printed) + verdict_line(part="efficiency", share=1)
    checkout.submission("labs", {"01_first": SOLUTION, "02_second": SOLUTION + passed})
    target = [LAB, "-v"] if wanted == "-v" else [f"{LAB}{wanted}"]
    out = checkout.lab("check", *target).out
    assert ("still here" in out, "11 more lines" in out) == (is_shown, is_shown)
    assert out.count("02_second") == 1 + out.count("./lab check 01-demo/02_second")


def test_check_of_solved_rungs_exits_0_and_list_remembers(checkout: Checkout) -> None:
    checkout.submission("labs", {"01_first": RACY})
    assert checkout.lab("check", f"{LAB}/02").status == 0
    listed = checkout.lab("list")
    assert listed.status == 0
    assert "6 / 10 points" in listed.out
    second = next(line for line in listed.out.splitlines() if "02_second" in line)
    assert second.split()[-2:] == ["6", "6"]


def test_list_knows_the_best_score_and_what_changed_since(checkout: Checkout) -> None:
    checkout.submission("labs", {})
    assert checkout.lab("check", LAB).status == 0
    checkout.submission("labs", {"01_first": RACY})
    first, second = (line.split() for line in checkout.lab("list").out.splitlines()[2:4])
    assert first[-4:] == ["4", "changed", "since:", "4"]
    assert second[-2:] == ["6", "6"]
    checkout.lab("check", f"{LAB}/01")
    assert "best 4, now 0" in checkout.lab("list").out


def test_submit_says_the_scores_of_what_it_packs(checkout: Checkout) -> None:
    checkout.submission("labs", {})
    assert (
        "0 / 10 points\n  01_first: not checked yet; ./lab check" in checkout.lab("submit", LAB).out
    )
    assert checkout.lab("check", LAB).status == 0
    assert "your checks of these files: 10 / 10 points\n" in checkout.lab("submit", LAB).out
    checkout.submission("labs", {"01_first": RACY})
    assert "6 / 10 points\n  01_first: changed since" in checkout.lab("submit", LAB).out


@pytest.mark.parametrize("folder", ["labs", f"labs/{LAB}"])
def test_a_file_of_labs_may_be_named_from_any_folder(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    checkout.submission("labs", {})
    monkeypatch.chdir(checkout.root / folder)
    file = f"{'' if LAB in folder else LAB + '/'}01_first.cu"
    assert "01_first" in checkout.lab("check", file).out
    assert "hint 1 of" in checkout.lab("hint", file).out
    assert checkout.lab("submit", file, "--output", checkout.work / "all.zip").status == 0
    assert "bench times a GPU" in checkout.refusal("bench", file)
    if LAB in folder:
        assert checkout.lab("check", ".").status == 0


def test_check_of_one_rung_shares_its_tests_out_among_the_cores(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verdict is that of one judge; a wrong result is not measured, whichever judge saw it."""
    log = checkout.work / "judges.txt"
    verdicts = (
        {"outcome": "passed"},
        {"outcome": "passed", "part": "efficiency", "share": 0.5},
        {"outcome": "failed", "message": "the third is wrong"},
        {"outcome": "passed"},
        {"outcome": "passed"},
    )
    checkout.submission("labs", {"01_first": "".join(verdict_line(**one) for one in verdicts)})
    monkeypatch.setenv("FAKE_JUDGE_LOG", str(log))
    ran = [checkout.lab("check", f"{LAB}/01_first", "--jobs", jobs, "--json") for jobs in "14"]
    assert log.read_text().count("begin") == 1 + 4
    one, four = (json.loads(once.out)["lab"]["rungs"][0] for once in ran)
    names = [test["name"] for test in four["tests"]]
    assert names == [test["name"] for test in one["tests"]]
    assert len(names) == len(verdicts)
    assert (four["score"], four["parts"]["efficiency"]["score"]) == (one["score"], 0)
    measured = four["tests"][1]
    assert (measured["outcome"], "a result was wrong" in measured["message"]) == ("skipped", True)


def test_check_takes_another_folder_and_does_not_count_it_as_progress(checkout: Checkout) -> None:
    assert checkout.lab("check", LAB, "--from", checkout.root / "solutions").status == 0
    assert "0 / 10 points" in checkout.lab("list").out


def test_check_of_a_compile_error_points_at_the_line(checkout: Checkout) -> None:
    checkout.submission("labs", {"01_first": "// one\n// two\nSYNTAX here\n"})
    ran = checkout.lab("check", f"{LAB}/01")
    assert "compile_error  01_first.cu:3" in ran.out
    assert ">    3 | SYNTAX here" in ran.out


def test_hints_come_one_at_a_time_and_start_again(checkout: Checkout) -> None:
    shown = [checkout.lab("hint", f"{LAB}/01_first").out for _ in range(3)]
    assert "a gentle hint" in shown[0]
    assert "telling" not in shown[0]
    assert "a telling hint" in shown[1]
    assert shown[2] == shown[1]
    assert checkout.lab("hint", f"{LAB}/01_first", "--reset").status == 0
    assert "telling" not in checkout.lab("hint", f"{LAB}/01_first").out


def test_the_hint_for_a_finding_comes_first(checkout: Checkout) -> None:
    model = checkout.root / "labs" / LAB / "lab.toml"
    text = model.read_text().replace(
        '"a telling hint"]', '"a telling hint"]\nhint_for = { race = 2 }'
    )
    model.write_text(text)
    checkout.submission("labs", {"01_first": RACY})
    checkout.lab("check", LAB)
    first, second = (checkout.lab("hint", f"{LAB}/01").out for _ in range(2))
    assert "hint 2 of 2  a telling hint" in first
    assert "gentle" not in first
    assert "hint 1 of 2  a gentle hint" in second
    checkout.lab("hint", f"{LAB}/01", "--reset")
    checkout.submission("labs", {})
    checkout.lab("check", LAB)
    assert "a gentle hint" in checkout.lab("hint", f"{LAB}/01").out


def test_all_hints_at_once(checkout: Checkout) -> None:
    out = checkout.lab("hint", f"{LAB}/02", "--all").out
    assert all(f"hint {number} of 3" in out for number in (1, 2, 3))


def test_an_option_of_all_commands_is_named_with_its_place(checkout: Checkout) -> None:
    ran = checkout.lab("check", "--no-nvcc", LAB)
    assert ran.complaint.endswith(
        "--no-nvcc comes before the name of the command: ./lab --no-nvcc check ..."
    )


def test_a_hint_wants_a_rung(checkout: Checkout) -> None:
    ran = checkout.lab("hint")
    assert ran.complaint.endswith("'LAB/RUNG'. (./lab hint --help describes the arguments)")
    assert "hint needs a rung, as in 01-demo/01_first" in checkout.refusal("hint", LAB)


def test_what_cannot_be_remembered_hides_no_verdict_and_no_hint(checkout: Checkout) -> None:
    checkout.submission("labs", {})
    checkout.write(".lockstep", "a file in the folder's place")
    ran = checkout.lab("check", LAB)
    assert ran.status == 0
    assert "10 / 10 points" in ran.out
    assert "not remembered: cannot write" in ran.err
    hinted = checkout.lab("hint", f"{LAB}/01")
    assert (hinted.status, "a gentle hint" in hinted.out) == (0, True)
    assert "not remembered: cannot write" in hinted.err


def test_a_damaged_state_file_is_no_obstacle(checkout: Checkout) -> None:
    checkout.write(".lockstep/hints.json", "{oops")
    checkout.write(".lockstep/checks.json", "[1]")
    assert checkout.lab("hint", f"{LAB}/01").status == 0
    assert checkout.lab("list").status == 0


def test_submit_refuses_a_call_of_todo_unless_forced(checkout: Checkout) -> None:
    for name in ("01_first", "02_second"):
        checkout.write(f"labs/{LAB}/{name}.cu", '  todo("write the kernel");\n')
    assert "still to do: 01_first.cu, 02_second.cu" in checkout.refusal("submit", LAB)
    assert not Path(f"{LAB}.zip").exists()
    assert checkout.lab("submit", LAB, "--force").status == 0


def test_a_comment_that_says_todo_is_handed_in(checkout: Checkout) -> None:
    for name in ("01_first", "02_second"):
        checkout.write(f"labs/{LAB}/{name}.cu", "// TODO 1. Load two items; todo() is gone.\n")
    assert checkout.lab("submit", LAB).status == 0


def test_submit_packs_the_rung_files_and_the_same_files_give_the_same_zip(
    checkout: Checkout,
) -> None:
    checkout.submission("labs", {})
    checkout.write(f"labs/{LAB}/notes.txt", "private")
    assert checkout.lab("submit", "demo").status == 0
    first = Path(f"{LAB}.zip").read_bytes()
    with zipfile.ZipFile(f"{LAB}.zip") as packed:
        assert packed.namelist() == [f"{LAB}/01_first.cu", f"{LAB}/02_second.cu"]
        packed.extractall("unpacked")
    os.utime(checkout.root / "labs" / LAB / "01_first.cu", (0, 0))
    assert checkout.lab("submit", "demo", "--output", "again.zip").status == 0
    assert Path("again.zip").read_bytes() == first
    assert checkout.lab("grade", "unpacked").status == 0


def test_submit_names_a_missing_file(checkout: Checkout) -> None:
    checkout.submission("labs", {})
    (checkout.root / "labs" / LAB / "02_second.cu").unlink()
    assert "02_second.cu is missing" in checkout.refusal("submit", LAB)


@pytest.mark.parametrize("is_students_copy", [False, True])
def test_bench_without_a_gpu_says_so_before_it_needs_anything(
    checkout: Checkout, is_students_copy: bool
) -> None:
    if is_students_copy:
        shutil.rmtree(checkout.root / "solutions")
    said = checkout.refusal("bench", LAB)
    assert "bench times a GPU" in said
    assert "./lab bench 01-demo --predicted draws" in said


def test_bench_predicts_no_ladder_of_a_lab_without_a_rung_that_is_timed(checkout: Checkout) -> None:
    said = checkout.refusal("bench", LAB, "--predicted")
    assert f"no rung of {LAB} is judged by a kernel's speed" in said
    assert f"./lab profile {LAB}/RUNG" in said


def test_bench_predicts_a_ladder_without_a_gpu(checkout: Checkout) -> None:
    model = checkout.root / "labs" / LAB / "lab.toml"
    model.write_text(f"{model.read_text()}[rung.speed]\nshare = {{ zero = 0.1, full = 0.5 }}\n")
    slow = {**timed_profile(sectors=1 << 20), "sequential_ms": 40}
    rungs = {"01_first": timed_profile(sectors=1 << 23), "02_second": slow}
    sources = {rung: profiled_source(said) for rung, said in rungs.items()}
    folder = checkout.submission("ann", sources)
    ran = checkout.lab("bench", LAB, "--predicted", "--from", folder, "--out", checkout.work)
    assert ran.status == 0
    assert "NVIDIA H200, predicted (±" in ran.out
    report = json.loads((checkout.work / f"{LAB}.json").read_text())
    first, second = (row for row in report["rows"] if row["num_items"] == 65536)
    assert first["speedup_first"] == 1
    assert first["limited_by"] == "the memory's bandwidth"
    assert second["speedup_first"] > 2
    for row in (first, second):
        assert row["speedup_cpu"] == pytest.approx(25 / row["time_ms"]), "the quickest run counts"
    assert "| times this CPU |" in ran.out
    assert first["share"] == pytest.approx(second["share"] / second["speedup_first"])
    assert (checkout.work / f"{LAB}.svg").is_file()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--sizes", "16,many"), "'16,many'"),
        (("--page-only",), "no benchmark report"),
        (("--device", "t4"), "give --predicted, too"),
        (("--predicted", "--device", "t5"), "no GPU t5"),
        (("--predicted", "--missing"), "leave out --missing"),
        (("--predicted", "--sizes", "1024,16777217"), "up to 16777216 items"),
    ],
)
def test_bench_refuses(checkout: Checkout, options: tuple[str, ...], says: str) -> None:
    assert says in checkout.refusal("bench", LAB, *options)


def test_watch_checks_again_on_save_and_survives_a_compile_error(checkout: Checkout) -> None:
    running = checkout.start("watch", f"{LAB}/01_first")
    assert running.stdout is not None
    try:
        wait_for(lambda: is_watching(running.pid))
        # A slow machine sees one save as two, the first of an empty file.
        checkout.write(f"labs/{LAB}/01_first.cu", "SYNTAX")
        read_until(running.stdout, "compile_error")
        checkout.write(f"labs/{LAB}/01_first.cu", SOLUTION)
        read_until(running.stdout, "4 / 4  passed")
        wait_for(lambda: "4 / 10 points" in checkout.lab("list").out)  # it counts as progress
        running.send_signal(2)
        assert running.wait(20) == 0
    finally:
        running.kill()
        running.communicate()


def is_watching(pid: int) -> bool:
    """Whether the kernel notifies the process of changed files."""
    try:
        opened = [info.read_text() for info in Path(f"/proc/{pid}/fdinfo").iterdir()]
    except FileNotFoundError:  # one that was closed meanwhile
        return False
    return any("inotify wd:" in info for info in opened)


def read_until(stream: IO[str], text: str) -> str:
    """What the stream says up to `text`; fails after 20 seconds."""
    said, deadline = "", time.monotonic() + 20
    while text not in said:
        assert time.monotonic() < deadline, said
        if select.select([stream], [], [], 1)[0]:
            said += os.read(stream.fileno(), 65536).decode()
    return said


WRONG = {**GOOD, f"{LAB}/01_first.cu": SOLUTION + verdict_line(outcome="failed", message="6 is 4")}
FROM_CASES = {  # what --from names: its exit status and part of its words
    "class/ann": (1, "6 is 4"),  # a folder, as before
    "ann.zip": (1, "6 is 4"),
    "ann.tar.gz": (1, "6 is 4"),
    "moodle/Ann Alpha_7001_assignsubmission_file_": (1, "6 is 4"),
    "moodle/Ann Alpha": (1, "6 is 4"),
    "moodle/7001": (1, "6 is 4"),
    "moodle/bob beta": (0, "passed"),
    "moodle.zip/7002": (0, "passed"),
    "moodle": (2, "moodle holds the work of 3 students; add the name of one, as in moodle/"),
    "moodle/Bob Betta": (2, "moodle has nothing of 'Bob Betta'; did you mean Bob Beta?"),
    "moodle/nosuch": (2, "moodle/nosuch: no such folder or archive, nor student in moodle"),
    "moodle/7003": (2, "moodle/7003: work.zip is damaged"),
    "nowhere/ann": (2, "nowhere/ann: no such folder or archive"),
    "nowhere": (2, "nowhere: no such folder or archive"),
    "other/ann": (2, "other/ann: no such folder or archive"),
}


@pytest.fixture
def handed_in(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    """The same work as a folder, as archives, and in Moodle's export of a class."""
    checkout.submission("class/ann", {"01_first": str(WRONG[f"{LAB}/01_first.cu"])})
    checkout.write("ann.zip", zip_bytes(WRONG))
    checkout.write("ann.tar.gz", gzip.compress(tar_bytes(WRONG)))
    export = {
        "Ann Alpha_7001_assignsubmission_file_/work.zip": zip_bytes(WRONG),
        "Bob Beta_7002_assignsubmission_file_/work.zip": zip_bytes(GOOD),
        "Cy Gamma_7003_assignsubmission_file_/work.zip": zip_bytes(GOOD)[:99],
    }
    for name, data in export.items():
        checkout.write(f"moodle/{name}", data)
    checkout.write("moodle.zip", zip_bytes(export))
    checkout.write("other/notes/a.txt", "no work of anyone")
    monkeypatch.chdir(checkout.root)
    (checkout.root / "temp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(checkout.root / "temp"))
    return checkout


@pytest.mark.parametrize("given", FROM_CASES)
def test_from_takes_an_archive_or_one_student_of_an_export(handed_in: Checkout, given: str) -> None:
    status, said = FROM_CASES[given]
    ran = handed_in.lab("check", f"{LAB}/01", "--from", given, "--no-sandbox")
    assert (ran.status, said in ran.out + ran.err) == (status, True), ran.out + ran.err
    assert not list((handed_in.root / "temp").iterdir())


# ---- when `watch` begins a round


def test_a_save_during_the_first_round_brings_another(tmp_path: Path) -> None:
    gave_up = threading.Event()
    rounds: list[bool] = []

    def give_up() -> None:
        gave_up.set()
        (tmp_path / "b.cu").touch()

    def once() -> None:
        rounds.append(gave_up.is_set())
        if len(rounds) > 1:
            raise KeyboardInterrupt
        (tmp_path / "a.cu").touch()

    later = threading.Timer(20, give_up)
    later.start()
    watch(make_console(), tmp_path, once)
    later.cancel()
    assert rounds == [False, False]
