# SPDX-License-Identifier: MIT
"""Names that CUDA once had: compilers call them undefined, old texts still use them."""

import re

_WARP_FUNCTION = re.compile(
    r"(?=.*(?:undefined|not declared|undeclared))"
    r".*?['\"\u2018](?P<name>__(?:shfl(?:_up|_down|_xor)?|any|all|ballot))['\"\u2019]"
)


def with_successor(message: str) -> str:
    """A compiler's message; of a name that CUDA has removed, also what took its place."""
    if match := _WARP_FUNCTION.search(message):
        name = match["name"]
        return (
            f"{message}: CUDA 9 replaced {name} by {name}_sync, whose first argument names the "
            "lanes that take part (0xffffffff: all 32)"
        )
    return message
