# SPDX-License-Identifier: MIT
"""Parts of the standard library that Python 3.10, the one of Ubuntu 22.04, lacks."""

import sys

if sys.version_info >= (3, 11):
    from datetime import UTC
    from enum import StrEnum
    from typing import Self

    import tomllib
else:
    from datetime import timezone
    from enum import Enum

    import tomli as tomllib
    from typing_extensions import Self

    UTC = timezone.utc

    class StrEnum(str, Enum):
        """An enumeration whose members are strings, printed and formatted as such."""

        __str__ = str.__str__


__all__ = ["UTC", "Self", "StrEnum", "tomllib"]
