# SPDX-License-Identifier: MIT
"""confirmed.json in a results folder: second judgements, each of one first judgement.

A confirmation counts as long as the judgement that it confirms does: the key says which that is.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel

from lockstep_grader.machine.files import write_json
from lockstep_grader.model.grades import Confirmation
from lockstep_grader.results.parsed import confirmation_of
from lockstep_grader.results.schema import Confirmed
from lockstep_grader.results.serial import confirmation_json
from lockstep_grader.results.store import ResultId, Store

FILE = "confirmed.json"


class _Kept(Confirmed):
    submission: str
    key: str


class _File(BaseModel):
    version: Literal[1]
    confirmations: tuple[_Kept, ...]


def read_confirmed(store: Store) -> Mapping[ResultId, Confirmation]:
    """Those of judgements that still count; a damaged file has none."""
    try:
        file = _File.model_validate(json.loads((store.folder / FILE).read_bytes()))
    except (OSError, ValueError):
        return {}
    found = {}
    for each in file.confirmations:
        result = ResultId(each.submission, each.lab, each.rung)
        if store.key(result) == each.key:
            found[result] = confirmation_of(each)
    return found


def write_confirmed(store: Store, confirmed: Mapping[ResultId, Confirmation]) -> None:
    """Writes all of them. Raises FaultError."""
    write_json(
        store.folder / FILE,
        {
            "version": 1,
            "confirmations": [
                {
                    "submission": result.submission,
                    "key": store.key(result),
                    **confirmation_json(confirmed[result]),
                }
                for result in sorted(confirmed, key=str)
            ],
        },
    )


def of_submission(
    confirmed: Mapping[ResultId, Confirmation], submission: str
) -> Sequence[Confirmation]:
    ids = sorted((each for each in confirmed if each.submission == submission), key=str)
    return [confirmed[each] for each in ids]
