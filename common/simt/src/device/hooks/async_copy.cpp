// SPDX-License-Identifier: MIT
// Asynchronous copies to shared memory: what the functions of async_copy.h call.
#include "simt/async_copy.h"

#include "check/block_checks.h"
#include "count/tally.h"
#include "program/address.h"
#include "report/memory_text.h"
#include "run/block.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/scheduler.h"
#include "run/untraced.h"

namespace simt {
namespace {

using device::running;

// Whether a copy that has not arrived differs from one that has. If not, the caller has made it.
bool follows_copies() { return running.launch != nullptr && !running.is_silent; }

device::AsyncCopies& running_copies() {
  const int thread = running.warp->thread_id(running.lane_id);
  return running.checks->copies[static_cast<std::size_t>(thread)];
}

void count_at(const void* pc, Counter counter) {
  if (is_counting()) device::tally().count(device::pack_pc(pc), counter, 1);
}

}  // namespace

void check_copy(const void* destination, const void* source, std::size_t size_bytes,
                std::size_t zero_bytes) {
  if (running.launch == nullptr) return;
  const void* const pc = __builtin_return_address(0);
  const bool is_size = size_bytes == 4 || size_bytes == 8 || size_bytes == 16;
  if (!is_size || zero_bytes > size_bytes) {
    const device::Untraced untraced;
    device::end_kernel(
        {cudaErrorAssert, FindingKind::kCrash,
         device::impossible_copy_text(device::running_thread_name(), size_bytes, zero_bytes), pc});
  }
  for (const void* const side : {source, destination}) {
    const auto address = reinterpret_cast<std::uintptr_t>(side);
    if (address % size_bytes == 0) continue;
    const device::Untraced untraced;
    device::end_kernel(
        {cudaErrorMisalignedAddress, FindingKind::kMisaligned,
         device::misaligned_copy_text(device::running_thread_name(), side == source ? "from" : "to",
                                      address, size_bytes),
         pc});
  }
}

void begin_copy(void* destination, std::size_t size_bytes, bool has_source) {
  if (!follows_copies()) return;
  const void* const pc = __builtin_return_address(0);
  const device::Untraced untraced;
  running_copies().begin(reinterpret_cast<std::uintptr_t>(destination), size_bytes, pc,
                         running.checks->shared);
  if (has_source) count_at(pc, Counter::kCopiesToShared);
}

void commit_copies() {
  if (follows_copies()) running_copies().commit();
}

void wait_for_copies(std::size_t num_later_batches) {
  if (!follows_copies()) return;
  const device::Untraced untraced;
  for (const void* const pc : running_copies().wait(num_later_batches, running.checks->shared)) {
    count_at(pc, Counter::kCopiesOutlastingWaits);
  }
}

}  // namespace simt
