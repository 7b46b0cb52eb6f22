# SPDX-License-Identifier: MIT
"""Workflows, pipelines, hooks and issue forms follow their schemas, and what they run exists."""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from lockstep_grader.author.packages.build import pipelines
from lockstep_grader.author.selftest.sections import SECTIONS

from command_line import complaint
from markdown import lab_commands
from repository import REPOSITORY

FORMS = sorted((REPOSITORY / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))
SHELL_WORDS = re.compile(r"\$\{\{.*?\}\}|\$\{?\w+(?::-\w+)?\}?")  # ${{ a.b }}, $A, ${a:-0}
# No value of a matrix decides whether a command exists; one that all verbs take stands for it.
STAND_IN = "lint"


@pytest.fixture(scope="module")
def student(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a student's repository with two labs."""
    folder = tmp_path_factory.mktemp("student")
    for name, file in pipelines(["00-threads", "01-reduction"]).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(file.data)
    return folder


@pytest.fixture(scope="module", params=["ours", "a student's"])
def root(request: pytest.FixtureRequest, student: Path) -> Path:
    return REPOSITORY if request.param == "ours" else student


def problems(schema: str, *files: Path) -> str:
    """What the schema has against the files; empty when nothing."""
    transform = ["--data-transform", "gitlab-ci"] if schema == "gitlab-ci" else []
    argv = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    done = subprocess.run([*argv, *transform, *files], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def workflows(root: Path) -> list[Path]:
    return sorted((root / ".github" / "workflows").glob("*.yml"))


def jobs(root: Path) -> Iterator[tuple[Path, str, Any]]:
    """Each job of GitHub's workflows, parsed."""
    for file in workflows(root):
        for name, job in yaml.safe_load(file.read_text("utf-8"))["jobs"].items():
            yield file, name, job


def scripts(root: Path) -> list[str]:
    """Every line that a job of either platform gives to a shell."""
    steps = [step for _, _, job in jobs(root) for step in job["steps"]]
    lines = [line for step in steps for line in step.get("run", "").splitlines()]
    pipeline = yaml.safe_load((root / ".gitlab-ci.yml").read_text("utf-8"))
    parts = [part for part in pipeline.values() if isinstance(part, dict)]
    return lines + [
        line for part in parts for key in ("before_script", "script") for line in part.get(key, ())
    ]


def test_workflows_and_pipelines_follow_their_schemas(root: Path) -> None:
    assert workflows(root)
    assert problems("github-workflows", *workflows(root)) == ""
    assert problems("gitlab-ci", root / ".gitlab-ci.yml") == ""


def test_issue_forms_follow_their_schema() -> None:
    assert len(FORMS) == 3
    assert problems("github-issue-forms", *FORMS) == ""
    assert problems("github-issue-config", FORMS[0].parent / "config.yml") == ""


def test_a_file_that_breaks_its_schema_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "ci.yml"
    text = workflows(REPOSITORY)[0].read_text("utf-8")
    file.write_text(text.replace("runs-on:", "run-on:"))
    assert "run-on" in problems("github-workflows", file)


def test_every_lab_command_of_a_job_is_understood(root: Path) -> None:
    found = [words for line in scripts(root) for words in lab_commands(as_typed(line))]
    assert len(found) >= 2
    wrong = {" ".join(words): problem for words in found if (problem := complaint(words))}
    assert wrong == {}


def as_typed(line: str) -> str:
    return SHELL_WORDS.sub(STAND_IN, line).replace(
        f"autograde github {STAND_IN}", "autograde github 00"
    )


def test_a_wrong_command_in_a_job_would_be_noticed() -> None:
    (words,) = lab_commands(as_typed('./lab grad labs --lab "$LAB" || status=$?'))
    assert complaint(words) == "no verb grad"
    (words,) = lab_commands(as_typed("./lab test --sections ${{ matrix.section }}"))
    assert "--sections" in complaint(words)


def test_scripts_that_jobs_start_are_there_and_parse(root: Path) -> None:
    for line in scripts(root):
        done = subprocess.run(["bash", "-n", "-c", line], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), line
        for word in shlex.split(line):
            if word.startswith(".ci/"):
                assert shutil.which(REPOSITORY / word), word


def test_the_jobs_cover_every_section_of_the_tests() -> None:
    wanted = {section.name for section in SECTIONS} - {"cuda"}  # there is no nvcc in a container
    pipeline = yaml.safe_load((REPOSITORY / ".gitlab-ci.yml").read_text("utf-8"))
    matrix = {name: job.get("strategy", {}).get("matrix", {}) for _, name, job in jobs(REPOSITORY)}
    assert set(matrix["test"]["section"]) == wanted
    assert set(pipeline["test"]["parallel"]["matrix"][0]["SECTION"]) == wanted


def test_both_platforms_build_on_the_same_systems() -> None:
    pipeline = yaml.safe_load((REPOSITORY / ".gitlab-ci.yml").read_text("utf-8"))
    matrix = next(job for _, name, job in jobs(REPOSITORY) if name == "systems")["strategy"][
        "matrix"
    ]
    assert pipeline["systems"]["parallel"]["matrix"][0]["IMAGE"] == matrix["image"]


def test_a_students_repository_has_a_job_for_each_lab(student: Path) -> None:
    ((_, _, job),) = jobs(student)
    pipeline = yaml.safe_load((student / ".gitlab-ci.yml").read_text("utf-8"))
    assert job["strategy"]["matrix"]["lab"] == ["00-threads", "01-reduction"]
    assert pipeline["grade"]["parallel"]["matrix"] == [{"LAB": ["00-threads", "01-reduction"]}]
    assert job["container"] == pipeline["grade"]["image"]


def test_actions_run_on_a_node_that_github_still_has(root: Path) -> None:
    """GitHub removed Node 20 from its runners in September 2026: older majors do not start."""
    oldest = {"actions/checkout": 5, "actions/cache": 5}
    for _, _, job in jobs(root):
        for step in job["steps"]:
            if "uses" in step:
                name, _, version = step["uses"].partition("@v")
                assert int(version) >= oldest[name]


def test_hooks_are_valid_and_their_programs_exist() -> None:
    file = REPOSITORY / ".pre-commit-config.yaml"
    argv = [sys.executable, "-m", "pre_commit", "validate-config", str(file)]
    done = subprocess.run(argv, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    listed = ["git", "-C", str(REPOSITORY), "ls-files", "-co", "--exclude-standard"]
    known = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.splitlines()
    (repository,) = yaml.safe_load(file.read_text("utf-8"))["repos"]
    for hook in repository["hooks"]:
        pattern = re.compile(hook["files"])
        assert any(map(pattern.search, known)), hook["id"]
        for words in lab_commands(hook["entry"]):
            assert complaint(words) == ""
        words = hook["entry"].split()
        assert words[0] == "./lab"  # which makes .venv: a fresh clone has none
        for word in words:
            if word.startswith("grader/"):
                assert (REPOSITORY / word).is_file()


def test_every_path_with_an_owner_to_be_is_there() -> None:
    lines = (REPOSITORY / ".github" / "CODEOWNERS").read_text("utf-8").splitlines()
    paths = [line.split()[1] for line in lines if line.endswith(" @OWNER")]
    assert len(paths) > 10
    for path in paths:
        assert path == "*" or list(REPOSITORY.glob(path.strip("/"))), path
