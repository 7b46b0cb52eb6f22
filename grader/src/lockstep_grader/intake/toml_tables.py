# SPDX-License-Identifier: MIT
"""TOML files read into pydantic models; an error names the file, the line and the key."""

from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from lockstep_grader.intake.toml_lines import first_problem, key_lines, line_of, spelled
from lockstep_grader.model.compat import tomllib
from lockstep_grader.model.errors import InputError

_MAX_BYTES = 1 << 20
# tomllib takes time and memory for the square of the parts of one key, a.b.c: 25 GB for 100,000.
_MAX_DOTS = 500  # in one line: only its end bounds a key, whose parts may be quoted


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
    """`data` of the file `name`. Raises InputError with one line."""
    if len(data) > max_bytes:
        raise InputError(f"{name} is larger than {max_bytes >> 10} KiB")
    for number, raw in enumerate(data.split(b"\n"), 1):
        if raw.count(b".") > max_dots:
            raise InputError(f"{name}:{number}: more than {max_dots} dots in one line")
    try:
        text = decoded(data)
        return model.model_validate(_loaded(text))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}:{line}: not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name}: not TOML: {error}") from error
    except RecursionError as error:
        raise InputError(f"{name}: its tables are nested too deeply") from error
    except ValidationError as error:
        path, said = first_problem(error)
        place = f"{name}:{line_of(key_lines(text), path)}"
        raise InputError(f"{place}: {spelled(path) or 'the file'}: {said}") from error


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
