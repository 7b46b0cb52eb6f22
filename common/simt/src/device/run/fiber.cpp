// SPDX-License-Identifier: MIT
#include "run/fiber.h"

#include <sys/mman.h>

#include <iterator>
#include <new>
#include <set>

#include "run/confined.h"
#include "run/switch_stack.h"

namespace simt::device {
namespace {

// With its guard, and so not a power of two: a processor looks for pages that are one apart in the
// same few entries of its tables, and large blocks need a page of each thread.
constexpr std::size_t kDistance = kGuardBytes + kStackBytes;
constexpr std::size_t kMappingBytes = FiberPool::kStacksPerMapping * kDistance;

std::set<std::uintptr_t> g_mappings;  // where they start

// Linux 6.13 and later mark guards in the page table. Before, each guard splits a mapping in two,
// and Linux allows 65530 mappings a process. Grids that need more stacks than this are rare; the
// stacks beyond go without a guard.
constexpr int kGuardInstall = 102;  // MADV_GUARD_INSTALL, which older headers lack
constexpr std::size_t kMaxGuards = 16384;

// Stacks are multiples of 4096 bytes apart, so equal frames of all threads would compete for the
// same few cache sets. Each stack therefore starts at another offset.
constexpr std::size_t kNumOffsets = 32;
constexpr std::size_t kOffsetBytes = 192;

// Makes the next switch to `fiber` start it anew.
void renew(Fiber& fiber) { fiber.context = prepare_stack(fiber.stack_end, fiber_main); }

// Takes away all access to the guard below the stack number `index`.
void install_guard(char* low, std::size_t index) {
  static bool has_markers = true;
  if (has_markers) has_markers = madvise(low, kGuardBytes, kGuardInstall) == 0;
  if (!has_markers && index < kMaxGuards) mprotect(low, kGuardBytes, PROT_NONE);
}

}  // namespace

bool is_fiber_stack(std::uintptr_t address) {
  const auto after = g_mappings.upper_bound(address);
  return after != g_mappings.begin() && address - *std::prev(after) < kMappingBytes;
}

void switch_fiber(Fiber& from, Fiber& to) { simt_switch_stack(&from.context, to.context); }

Fiber* FiberPool::acquire() {
  if (idle_.empty()) add_stacks();
  Fiber* const fiber = idle_.back();
  idle_.pop_back();
  return fiber;
}

void FiberPool::abandon_all() {
  idle_.clear();
  for (auto group = fibers_.rbegin(); group != fibers_.rend(); ++group) {
    for (auto fiber = (*group)->rbegin(); fiber != (*group)->rend(); ++fiber) {
      renew(*fiber);
      idle_.push_back(&*fiber);
    }
  }
}

void FiberPool::add_stacks() {
  void* const mapping = map_stacks(kMappingBytes);
  if (mapping == nullptr) throw std::bad_alloc();
  g_mappings.insert(reinterpret_cast<std::uintptr_t>(mapping));
  const std::size_t first = fibers_.size() * kStacksPerMapping;
  fibers_.push_back(std::make_unique<std::array<Fiber, kStacksPerMapping>>());
  for (std::size_t i = kStacksPerMapping; i-- > 0;) {
    char* const low = static_cast<char*>(mapping) + i * kDistance;
    install_guard(low, first + i);
    Fiber& fiber = (*fibers_.back())[i];
    fiber.stack_low = reinterpret_cast<std::uintptr_t>(low) + kGuardBytes;
    fiber.stack_bytes = kStackBytes - i % kNumOffsets * kOffsetBytes;
    fiber.stack_end = fiber.stack_low + fiber.stack_bytes;
    if (simt_confined.stacks.contains(fiber.stack_low)) {
      fiber.returns = {{fiber.stack_low, fiber.stack_bytes}, kMappingBytes};
    }
    renew(fiber);
    idle_.push_back(&fiber);
  }
}

}  // namespace simt::device
