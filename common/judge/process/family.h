// SPDX-License-Identifier: MIT
// What the system says about a process and those below it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <initializer_list>
#include <istream>
#include <vector>

namespace judge {

// `pid` and all processes below it: a sandbox has its own between us and the worker.
std::vector<pid_t> family(pid_t pid);

double cpu_seconds_of(pid_t pid);

// Its own pages, in memory or swapped out, and the shared ones beyond `shared_bytes`, which are
// ours. Pages of files do not count: they are read-only, and the system may drop them.
std::size_t memory_bytes_of(pid_t pid, std::size_t shared_bytes);

// What files in memory hold that any of these has open, be they mapped or not; without those of
// `ours`, descriptors of this process or -1. What is mapped of them is a shared page, too, and
// counts twice.
std::size_t memory_file_bytes_of(const std::vector<pid_t>& pids, std::initializer_list<int> ours);

// Host memory that NVIDIA's driver has mapped into it: pinned and managed memory is of no file and
// in no count of pages.
std::size_t driver_bytes_of(pid_t pid);
// The same, of the text of /proc/PID/maps.
std::size_t driver_bytes_in(std::istream& maps);

}  // namespace judge
