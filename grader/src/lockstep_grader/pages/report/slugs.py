# SPDX-License-Identifier: MIT
"""File names for pages: readable, plain ASCII, and no two the same."""

import hashlib
import json
import re
import unicodedata

_MAX_WORDS = 40  # characters of the readable part


def page_name(*identifiers: str) -> str:
    """A file name for the page of `identifiers`; others have another name."""
    joined = " ".join(identifiers)
    plain = unicodedata.normalize("NFKD", joined).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_MAX_WORDS].strip("-")
    digest = hashlib.sha256(json.dumps(identifiers).encode()).hexdigest()[:16]
    return f"{words}-{digest}.html" if words else f"{digest}.html"
