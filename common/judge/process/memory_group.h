// SPDX-License-Identifier: MIT
// A control group of Linux for one worker. The kernel counts all its memory, and ends it at the
// limit however fast it takes it; the judge looks only at times.
#pragma once

#include <cstddef>
#include <string>

namespace judge {

class MemoryGroup {
 public:
  // Makes a group in `parent`, a folder of a control group (version 2) that is ours to divide. If
  // that is empty or fails, there is none.
  MemoryGroup(const std::string& parent, std::size_t limit_bytes);
  ~MemoryGroup();  // removes the group; its processes must be ending
  MemoryGroup(const MemoryGroup&) = delete;
  MemoryGroup& operator=(const MemoryGroup&) = delete;

  // A process that writes "0" there enters the group, with all processes that it will start; -1
  // without a group.
  int door_fd() const { return door_fd_; }

  // Whether the group needed more than its limit, for which the kernel ends its processes. It may
  // also end them because the machine, or a group around this one, has no memory left.
  bool has_reached_limit() const;

 private:
  std::string folder_;
  int door_fd_ = -1;
};

}  // namespace judge
