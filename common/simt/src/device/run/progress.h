// SPDX-License-Identifier: MIT
// Keeps simt::Progress up to date.
#pragma once

#include <cstdint>
#include <string_view>

namespace simt::device {

void show_launch(std::string_view kernel, std::uint64_t num_blocks);
void show_ended_blocks(std::uint64_t num_ended);
void show_no_launch();

}  // namespace simt::device
