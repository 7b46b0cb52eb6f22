# SPDX-License-Identifier: MIT
"""TOML files read into pydantic models; an error names the file, the line and the key."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from lockstep_grader.intake.toml_lines import KeyPath, key_lines, line_of, spelled
from lockstep_grader.model.compat import tomllib
from lockstep_grader.model.errors import InputError, MistakesError

_MAX_BYTES = 1 << 20
# tomllib takes time and memory for the square of the parts of one key, a.b.c: 25 GB for 100,000.
_MAX_DOTS = 500  # in one line: only its end bounds a key, whose parts may be quoted
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
    """Raises InputError with one line."""
    try:
        with file.open("rb") as stream:
            data = stream.read(_MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error
    return parse_table(str(file), data, model)


def parse_table(
    name: str,
    data: bytes,
    model: type[_AnyTable],
    max_bytes: int = _MAX_BYTES,
    max_dots: int = _MAX_DOTS,
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


def load(
    name: str, data: bytes, max_bytes: int = _MAX_BYTES, max_dots: int = _MAX_DOTS
) -> tuple[str, dict[str, Any]]:
    """The text of the TOML file `name`, and what is in it. Raises InputError with one line."""
    if len(data) > max_bytes:
        raise InputError(f"{name} is larger than {max_bytes >> 10} KiB")
    for number, raw in enumerate(data.split(b"\n"), 1):
        if raw.count(b".") > max_dots:
            raise InputError(f"{name}:{number}: more than {max_dots} dots in one line")
    try:
        text = decoded(data)
        return text, _loaded(text)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}:{line}: not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name}: not TOML: {error}") from error
    except RecursionError as error:
        raise InputError(f"{name}: its tables are nested too deeply") from error


def decoded(data: bytes) -> str:
    """Its text, without the mark that some editors of Windows put in front."""
    return data.decode("utf-8-sig")


def _loaded(text: str) -> dict[str, Any]:
    """Raises TOMLDecodeError, also for a number that Python does not read."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:
        raise tomllib.TOMLDecodeError(f"a number is too long ({error})") from error


def first_problem(error: ValidationError) -> tuple[KeyPath, str]:
    """The key at fault, and what is wrong with it."""
    return next(problems(error))


def problems(error: ValidationError) -> Iterator[tuple[KeyPath, str]]:
    """Each key at fault, and what is wrong with it."""
    for each in error.errors(include_url=False, include_input=False)[:_MOST_PROBLEMS]:
        found: Any = each
        said = _SAID.get(found["type"], found["msg"].removeprefix("Value error, "))
        yield tuple(found["loc"]), said.format(**found.get("ctx", {}))
