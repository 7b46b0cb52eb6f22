// SPDX-License-Identifier: MIT
#include "run/running_thread.h"

#include "run/block.h"
#include "run/launch.h"
#include "run/running.h"

namespace simt::device {

ThreadId running_thread() {
  const LaunchConfig& config = running.launch->config;
  return {running.lane->index, running.block->index, config.block, config.grid};
}

std::string running_thread_name() { return thread_name(running_thread()); }

std::string block_name(const Block& block) {
  return block_name(block.index, running.launch->config.grid);
}

}  // namespace simt::device
