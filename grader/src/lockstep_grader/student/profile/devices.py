# SPDX-License-Identifier: MIT
"""The GPUs whose times are predicted: a file for each in gpus/, or one of your own."""

from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, create_model

from lockstep_grader.intake.toml_tables import Table, read_table
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.timing import Device

FOLDER = Path(__file__).parent / "gpus"
DEFAULT = "h200"


def _kind(type_: Any) -> Any:
    return type_ if type_ is str else Annotated[type_, Field(gt=0, allow_inf_nan=False)]


_FIELDS: dict[str, Any] = {each.name: (_kind(each.type), ...) for each in fields(Device)}
_TABLE = create_model("Device", __base__=Table, **_FIELDS)


def device_names() -> list[str]:
    return sorted(file.stem for file in FOLDER.glob("*.toml"))


def read_device(named: str = DEFAULT) -> Device:
    """The GPU of this name, or of the file at this path. Raises InputError: a line per mistake."""
    file = FOLDER / f"{named}.toml" if named in device_names() else Path(named)
    if not file.is_file():
        raise InputError(
            f"no GPU {named}: there are {', '.join(device_names())}, or name a file like theirs"
        )
    return Device(**read_table(file, _TABLE).model_dump())
