# SPDX-License-Identifier: MIT
"""What editors read of a check: lines for a problem matcher, VS Code's tasks, and JSON."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer

from lockstep_grader.cli.main import app
from test_student_verbs import is_watching, read_until

import jsonc
from conftest import LAB, Checkout, verdict_line, wait_for
from repository import REPOSITORY

SCHEMAS = REPOSITORY / "grader" / "src" / "lockstep_grader" / "schemas"
TASKS = {task["label"]: task for task in jsonc.read(REPOSITORY / ".vscode/tasks.json")["tasks"]}
PATTERN = TASKS["check"]["problemMatcher"]["pattern"]

RACE = {"kind": "race", "file": "01_first.cu", "line": 3, "message": "a is racy:\n  x:7: error\n"}
BUDGET = {"kind": "budget", "file": "01_first.cu", "line": 2, "message": "too many"}
CONTRACT = {"kind": "leak", "file": "demo.cuh", "line": 1, "message": "kept"}
NOWHERE = {"kind": "crash", "file": "vanished.cuh", "line": 9, "message": "\x1b[31mgone"}


def problems(out: str) -> list[dict[str, str]]:
    """What VS Code takes from a task's output: a dictionary for each line that matches."""
    fields = ("file", "line", "severity", "code", "message")
    found = (re.match(PATTERN["regexp"], line) for line in out.splitlines())
    return [{field: match[PATTERN[field]] for field in fields} for match in found if match]


def wrong(checkout: Checkout, *findings: dict[str, Any]) -> Path:
    text = "// a\n// b\n// c\n" + verdict_line(outcome="failed", message="no", findings=findings)
    checkout.submission("labs", {"01_first": text})
    return checkout.root.resolve() / "labs" / LAB


def test_each_finding_is_one_line_that_the_matcher_reads(checkout: Checkout) -> None:
    folder = wrong(checkout, RACE, BUDGET, CONTRACT, NOWHERE)
    ran = checkout.lab("check", f"{LAB}/01_first", "--problems")
    assert ran.status == 1
    assert "race  01_first.cu:3" in ran.out  # people read on
    found = {problem["code"]: problem for problem in problems(ran.out)}
    assert found["race"] == {
        "file": str(folder / "01_first.cu"),
        "line": "3",
        "severity": "error",
        "code": "race",
        "message": "a is racy: x:7: error",
    }
    assert found["budget"]["severity"] == "warning"
    assert (found["leak"]["file"], found["leak"]["line"]) == (str(folder / "demo.cuh"), "1")
    assert (found["crash"]["file"], found["crash"]["line"]) == (str(folder / "01_first.cu"), "1")
    assert found["crash"]["message"] == "\\x1b[31mgone"
    assert len(found) == 4


def test_a_todo_is_a_note_and_a_compile_error_has_its_line(checkout: Checkout) -> None:
    (todo,) = problems(checkout.lab("check", f"{LAB}/01", "--problems").out)
    assert (todo["severity"], todo["code"]) == ("note", "todo")
    checkout.submission("labs", {"01_first": "// one\n// two\nSYNTAX here\n"})
    (error,) = problems(checkout.lab("check", f"{LAB}/01", "--problems").out)
    assert (error["severity"], error["code"], error["line"]) == ("error", "compile_error", "3")


def test_a_failed_test_without_a_finding_is_a_problem_too(checkout: Checkout) -> None:
    wrong(checkout)
    (problem,) = problems(checkout.lab("check", f"{LAB}/01", "--problems").out)
    assert (problem["code"], problem["line"]) == ("failed", "1")
    assert problem["message"].endswith(": no")


def test_a_broken_judge_is_a_problem_and_a_passed_rung_is_none(checkout: Checkout) -> None:
    checkout.submission("labs", {"01_first": "//! segfault\n"})
    ran = checkout.lab("check", LAB, "--problems")
    assert [problem["code"] for problem in problems(ran.out)] == ["not_graded"]
    assert (ran.status, "not graded" in ran.out) == (3, True)


def test_a_check_without_the_option_prints_no_such_line(checkout: Checkout) -> None:
    wrong(checkout, RACE)
    assert problems(checkout.lab("check", f"{LAB}/01").out) == []


def test_watch_says_where_a_round_begins_and_ends(checkout: Checkout) -> None:
    wrong(checkout, RACE)
    matcher = TASKS["watch"]["problemMatcher"]
    running = checkout.start("watch", f"{LAB}/01_first", "--problems")
    assert running.stdout is not None
    try:
        wait_for(lambda: is_watching(running.pid))
        lines = read_until(running.stdout, "Ctrl-C ends").splitlines()
        begins, ends = (
            [at for at, line in enumerate(lines) if re.match(matcher["background"][key], line)]
            for key in ("beginsPattern", "endsPattern")
        )
        assert len(begins) == len(ends) == 1
        inside = "\n".join(lines[begins[0] : ends[0]])
        assert [problem["code"] for problem in problems(inside)] == ["race"]
    finally:
        running.kill()
        running.communicate()


# ---- check --json


def checked(checkout: Checkout, *arguments: str | Path) -> tuple[int, Any]:
    ran = checkout.lab("check", *arguments, "--json")
    report = json.loads(ran.out)
    schema = json.loads((SCHEMAS / "check.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(report, schema)
    return ran.status, report


def test_json_holds_outcomes_points_findings_and_hints(checkout: Checkout) -> None:
    folder = wrong(checkout, RACE)
    status, report = checked(checkout, LAB, "--seed", "7")
    assert (status, report["seed"], report["backend"]) == (1, 7, "cpu")
    lab = report["lab"]
    assert (lab["id"], lab["folder"], lab["max_score"]) == (LAB, str(folder), 10)
    first, second = lab["rungs"]
    assert (first["outcome"], first["score"]) == ("failed", 0)
    assert first["findings"] == [{**RACE, "column": None}]
    assert first["hint"] == f"./lab hint {LAB}/01_first"
    assert (second["outcome"], second["score"], second["findings"]) == ("passed", 6, [])


def test_json_of_full_marks_exits_0_and_of_a_broken_judge_3(checkout: Checkout) -> None:
    status, report = checked(checkout, LAB, "--from", checkout.root / "solutions")
    assert (status, report["lab"]["score"]) == (0, 10)
    checkout.submission("labs", {"01_first": "//! segfault\n"})
    status, report = checked(checkout, f"{LAB}/01")
    rung = report["lab"]["rungs"][0]
    assert (status, rung["outcome"], rung["score"], bool(rung["fault"])) == (3, "error", None, True)


def test_json_of_a_wrong_name_is_nothing_on_stdout(checkout: Checkout) -> None:
    ran = checkout.lab("check", "99-nothing", "--json")
    assert (ran.status, ran.out) == (2, "")
    assert ran.complaint


def test_what_check_and_grade_have_in_common_is_described_alike() -> None:
    check, grade = (
        json.loads((SCHEMAS / f"{name}.schema.json").read_text())["$defs"]
        for name in ("check", "grade")
    )
    for name in set(check) & set(grade) - {"lab", "rung"}:
        assert check[name] == grade[name], name


# ---- .vscode


@pytest.mark.parametrize("label", sorted(TASKS))
def test_each_task_is_a_command_that_lab_understands(label: str) -> None:
    task = TASKS[label]
    assert (task["type"], task["command"]) == ("process", "${workspaceFolder}/lab")
    assert set(task) <= {
        "args",
        "command",
        "detail",
        "group",
        "isBackground",
        "label",
        "presentation",
        "problemMatcher",
        "type",
    }
    values = {
        "${fileDirnameBasename}": LAB,
        "${fileBasenameNoExtension}": "01_first",
        "${fileDirname}": f"/w/labs/{LAB}",
        "${file}": f"/w/labs/{LAB}/01_first.cu",
    }
    words = [
        re.sub(r"\$\{\w+\}", lambda found: values[found[0]], argument) for argument in task["args"]
    ]
    verb, *arguments = words
    group: Any = typer.main.get_command(app)
    group.commands[verb].make_context(verb, arguments)


def test_the_tasks_have_one_matcher_and_clangd_reads_the_sources() -> None:
    matcher = TASKS["check"]["problemMatcher"]
    watching = dict(TASKS["watch"]["problemMatcher"])
    assert watching.pop("background")["activeOnStart"] is True
    assert watching == matcher
    assert (matcher["owner"], matcher["fileLocation"]) == ("lockstep", "absolute")
    settings = jsonc.read(REPOSITORY / ".vscode/settings.json")
    assert settings["C_Cpp.intelliSenseEngine"] == "disabled"
    recommended = jsonc.read(REPOSITORY / ".vscode/extensions.json")["recommendations"]
    assert recommended == ["llvm-vs-code-extensions.vscode-clangd"]
