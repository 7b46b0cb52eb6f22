# SPDX-License-Identifier: MIT
"""The judge, the grader and the schemas of its JSON know the same kinds of findings."""

import json
import re
from collections.abc import Iterator
from importlib import resources
from typing import Any

import pytest

from lockstep_grader.model.grades import FindingKind

from repository import REPOSITORY

LIST = REPOSITORY / "common" / "judge" / "protocol" / "finding_kinds.h"
ENTRY = re.compile(r'^inline constexpr const char\* (\w+) = "(\w+)";$', re.MULTILINE)
KINDS = [kind.value for kind in FindingKind]


def enums(schema: Any) -> Iterator[list[str]]:
    """Each list of kinds in the schema, however deep."""
    if isinstance(schema, dict):
        if FindingKind.RACE in schema.get("enum", []):
            yield schema["enum"]
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from enums(part)


def test_the_judge_lists_them_in_the_same_order() -> None:
    entries = ENTRY.findall(LIST.read_text("utf-8"))
    assert [name for _, name in entries] == KINDS
    for constant, name in entries:
        assert constant == "k" + "".join(word.capitalize() for word in name.split("_"))


@pytest.mark.parametrize("name", ["grade", "check"])
def test_the_schemas_list_them(name: str) -> None:
    file = resources.files("lockstep_grader") / "schemas" / f"{name}.schema.json"
    found = list(enums(json.loads(file.read_text("utf-8"))))
    assert [sorted(kinds) for kinds in found] == [sorted(KINDS)]


SOURCES = ["common/judge", "labs/*/judge"]


@pytest.mark.parametrize("folder", SOURCES)
def test_cpp_sources_spell_no_kind_by_hand(folder: str) -> None:
    spelled = re.compile("|".join(f'"{kind}"' for kind in KINDS))
    files = sorted(set(REPOSITORY.glob(f"{folder}/**/*.[ch]*")) - {LIST})
    found = [
        f"{file.relative_to(REPOSITORY)}: {line.strip()}"
        for file in files
        for line in file.read_text("utf-8").splitlines()
        if spelled.search(line)
    ]
    assert found == []
    assert len(files) > 1
