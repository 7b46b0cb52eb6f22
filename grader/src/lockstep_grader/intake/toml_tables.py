# SPDX-License-Identifier: MIT
"""TOML files read into pydantic models; an error names the file, the line and the key."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from lockstep_grader.intake.toml_lines import (
    MAX_BYTES,
    MAX_DOTS,
    KeyPath,
    bytes_of,
    key_lines,
    line_of,
    load,
    spelled,
)
from lockstep_grader.model.errors import MistakesError

_MOST_PROBLEMS = 20  # of one file that are listed
# By pydantic's type of an error, whose own words address programmers. Names in braces are of the
# error's context.
_SAID = {
    "extra_forbidden": "there is no such key",
    "missing": "is missing",
    "model_type": "is not a table, such as [NAME]",
    "tuple_type": 'is not a list; write ["a", "b"], or [[NAME]] above each table',
    "string_type": "is not a text in quotation marks",
    "string_too_short": "is empty",
    "string_too_long": "has more than {max_length} characters",
    "bool_type": "is not true or false",
    **dict.fromkeys(("int_type", "int_from_float"), "is not a whole number"),
    "float_type": "is not a number",
    "finite_number": "is not a number of finite size",
    "greater_than": "is not more than {gt:.10g}",
    "greater_than_equal": "is less than {ge:.10g}",
    "less_than_equal": "is more than {le:.10g}",
    **dict.fromkeys(
        ("datetime_type", "datetime_parsing", "datetime_from_date_parsing"),
        "is not a date and a time; write it as in 2026-10-12T23:59:00",
    ),
}


class Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


_AnyTable = TypeVar("_AnyTable", bound=Table)


def read_table(file: Path, model: type[_AnyTable]) -> _AnyTable:
    """Raises InputError, with a line for each mistake."""
    return parse_table(str(file), bytes_of(file), model)


def parse_table(
    name: str,
    data: bytes,
    model: type[_AnyTable],
    max_bytes: int = MAX_BYTES,
    max_dots: int = MAX_DOTS,
) -> _AnyTable:
    """`data` of the file `name`. Raises InputError, with a line for each mistake."""
    text, loaded = load(name, data, max_bytes, max_dots)
    try:
        return model.model_validate(loaded)
    except ValidationError as error:
        lines = key_lines(text)
        raise MistakesError(
            [
                f"{name}:{line_of(lines, path)}: {spelled(path) or 'the file'}: {said}"
                for path, said in problems(error)
            ]
        ) from error


def first_problem(error: ValidationError) -> tuple[KeyPath, str]:
    """The key at fault, and what is wrong with it."""
    return next(problems(error))


def problems(error: ValidationError) -> Iterator[tuple[KeyPath, str]]:
    """Each key at fault, and what is wrong with it; a list is not at fault for a part of it."""
    errors = error.errors(include_url=False, include_input=False)
    parts = {each["loc"][:end] for each in errors for end in range(len(each["loc"]))}
    for each in [each for each in errors if each["loc"] not in parts][:_MOST_PROBLEMS]:
        found: Any = each
        said = _SAID.get(found["type"], found["msg"].removeprefix("Value error, "))
        yield tuple(found["loc"]), said.format(**found.get("ctx", {}))
