# SPDX-License-Identifier: MIT
"""Names that CUDA has for newer GPUs alone: for an older one nvcc calls them undefined."""

import re
from collections.abc import Sequence

_NEEDS = (
    (re.compile(r"__reduce_(?:add|min|max|and|or|xor)_sync"), "8.0", "use __shfl_xor_sync"),
    (
        re.compile(
            r"__cluster_\w+|__cluster(?:DimIsSpecified|Dim|RelativeBlock(?:Idx|Rank)|Idx|"
            r"GridDimInClusters|SizeInBlocks)|__is(?:Cta|Cluster)Shared|__threadfence_cluster|"
            r"this_cluster|cluster_group"
        ),
        "9.0",
        "leave clusters out",
    ),
)
_UNDEFINED = re.compile(
    r'(?:identifier "(?P<name>\w+)" is undefined|has no member "(?P<member>\w+)")$'
)


def with_needed_gpu(message: str, architectures: Sequence[str]) -> str:
    """nvcc's message; of a name that the oldest of `architectures` lacks, also which one has it."""
    if match := _UNDEFINED.search(message):
        name = match["name"] or match["member"]
        oldest = min(architectures, key=float)
        for names, needed, advice in _NEEDS:
            if names.fullmatch(name) and float(oldest) < float(needed):
                return (
                    f"{message}: {name} needs compute capability {needed}, and this rung is also "
                    f"compiled for {oldest}: {advice}"
                )
    return message
