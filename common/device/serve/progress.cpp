// SPDX-License-Identifier: MIT
#include "serve/progress.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace serve {

Progress::Progress(const char* path) {
  if (path == nullptr) return;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void* const shared =
      mmap(nullptr, sizeof(ProgressFigures), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (shared != MAP_FAILED) figures_ = static_cast<ProgressFigures*>(shared);
}

void Progress::launch_begins(run::Launch& launch) {
  std::memset(figures_->kernel, 0, sizeof figures_->kernel);
  launch.kernel->readable.copy(figures_->kernel, sizeof figures_->kernel - 1);
  figures_->num_ended = 0;
  figures_->num_blocks = launch.grid.count();
  ++figures_->num_launches;
}

void Progress::launch_ends(run::Launch&) { figures_->num_blocks = 0; }

void Progress::block_ends(run::Block&) {
  figures_->num_ended.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace serve
