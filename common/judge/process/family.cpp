// SPDX-License-Identifier: MIT
#include "process/family.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <utility>

namespace judge {

std::vector<pid_t> family(pid_t pid) {
  std::vector<pid_t> members = {pid};
  for (std::size_t i = 0; i < members.size(); ++i) {
    // Each thread has its own children; an error: the process is gone.
    std::error_code gone;
    const std::string tasks = "/proc/" + std::to_string(members[i]) + "/task";
    std::filesystem::directory_iterator task(tasks, gone);
    while (!gone && task != std::filesystem::directory_iterator()) {
      std::ifstream children(task->path() / "children");
      for (pid_t child = 0; children >> child;) members.push_back(child);
      task.increment(gone);
    }
  }
  return members;
}

double cpu_seconds_of(pid_t pid) {
  // Fields 14 and 15 of /proc/PID/stat, counted after the command's closing parenthesis.
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t paren = line.rfind(')');
  if (paren == std::string::npos) return 0;
  unsigned long user = 0;
  unsigned long system = 0;
  std::sscanf(line.c_str() + paren + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
              &user, &system);
  return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::size_t memory_bytes_of(pid_t pid, std::size_t shared_bytes) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  std::size_t own = 0;
  std::size_t shared = 0;
  for (std::string name; file >> name;) {
    std::size_t kib = 0;
    if (name == "RssAnon:" || name == "VmSwap:" || name == "HugetlbPages:") {
      file >> kib;
      own += kib << 10;
    } else if (name == "RssShmem:") {
      file >> kib;
      shared = kib << 10;
    }
  }
  return own + shared - std::min(shared, shared_bytes);
}

std::size_t memory_file_bytes_of(const std::vector<pid_t>& pids, std::initializer_list<int> ours) {
  constexpr std::size_t kBlockBytes = 512;  // of st_blocks
  std::set<std::pair<dev_t, ino_t>> seen;
  struct stat status = {};
  for (const int fd : ours) {
    if (fd >= 0 && fstat(fd, &status) == 0) seen.emplace(status.st_dev, status.st_ino);
  }
  std::size_t sum = 0;
  for (const pid_t pid : pids) {
    std::error_code gone;
    const std::string all = "/proc/" + std::to_string(pid) + "/fd";
    std::filesystem::directory_iterator file(all, gone);
    for (; !gone && file != std::filesystem::directory_iterator(); file.increment(gone)) {
      struct statfs system = {};
      const char* const path = file->path().c_str();
      if (statfs(path, &system) != 0 ||
          (system.f_type != TMPFS_MAGIC && system.f_type != HUGETLBFS_MAGIC)) {
        continue;
      }
      if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) continue;
      if (!seen.emplace(status.st_dev, status.st_ino).second) continue;
      sum += static_cast<std::size_t>(status.st_blocks) * kBlockBytes;
    }
  }
  return sum;
}

std::size_t driver_bytes_in(std::istream& maps) {
  std::size_t sum = 0;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0;
    unsigned long end = 0;
    char rights[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights) != 3) continue;
    const bool is_usable = rights[0] == 'r' || rights[1] == 'w';  // else only addresses
    if (is_usable && line.find(" /dev/nvidia") != std::string::npos) sum += end - begin;
  }
  return sum;
}

std::size_t driver_bytes_of(pid_t pid) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  return driver_bytes_in(maps);
}

}  // namespace judge
