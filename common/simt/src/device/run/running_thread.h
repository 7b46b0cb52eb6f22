// SPDX-License-Identifier: MIT
// The running thread, by name.
#pragma once

#include <string>

#include "report/words.h"

namespace simt::device {

struct Block;

ThreadId running_thread();
std::string running_thread_name();
std::string block_name(const Block& block);  // of the running launch

}  // namespace simt::device
