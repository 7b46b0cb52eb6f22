# SPDX-License-Identifier: MIT
"""JSON with one record per line: a change of one record is a change of one line.

The scripts of docs/bench import it before any package is installed: standard library only.
"""

import json
from typing import Any


def as_records(report: dict[str, Any]) -> str:
    """A line for each field; or for each of its items, if these have parts of their own."""
    return _lines({name: _field(value) for name, value in report.items()}, "")


def _field(value: Any) -> str:
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if not any(isinstance(item, (dict, list)) for item in items):
        return json.dumps(value)
    if isinstance(value, dict):
        return _lines({name: json.dumps(item) for name, item in value.items()}, " ")
    rows = ",\n  ".join(map(json.dumps, value))
    return f"[\n  {rows}\n ]"


def _lines(fields: dict[str, str], indent: str) -> str:
    between = f",\n{indent} "
    rows = between.join(f"{json.dumps(name)}: {text}" for name, text in fields.items())
    return f"{{\n{indent} {rows}\n{indent}}}" if rows else "{}"
