# SPDX-License-Identifier: MIT
"""The devcontainer and the Dockerfile agree, and a copy of any lab builds an image of its own."""

import re

import pytest

from lockstep_grader.author.release.contents import release_files
from lockstep_grader.model.grades import Lab

import jsonc
from repository import LABS, REPOSITORY, WORKSPACE, each_lab

DOCKERFILE = (REPOSITORY / ".devcontainer" / "Dockerfile").read_text()


def test_the_devcontainer_mounts_the_checkout_where_the_image_built_it() -> None:
    container = jsonc.read(REPOSITORY / ".devcontainer/devcontainer.json")
    assert set(container) == {
        "build",
        "customizations",
        "name",
        "postCreateCommand",
        "remoteUser",
        "workspaceFolder",
        "workspaceMount",
    }
    assert container["build"] == {"dockerfile": "Dockerfile", "context": ".."}
    (folder,) = re.findall(r"^WORKDIR (\S+)$", DOCKERFILE, re.MULTILINE)
    assert container["workspaceFolder"] == folder
    assert f"target={folder},type=bind" in container["workspaceMount"]
    (user,) = re.findall(r"^USER (\S+)$", DOCKERFILE, re.MULTILINE)
    assert container["remoteUser"] == user
    assert container["postCreateCommand"] == f"cp -an /opt/prebuilt/. {folder}/"
    assert "cp -al .venv build /opt/prebuilt" in DOCKERFILE
    recommended = jsonc.read(REPOSITORY / ".vscode/extensions.json")["recommendations"]
    assert container["customizations"]["vscode"]["extensions"] == recommended


def test_what_is_ignored_by_git_is_not_sent_to_docker() -> None:
    ignored = (REPOSITORY / ".dockerignore").read_text().splitlines()
    for line in (REPOSITORY / ".gitignore").read_text().splitlines():
        name = line.strip("/")
        if name not in ("*.egg-info", "compile_commands.json"):
            assert {name, f"**/{name}"} & set(ignored), line


@pytest.mark.skipif(not WORKSPACE.solutions.is_dir(), reason="this is a students' copy")
@each_lab
def test_a_copy_of_one_lab_names_that_lab_in_its_image_and_notebook(lab: Lab) -> None:
    files = release_files(WORKSPACE, LABS, [lab])
    for path in (".devcontainer/Dockerfile", "docs/notebooks/lockstep.ipynb"):
        text = files[path].decode()
        assert any(f"{lab.id}/{rung.id}" in text for rung in lab.rungs)
        assert {other.id for other in LABS if other.id in text} == {lab.id}
    flags = files["common/cuda/editor/compile_flags.txt"].decode()
    assert [other.id for other in LABS if other.id in flags] == [lab.id]


def test_images_are_built_for_processors_older_than_the_builders() -> None:
    templates = REPOSITORY / "grader/src/lockstep_grader/author/packages/templates"
    for text in (DOCKERFILE, (templates / "prepare.sh.j2").read_text("utf-8")):
        assert "LOCKSTEP_DEVICE_LEVEL=portable" in text
