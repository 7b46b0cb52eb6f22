// SPDX-License-Identifier: MIT
#include "process/memory_group.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>

namespace judge {
namespace {

constexpr auto kMaxLeaving = std::chrono::seconds(1);
constexpr int kLookAgainUs = 200;

bool write_to(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  out << text << std::flush;
  return out.good();
}

}  // namespace

MemoryGroup::MemoryGroup(const std::string& parent, std::size_t limit_bytes) {
  if (parent.empty()) return;
  // The grader removes what is left of a judge that was killed, by the number in the name.
  folder_ = parent + "/worker-" + std::to_string(getpid()) + "-XXXXXX";
  if (mkdtemp(folder_.data()) == nullptr) {
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
  if (folder_.empty()) return;
  // A process that ends leaves the group a moment after it has closed its files.
  const auto deadline = std::chrono::steady_clock::now() + kMaxLeaving;
  while (rmdir(folder_.c_str()) != 0 && errno == EBUSY &&
         std::chrono::steady_clock::now() < deadline) {
    usleep(kLookAgainUs);
  }
}

bool MemoryGroup::has_reached_limit() const {
  std::ifstream events(folder_ + "/memory.events");
  std::string name;
  for (long count = 0; events >> name >> count;) {
    // Not oom_kill: it also counts what is ended because memory runs out outside of this group.
    if (name == "oom") return count > 0;
  }
  return false;
}

}  // namespace judge
