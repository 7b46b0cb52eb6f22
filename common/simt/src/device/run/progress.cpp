// SPDX-License-Identifier: MIT
#include "run/progress.h"

#include <algorithm>

#include "run/part.h"
#include "simt/progress.h"

namespace simt {
namespace {

Progress* g_progress = nullptr;

constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

void show_progress(Progress* progress) { g_progress = progress; }

namespace device {

void show_launch(std::string_view kernel, std::uint64_t num_blocks) {
  if (g_progress == nullptr) return;
  g_progress->num_blocks.store(0, kRelaxed);
  g_progress->num_ended.store(0, kRelaxed);
  const std::size_t length = std::min(kernel.size(), g_progress->kernel.size() - 1);
  std::copy_n(kernel.begin(), length, g_progress->kernel.begin());
  g_progress->kernel[length] = '\0';
  g_progress->num_launches.fetch_add(1, kRelaxed);
  g_progress->num_blocks.store(num_blocks, std::memory_order_release);
}

void show_ended_blocks(std::uint64_t num_ended) {
  if (g_progress == nullptr) return;
  if (is_part) {  // it does not know of the others'
    g_progress->num_ended.fetch_add(1, kRelaxed);
  } else {
    g_progress->num_ended.store(num_ended, kRelaxed);
  }
}

void show_no_launch() {
  if (g_progress != nullptr) g_progress->num_blocks.store(0, kRelaxed);
}

}  // namespace device
}  // namespace simt
