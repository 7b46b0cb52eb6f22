// SPDX-License-Identifier: MIT
// The worker on the emulator: buffers arrive as shared memory, and the checkers learn where each
// begins and ends.
#include "lab/cuda_error.cuh"
#include "simt/finding.h"
#include "simt/memory.h"
#include "simt/schedule.h"
#include "worker/device.h"

namespace worker {
namespace {

// Made afresh for each call, so that no call reads what another one left behind.
void* g_scratch = nullptr;

}  // namespace

std::byte* open_arena(const wire::Hello& hello) {
  return static_cast<std::byte*>(simt::map_shared(wire::kArenaFd, hello.arena_bytes));
}

void begin_batch(const wire::Batch& batch, std::byte* d_arena) {
  simt::set_schedule(batch.schedule_seed);
  for (const wire::Region& region : batch.regions) {
    if (region.size_bytes == 0) continue;
    simt::declare_allocation(d_arena + region.offset_bytes, region.size_bytes, region.name.c_str(),
                             region.initialized != 0);
  }
}

void end_batch(const wire::Batch& batch, std::byte* d_arena) {
  for (const wire::Region& region : batch.regions) {
    if (region.size_bytes > 0) simt::retire_allocation(d_arena + region.offset_bytes);
  }
}

void* scratch_memory(std::size_t size_bytes, bool) {
  release_scratch();
  if (size_bytes == 0) return nullptr;
  g_scratch = simt::allocate(size_bytes, simt::Allocation::Kind::scratch);
  if (g_scratch == nullptr) throw std::bad_alloc();
  return g_scratch;
}

lab::Scratch::Observer scratch_observer() { return nullptr; }

void release_scratch() {
  if (g_scratch != nullptr) simt::release(g_scratch, simt::Allocation::Kind::scratch);
  g_scratch = nullptr;
}

void take_report(wire::Reply& reply) {
  for (simt::Finding& finding : simt::take_findings()) {
    reply.findings.push_back(
        {finding.kind, finding.file, finding.line, finding.kernel, finding.message});
  }
}

}  // namespace worker
