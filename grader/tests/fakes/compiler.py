# SPDX-License-Identifier: MIT
"""A compiler that likes everything but what the source asks it to dislike."""

import sys
import time
from pathlib import Path

source = Path(sys.argv[1])
text = source.read_text("utf-8")
if "SYNTAX" in text:
    sys.exit(f"{source}:3:5: error: expected ';' before '}}' token")
if "BOMB" in text:
    print("x" * 1_000_000)
    sys.exit(1)
while "BUSY_COMPILE" in text:
    pass
if "SLOW_COMPILE" in text:
    time.sleep(600)
