# SPDX-License-Identifier: MIT
"""Every bad input of the issue: one clear line and the right exit code each."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lockstep_grader.compile.worker import SECONDS
from lockstep_grader.intake import submission
from lockstep_grader.machine.files import write_whole
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Backend, Finding

from conftest import GRADER, LAB, SOLUTION, Checkout, rungs, verdict_line


def first_finding(checkout: Checkout, folder: Path) -> dict[str, object]:
    """Grades `folder`; the good rung must keep its points. The bad rung's only finding."""
    ran, report = checkout.grade(folder)
    assert ran.status == 1
    assert rungs(report)["02_second"]["score"] == 6
    bad = rungs(report)["01_first"]
    assert (bad["score"], bad["outcome"]) == (0, "failed")
    finding: dict[str, object] = bad["findings"][0]
    return finding


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("grade nowhere", "lab: nowhere: no such folder or archive"),
        ("grade notes.txt", "is not a folder"),
        ("grade empty", "is empty"),
        ("grade stuff", "stuff contains no lab folder, such as stuff/01-demo"),
        ("grade ../solutions/01-demo", "grade its parent, with --lab 01-demo"),
        ("grade ../solutions --lab 01-dmeo", "did you mean 01-demo?"),
        ("check 01-demo/99", "there are: 01_first, 02_second"),
        ("grade", "--help"),
        ("grade x --jobs 0", "--help"),
        ("fly", "--help"),
    ],
)
def test_a_wrong_word_is_one_line(checkout: Checkout, words: str, says: str) -> None:
    (checkout.work / "empty").mkdir()
    for file in ("notes.txt", "stuff/notes.txt"):
        checkout.write(f"work/{file}", "hello")
    assert says in checkout.refusal(*words.split())


def test_a_json_target_that_cannot_be_written_is_said_before_grading(checkout: Checkout) -> None:
    ran = checkout.lab("grade", checkout.root / "solutions", "--json", "no/such/out.json")
    assert ran.status == 2
    assert "no such folder for out.json" in ran.complaint
    assert ran.out == ""


def test_a_missing_rung(checkout: Checkout) -> None:
    folder = checkout.submission("ann", {})
    (folder / LAB / "01_first.cu").unlink()
    finding = first_finding(checkout, folder)
    assert finding["kind"] == "compile_error"
    assert finding["message"] == "01_first.cu is missing from the submission"
    ran = checkout.lab("grade", folder, "--results", "kept")
    assert "01_first.cu is missing from the submission" in ran.out
    assert "compile_error" not in ran.out  # nothing was compiled
    ran = checkout.lab("explain", "kept", "ann", f"{LAB}/01")
    assert "-2  01_first.cu is missing from the submission" in ran.out
    assert checkout.lab("report", "kept", "--output", checkout.work / "pages").status == 0
    (page,) = (checkout.work / "pages" / "students").iterdir()
    assert "<p>01_first.cu is missing from the submission.</p>" in page.read_text()


@pytest.mark.parametrize("bytes_", [b"// caf\xe9\n", b"// \x93quoted\x94\n", b"// \x81\n"])
def test_a_rung_with_a_byte_per_letter_is_judged(checkout: Checkout, bytes_: bytes) -> None:
    folder = checkout.submission("ann", {})
    checkout.write(f"ann/{LAB}/01_first.cu", b"// fine\n" + bytes_)
    _, report = checkout.grade(folder)
    assert report["submissions"][0]["labs"][0]["rungs"][0]["outcome"] == "passed"


def test_a_rung_in_utf16(checkout: Checkout) -> None:
    folder = checkout.submission("ann", {})
    checkout.write(f"ann/{LAB}/01_first.cu", "// fine\n".encode("utf-16"))
    message = str(first_finding(checkout, folder)["message"])
    assert message.endswith("a byte of zero. Save it as UTF-8 in your editor")


@pytest.mark.parametrize("text", ["", " \n\n"])
def test_a_rung_without_a_word(checkout: Checkout, text: str) -> None:
    finding = first_finding(checkout, checkout.submission("ann", {"01_first": text}))
    assert (finding["kind"], finding["message"]) == ("compile_error", "01_first.cu is empty")


def test_a_rung_of_50_megabytes(checkout: Checkout) -> None:
    folder = checkout.submission("ann", {})
    with (folder / LAB / "01_first.cu").open("wb") as stream:
        stream.truncate(50 << 20)
    assert "is larger than 256 KiB (52428800 bytes)" in str(first_finding(checkout, folder))


def test_a_rung_that_cannot_be_read(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = checkout.submission("ann", {})
    really_read = submission._bytes_of

    def deny(path: Path, wrong: Callable[[str], Finding]) -> bytes | Finding:
        if path.name == "01_first.cu":  # root may read everything, so no mode can deny it
            raise PermissionError(13, "Permission denied")
        return really_read(path, wrong)

    monkeypatch.setattr(submission, "_bytes_of", deny)
    assert "cannot be read: Permission denied" in str(first_finding(checkout, folder))


def test_a_folder_or_a_pipe_instead_of_a_rung(checkout: Checkout) -> None:
    folder = checkout.submission("ann", {})
    rung = folder / LAB / "01_first.cu"
    rung.unlink()
    rung.mkdir()
    assert "cannot be read: Is a directory" in str(first_finding(checkout, folder))
    rung.rmdir()
    os.mkfifo(rung)
    assert "is not a regular file" in str(first_finding(checkout, folder))


def test_a_link_out_of_the_submission_is_forbidden(checkout: Checkout) -> None:
    folder = checkout.submission("ann", {})
    rung = folder / LAB / "01_first.cu"
    rung.unlink()
    rung.symlink_to(checkout.root / "solutions" / LAB / "01_first.cu")
    finding = first_finding(checkout, folder)
    assert finding["kind"] == "forbidden"
    assert "leaves the submission" in str(finding["message"])


def test_a_linked_lab_folder_is_forbidden_too(checkout: Checkout) -> None:
    (checkout.root / "ann").mkdir()
    (checkout.root / "ann" / LAB).symlink_to(checkout.root / "solutions" / LAB)
    ran, report = checkout.grade(checkout.root / "ann")
    kinds = {rung["findings"][0]["kind"] for rung in rungs(report).values()}
    assert (kinds, ran.status) == ({"forbidden"}, 1)


def test_a_link_inside_the_submission_is_fine(checkout: Checkout) -> None:
    folder = checkout.submission("ann", {})
    rung = folder / LAB / "01_first.cu"
    rung.rename(folder / "kept.cu")
    rung.symlink_to("../kept.cu")
    ran, _ = checkout.grade(folder)
    assert ran.status == 0


def test_a_loop_of_links_is_named(checkout: Checkout) -> None:
    folder = checkout.submission("ann", {})
    rung = folder / LAB / "01_first.cu"
    rung.unlink()
    rung.symlink_to("01_first.cu")
    assert "01_first.cu" in str(first_finding(checkout, folder)["message"])


def test_other_files_of_a_submission_are_not_looked_at(checkout: Checkout) -> None:
    folder = checkout.submission("ann", {})
    checkout.write(f"ann/{LAB}/demo.cuh", "#error edited")
    checkout.write(f"ann/{LAB}/lab.toml", "[[[")
    ran, _ = checkout.grade(folder)
    assert ran.status == 0


def test_a_malformed_lab_toml_names_line_and_key(checkout: Checkout) -> None:
    file = checkout.root / "labs" / LAB / "lab.toml"
    file.write_text(file.read_text().replace("correctness = 4", 'correctness = "four"'))
    said = checkout.refusal("grade", checkout.root / "solutions")
    assert f"{file}:18: rung[1].points.correctness: expected a number, got 'four'" in said


def test_no_compiler(checkout: Checkout) -> None:
    checkout.write_toolchain(steps=[{"name": "compile", "argv": ["/no/such/g++", "{source}"]}])
    said = checkout.refusal("grade", checkout.root / "solutions", status=3)
    assert "cannot run /no/such/g++: no such program" in said


def test_no_toolchain_file(checkout: Checkout) -> None:
    (checkout.root / "toolchain.json").unlink()
    said = checkout.refusal("grade", checkout.root / "solutions", status=3)
    assert "toolchain.json: No such file" in said


def test_a_toolchain_file_of_another_version_or_shape(checkout: Checkout) -> None:
    checkout.write_toolchain(version=2)
    assert "version 2" in checkout.lab("grade", checkout.root / "solutions").complaint
    checkout.write("toolchain.json", "{}")
    assert "not the toolchain file" in checkout.lab("grade", checkout.root / "labs").complaint


def test_a_full_disk_ends_the_run_with_one_line_and_keeps_earlier_results(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    solutions, folder = checkout.root / "solutions", checkout.work / "results"
    assert checkout.lab("grade", solutions, "--results", folder).status == 0
    before = {file: file.read_bytes() for file in folder.rglob("*.json")}
    checkout.submission("solutions", {"02_second": "// another way\n"})
    really_write = Path.write_bytes

    def fail_halfway(self: Path, data: bytes) -> int:
        if not self.is_relative_to(folder):
            return really_write(self, data)
        really_write(self, data[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fail_halfway)
    said = checkout.refusal("grade", solutions, "--results", folder, status=3)
    assert "No space left on device; free space or choose another folder" in said
    assert {file: file.read_bytes() for file in before} == before
    assert not [file for file in folder.rglob(".*") if file.name != ".lock"]  # no half of one


def test_a_disk_too_full_to_compile_is_a_fault_and_no_zero(checkout: Checkout) -> None:
    # To a writer, a file size limit of nothing is what a full disk is.
    grade = f"{' '.join(GRADER)} grade {checkout.root / 'solutions'}"
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        ["sh", "-c", f"ulimit -f 0; trap '' XFSZ; {grade} | cat"],
        env=env,
        capture_output=True,
        text=True,
    )
    assert done.stderr.count("\n") == 1, done.stderr
    assert "cannot write" in done.stderr
    assert "0 / 4" not in done.stdout


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(FaultError, match=r"cannot write .*out.json"):
        write_whole(tmp_path / "file" / "out.json", b"{}")
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_an_endless_compile_is_ended_and_named(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCKSTEP_PATIENCE", "0.1")
    folder = checkout.submission("ann", {"01_first": "BUSY_COMPILE", "02_second": SOLUTION})
    assert "took more than 1 s of processor time" in str(first_finding(checkout, folder))


@pytest.mark.parametrize("word", ["0", "-1", "nan", "1e9", "long"])
def test_a_patience_that_is_no_factor_is_refused(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    monkeypatch.setenv("LOCKSTEP_PATIENCE", word)
    ran, _ = checkout.grade(checkout.submission("ann", {"01_first": SOLUTION}))
    assert ran.status == 2
    assert f"LOCKSTEP_PATIENCE is '{word}'; set it to a factor" in ran.complaint


def test_a_compile_that_the_machine_has_no_time_for_is_nobodys_zero(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SECONDS, Backend.CPU, 1)
    folder = checkout.submission("ann", {"01_first": "SLOW_COMPILE", "02_second": SOLUTION})
    ran, report = checkout.grade(folder)
    assert ran.status == 3
    assert "did not end in 1 seconds" in ran.complaint
    assert [rung["outcome"] for rung in rungs(report).values()] == ["error", "passed"]


def test_a_flood_from_the_compiler_is_cut(checkout: Checkout) -> None:
    folder = checkout.submission("ann", {"01_first": "BOMB"})
    assert len(str(first_finding(checkout, folder)["message"])) < 1000


def test_a_link_is_written_through(tmp_path: Path) -> None:
    """As /dev/stdout is one, to a plain file under `> file`: root could replace it."""
    target, link = tmp_path / "out.json", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_whole(link, b"{}")
    assert link.is_symlink()
    assert target.read_bytes() == b"{}"


def test_a_name_that_the_terminal_cannot_write_is_spelled_out() -> None:
    code = (
        "from lockstep_grader.model.text import accept_all_text\n"
        "accept_all_text()\n"
        "from lockstep_grader.cli.verbs_export import put\n"
        "print('\\u0141ukasz')\nput('\\u0141', None)"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PYTHONIOENCODING": "iso-8859-1:strict",
        "PYTHONUTF8": "0",
    }
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment)
    assert (ran.stdout, ran.stderr) == (b"\\u0141ukasz\n\xc5\x81", b"")


def test_the_cuda_backend_without_a_driver_says_so_before_it_builds(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise OSError(name)

    monkeypatch.delenv("LOCKSTEP_TOOLCHAIN")
    monkeypatch.setattr("ctypes.CDLL", missing)
    said = checkout.refusal("check", "01-demo/01_first", "--backend", "cuda", status=3)
    assert "needs NVIDIA's driver, which is not on this machine" in said


@pytest.mark.parametrize(
    ("words", "redirection", "status"),
    [
        ("list", ">&-", 0),
        ("list", ">&- 2>&-", 0),
        ("fly", "2>&-", 2),
        ("export results --format csv", ">&-", 0),
        ("export results --format csv", "2>&- | head -1", 0),
        ("explain results ann", "| true", 3),
        ("explain results ann", "> /dev/full", 3),
        ("export results --format csv", "> /dev/full", 3),
    ],
)
def test_a_stream_that_is_closed_or_full_makes_no_traceback(
    checkout: Checkout, words: str, redirection: str, status: int
) -> None:
    folder = checkout.submission("ann", {"01_first": verdict_line(outcome="failed")})
    checkout.lab("grade", folder)
    (checkout.root / "results").rename(checkout.work / "results")
    ran = f"sleep 0.2; {' '.join(GRADER)} {words}; echo $? >&9"
    done = subprocess.run(
        ["sh", "-c", f"exec 9>status; ( {ran} ) {redirection}"], capture_output=True, text=True
    )
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
    assert int((checkout.work / "status").read_text()) == status, done.stderr


def test_json_of_200000_brackets_is_one_line(checkout: Checkout) -> None:
    (checkout.work / "results").mkdir()
    checkout.write("work/results/grade.json", "[" * 200_000)
    for words in ("report results", "export results --format csv", "explain results ann"):
        assert "cannot be read as JSON: it is nested too deeply" in checkout.refusal(*words.split())


@pytest.mark.parametrize("variable", ["LOCKSTEP_SANDBOX", "LOCKSTEP_INSTALL"])
def test_a_switch_takes_no_other_word_than_off(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "maybe")
    said = f"{variable} is 'maybe'; set it to off, or do not set it"
    assert said in checkout.refusal("grade", checkout.root / "solutions")


def test_more_jobs_than_any_machine_runs_are_refused(checkout: Checkout) -> None:
    said = checkout.refusal("grade", checkout.root / "solutions", "--jobs", "1" + "0" * 27)
    assert "--jobs" in said
