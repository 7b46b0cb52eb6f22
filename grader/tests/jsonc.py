# SPDX-License-Identifier: MIT
"""JSON with // comments, as VS Code and devcontainers read it; anything else is an error."""

import json
import re
from pathlib import Path
from typing import Any

_TOKEN = re.compile(r'(?P<string>"(?:\\.|[^"\\\n])*") | (?P<comment>//[^\n]*)', re.VERBOSE)


def read(file: Path) -> Any:
    """The value in `file`. Raises ValueError for a name that an object has twice."""
    text = _TOKEN.sub(lambda found: found["string"] or "", file.read_text("utf-8"))
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        raise ValueError(f"a name stands twice among {names}")
    return dict(pairs)
