// SPDX-License-Identifier: MIT
#include "lock.h"

#include <dirent.h>
#include <sys/single_threaded.h>

#include <memory>
#include <mutex>
#include <utility>

namespace runtime {
namespace {

int g_depth = 0;  // how often its owner has taken the mutex

std::recursive_mutex& mutex() {
  static auto* const only = new std::recursive_mutex;  // outlives all users
  return *only;
}

}  // namespace

DeviceLock::DeviceLock() {
  mutex().lock();
  ++g_depth;
}

DeviceLock::~DeviceLock() {
  --g_depth;
  mutex().unlock();
}

DeviceLoan::DeviceLoan() : depth_(std::exchange(g_depth, 0)) {
  for (int i = 0; i < depth_; ++i) mutex().unlock();
}

DeviceLoan::~DeviceLoan() {
  for (int i = 0; i < depth_; ++i) mutex().lock();
  g_depth = depth_;
}

bool has_other_threads() {
  if (__libc_single_threaded != 0) return false;
  const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir("/proc/self/task"), closedir);
  if (tasks == nullptr) return true;  // a sandbox without /proc: perhaps
  int num_threads = 0;
  while (const dirent* const entry = readdir(tasks.get())) num_threads += entry->d_name[0] != '.';
  return num_threads > 1;
}

}  // namespace runtime
