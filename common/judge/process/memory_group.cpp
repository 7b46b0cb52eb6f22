// SPDX-License-Identifier: MIT
#include "process/memory_group.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>

namespace judge {
namespace {

bool write_to(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  out << text << std::flush;
  return out.good();
}

}  // namespace

MemoryGroup::MemoryGroup(const std::string& parent, std::size_t limit_bytes) {
  static std::atomic<int> count = 0;
  if (parent.empty()) return;
  folder_ =
      parent + "/worker-" + std::to_string(getpid()) + "-" + std::to_string(count.fetch_add(1));
  if (mkdir(folder_.c_str(), 0755) != 0) {
    folder_.clear();
    return;
  }
  if (!write_to(folder_ + "/memory.max", std::to_string(limit_bytes))) return;
  write_to(folder_ + "/memory.swap.max", "0");  // not where the kernel does not count swap
  write_to(folder_ + "/memory.oom.group", "1");
  door_fd_ = open((folder_ + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC | O_CREAT, 0644);
}

MemoryGroup::~MemoryGroup() {
  if (door_fd_ >= 0) close(door_fd_);
  if (!folder_.empty()) rmdir(folder_.c_str());
}

bool MemoryGroup::has_ended_one() const {
  std::ifstream events(folder_ + "/memory.events");
  std::string name;
  for (long count = 0; events >> name >> count;) {
    if (name == "oom_kill") return count > 0;
  }
  return false;
}

}  // namespace judge
