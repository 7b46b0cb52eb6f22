// SPDX-License-Identifier: MIT
#include "run/path.h"

namespace simt::device {

std::array<std::uint32_t, kPathBlocks> path_blocks;

}  // namespace simt::device
