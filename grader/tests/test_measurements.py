# SPDX-License-Identifier: MIT
"""docs/bench/measure lists every script and every result, and its scripts take their arguments."""

import json
import os
import re
import subprocess
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.machine.files import as_records

from repository import BENCH, REPOSITORY, bench_script

SCRIPTS = BENCH / "scripts"
HELPERS = {"docs/bench/scripts/app.py", "docs/bench/scripts/measurements.py"}
COMMAND = re.compile(r"docs/bench/measure ([\w-]+)|\./lab (?:bench|grade) ")


@pytest.fixture(scope="module")
def measure() -> Any:
    """The module of the command line."""
    return bench_script("app")


def tracked(*patterns: str) -> list[str]:
    listed = ["git", "-C", str(REPOSITORY), "ls-files", "-z", "-co", "--exclude-standard"]
    done = subprocess.run([*listed, *patterns], capture_output=True, text=True, check=True)
    return [name for name in done.stdout.split("\0") if (REPOSITORY / name).is_file()]


def test_the_command_lists_every_measurement(measure: Any) -> None:
    done = subprocess.run([BENCH / "measure"], capture_output=True, text=True, check=True)
    names = [line.split()[0] for line in done.stdout.splitlines()[1:-3]]
    assert sorted(names) == sorted(measure.MEASUREMENTS)
    assert all(each.what.endswith(".") for each in measure.MEASUREMENTS.values())


def test_each_measurement_shows_its_help(measure: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for name, each in measure.MEASUREMENTS.items():
        assert measure.main([name, "--help"]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert f"docs/bench/measure {name}" in shown
        assert each.what in shown


@pytest.mark.parametrize(
    "words",
    [
        ["nope"],
        ["counters"],
        ["counters", "gpu"],
        ["kernels", "--rounds", "0"],
        ["class", "--bogus"],
        ["drawings", "99-nothing"],
        ["grades", "99-nothing"],
        ["ladders", "07-scheduling"],
        ["first-verdict", "99-nothing"],
    ],
    ids=" ".join,
)
def test_wrong_use_is_one_line_with_the_next_step(
    measure: Any, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert measure.main(words) == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1
    assert "docs/bench/measure" in told[0]


def test_a_missing_tool_is_one_line(
    measure: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert measure.main(["library"]) == 3
    assert capsys.readouterr().err == (
        "measure: no GPU here: nvidia-smi is not on the PATH; it comes with the driver\n"
    )
    measurements = bench_script("measurements")
    cause = r"ncu: No such file or directory \(docs/bench/measure lists what each one needs\)"
    with pytest.raises(measurements.MeasurementError, match=cause):
        measurements.output(["ncu"])


def test_every_script_belongs_to_a_measurement(measure: Any) -> None:
    used = {name for each in measure.MEASUREMENTS.values() for name in each.uses}
    scripts = set(tracked("docs/bench/scripts", "docs/figures/*.py", "labs/*/figures/*.py"))
    assert scripts - used == HELPERS
    assert [name for name in used if name.endswith((".py", ".cu")) and name not in tracked()] == []


def test_every_result_is_written_by_a_measurement(measure: Any) -> None:
    """And each pattern has a result, except for the names of other GPUs."""
    patterns = {
        os.path.normpath(f"docs/bench/{pattern.replace('GPU', '[a-z]*[0-9]')}")
        for each in measure.MEASUREMENTS.values()
        for pattern in each.writes
    }
    results = [
        name
        for name in tracked("docs/bench", "docs/figures", "labs/*/figures")
        if not name.endswith(".py") and "/scripts/" not in name and name != "docs/bench/measure"
    ]
    assert [name for name in results if not any(fnmatch(name, each) for each in patterns)] == []
    assert [each for each in patterns if not any(fnmatch(name, each) for name in tracked())] == []


def test_every_result_has_a_record_per_line() -> None:
    """As its script writes it: a new measurement changes the lines of its records alone."""
    for file in sorted(BENCH.rglob("*.json")):
        text = file.read_text("utf-8")
        assert text == as_records(json.loads(text)) + "\n", file.name


def test_every_result_names_the_command_that_made_it(measure: Any) -> None:
    for file in sorted(BENCH.glob("*.*")):
        if file.suffix == ".svg" or file.name == "sources.json":
            continue
        named = COMMAND.search(file.read_text("utf-8")[:4000])
        assert named, file.name
        assert named[1] is None or named[1] in measure.MEASUREMENTS, file.name
    for file in sorted(REPOSITORY.glob("labs/*/figures/*.svg")):
        head = file.read_text("utf-8")[:1000]
        if file.name.startswith("trace_"):
            assert "Made by docs/bench/measure stills" in head, file.name
            continue
        drawn_by = re.search(r"(?:Made|Drawn) by (\w+\.py)", head)
        assert drawn_by, file.name
        assert (file.parent / drawn_by[1]).is_file()


def quoted(measure: Any) -> dict[str, list[str]]:
    """What pages say of the files, with the numbers of today's files."""

    def load(name: str) -> Any:
        return json.loads((BENCH / name).read_text("utf-8"))

    section = bench_script("measurements").read_section
    first, some = load("first-verdict.json"), load("class.json")
    solutions = section("h200.md", "Grades").count("\n| solutions |")
    attacks = section("h200.md", "Exploits").count("| 01-reduction/")
    equal = re.search(r"Equal: (\d+) of (\d+)", section("tables.md", "Counters"))
    kinds = re.findall(
        r"^\| (\w+) \| (\d+) \|.* (\d+) \| (\d+) \|$", programs_table(), re.MULTILINE
    )
    blamable = [row for row in kinds if row[0] not in ("compile_error", "wrong_result", "right")]
    wrong, emulator, tools = (sum(int(row[column]) for row in blamable) for column in (1, 2, 3))
    right = next(row for row in kinds if row[0] == "right")
    mutants = load("mutants.json")["mutants"].values()
    found = sum(
        any(said for tool, said in each["cuda"].items() if tool != "line") for each in mutants
    )
    assert equal
    return {
        "docs/measured.md": [
            f"the first check took {first['first_check']['seconds']:.0f} s",
            f"graded in {first['grade_solutions']['seconds']:.0f} s",
            f"a made-up class of {some['submissions']} submissions",
            f"it took {some['seconds']:.0f} s, {some['seconds_a_submission']} s per submission",
            f"the {some['rungs']} rungs had {some['different_files']} different files",
            f"{100 * some['share_of_time_in_the_grader']:.0f}% of the processors' time and "
            f"{some['grader_memory_mib']:.0f} MiB",
            f"grading took {some['seconds_when_all_is_judged_already']} s",
            f"full marks for all {solutions} rungs, each with no finding",
        ],
        "docs/instructors.md": [
            f"{some['different_files']} different files for {some['rungs']} rungs",
            f"{some['seconds']:.0f} s on {some['jobs']} cores, and "
            f"{some['seconds_when_all_is_judged_already']} s",
        ],
        "docs/sandbox.md": [f"graded {attacks} attacks as one class"],
        "docs/counters.md": [f"Of {equal[2]} numbers {equal[1]} are equal"],
        "docs/checkers.md": [
            f"{wrong} of the programs are wrong and compile",
            f"names kind and line of {emulator} ",
            f"reports something about {tools} ",
            f"{right[1]} programs are right",
            f"names kind and line of all {len(mutants)}. The sanitizer's tools report something "
            f"about {found}.",
        ],
    }


def programs_table() -> str:
    return (BENCH / "programs.md").read_text("utf-8").partition("\n## ")[0]


def test_numbers_that_pages_quote_are_those_of_the_files(measure: Any) -> None:
    for page, phrases in quoted(measure).items():
        text = " ".join((REPOSITORY / page).read_text("utf-8").split())
        assert [each for each in phrases if each not in text] == [], page


def test_a_section_is_replaced_or_added_and_the_others_stay(
    measure: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measurements = bench_script("measurements")
    monkeypatch.setattr(measurements, "BENCH", tmp_path)
    for title, text in (("Grades", "one"), ("Sandbox", "two"), ("Grades", "three\n\n| 3 |\n")):
        measurements.write_section("h9.md", title, text)
    assert (tmp_path / "h9.md").read_text("utf-8") == (
        "# Grades and verdicts on one H9\n\n## Grades\n\nthree\n\n| 3 |\n\n## Sandbox\n\ntwo\n"
    )
    assert measurements.read_section("h9.md", "Grades") == "three\n\n| 3 |"
    assert measurements.read_section("h9.md", "None") == ""


def test_what_was_measured_now_is_recorded_with_its_solutions_and_told(
    measure: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measurements, sources = bench_script("measurements"), bench_script("sources")
    for name, text in {
        "docs/bench/01-lab.json": "{}",
        "docs/bench/sources.json": json.dumps(
            {"01-lab.json": {"solutions/01-lab/gone.cu": "1", "solutions/01-lab/old.cu": "2"}}
        ),
        "solutions/01-lab/old.cu": "int a;",
        "solutions/01-lab/new.cu": "int b;",
        "docs/measured.md": "<!-- older:begin -->\n| before |\n<!-- older:end -->\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    monkeypatch.setattr(sources, "SOURCES", tmp_path / "docs/bench/sources.json")
    monkeypatch.setattr(sources, "PAGE", tmp_path / "docs/measured.md")

    measurements.measured_now("01-lab.json", ["01-lab/new"])
    assert list(sources.recorded()["01-lab.json"]) == [
        "solutions/01-lab/new.cu",
        "solutions/01-lab/old.cu",
    ]
    assert "01-lab" not in (tmp_path / "docs/measured.md").read_text()

    (tmp_path / "solutions/01-lab/new.cu").write_text("int c;")
    sources.write_older()
    assert "`01-lab/new`" in (tmp_path / "docs/measured.md").read_text()


def test_each_variant_changes_its_solution_and_has_a_table(measure: Any) -> None:
    for lab, variants in bench_script("variants").listed().items():
        page = (REPOSITORY / "solutions" / lab / "README.md").read_text("utf-8")
        assert "<!-- variants:begin -->" in page, "their table has no place"
        for each in variants:
            solution = REPOSITORY / "solutions" / each.lab / f"{each.rung}.cu"
            assert each.text != solution.read_text("utf-8"), each


@pytest.fixture(scope="module")
def steps(measure: Any) -> Any:
    """The module that counts the lines of each rung's solution."""
    return bench_script("steps")


def test_no_step_is_too_large(steps: Any) -> None:
    too_large = {
        f"{step.lab}/{step.rung}": step.to_write
        for step in steps.all_steps()
        if step.to_write > steps.MOST
    }
    assert too_large == {}, "split the rung, or let its starter give more"


def test_the_page_is_that_of_the_files_of_today(steps: Any) -> None:
    measurements = bench_script("measurements")
    shown = measurements.read_section(measurements.TABLES, "Steps")
    assert shown == steps.page(steps.all_steps()).strip(), (
        "starters or solutions changed: run docs/bench/measure steps"
    )


def test_comments_braces_and_indentation_are_no_code(steps: Any) -> None:
    text = """// a comment
    int a = 1;  // and one behind
    /* one of
       two lines */
    {
      puts("// no comment");

    });
    """
    assert steps.code_lines(text) == {"int a = 1;": 1, 'puts("// no comment");': 1}


def test_a_line_is_new_once_no_earlier_solution_has_it_as_often(steps: Any) -> None:
    rungs = [
        ("01", "todo();", "int a;\nint b;"),
        ("02", "todo();\nint c;", "  int a;\nint a;\nint c;\nint d;"),
        ("03", "todo();", "int b;\nint d;\nint e;"),
    ]
    counted = [
        (step.rung, step.lines, step.new, step.given, step.to_write)
        for step in steps.lab_steps("99-lab", rungs)
    ]
    assert counted == [("01", 2, 2, 0, 2), ("02", 4, 3, 1, 2), ("03", 3, 1, 0, 1)]
