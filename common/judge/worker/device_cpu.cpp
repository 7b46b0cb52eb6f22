// SPDX-License-Identifier: MIT
// The worker on the emulator: buffers arrive as shared memory, and the checkers learn where each
// begins and ends.
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lab/cuda_error.cuh"
#include "lab/todo.cuh"
#include "simt/call_stack.h"
#include "simt/closed_device.h"
#include "simt/confine.h"
#include "simt/counters.h"
#include "simt/error_state.h"
#include "simt/finding.h"
#include "simt/host_crash.h"
#include "simt/memory.h"
#include "simt/recording.h"
#include "simt/schedule.h"
#include "simt/sealed.h"
#include "worker/confine.h"
#include "worker/counters_cpu.h"
#include "worker/device.h"
#include "worker/rungs_turn.h"

namespace worker {
namespace {

static_assert(wire::kTamperingStatus == simt::kSealedStatus);

// The allocations of the running call in its scratch memory; it may touch nothing else there.
std::vector<void*> g_scratch;

// Of the processor time after which the judge ends the worker without an answer. A kernel ends
// earlier, with a finding that names its line; what reaches the judge's limit is the host's code.
constexpr double kShareOfTime = 0.8;
double g_batch_seconds = 0;

// Allocations up to this number existed before the batch.
std::uint64_t g_last_id = 0;

std::string g_recording;
void keep_recording(const std::string& text) { g_recording = text; }

bool is_students(const simt::Allocation& allocation) {
  return allocation.id > g_last_id && (allocation.kind == simt::Allocation::Kind::kDevice ||
                                       allocation.kind == simt::Allocation::Kind::kManaged ||
                                       allocation.kind == simt::Allocation::Kind::kDeviceHeap);
}

// Under which condition the call left out what follows: "when cudaMalloc in line 37 fails".
std::string when_it_threw() {
  const int line = simt::program_place(simt::failed_allocation().stack).line;
  if (line == 0) return "";
  const std::string& what = simt::failed_allocation().what;
  return " when " + (what.empty() ? "the allocation" : what) + " in line " + std::to_string(line) +
         " fails";
}

std::string remedy(const simt::Allocation& allocation, bool threw) {
  if (allocation.kind == simt::Allocation::Kind::kDeviceHeap) {
    return ") were allocated in a kernel and never freed: a kernel must free or delete them";
  }
  return threw ? ") are never freed" + when_it_threw() +
                     ": the call ended by an exception, which leaves out what follows; call "
                     "cudaFree in a destructor"
               : ") were allocated during the call and never freed: call cudaFree";
}

// Device memory that the batch's calls allocated and did not free.
void report_leaks(bool threw) {
  for (const simt::Allocation* allocation : simt::live_allocations()) {
    if (!is_students(*allocation)) continue;
    const simt::SourcePlace place = simt::program_place(allocation->made_by);
    simt::report({simt::FindingKind::kLeak, place.file, place.line, "",
                  std::to_string(allocation->size_bytes) + " bytes of device memory (" +
                      allocation->name + remedy(*allocation, threw)});
  }
}

// A failed allocation that the call went on after. What came of the null pointer is reported, too.
void report_failed_allocation(const std::string& function) {
  const simt::ErrorOrigin& failed = simt::failed_allocation();
  const simt::SourcePlace place = simt::program_place(failed.stack);
  const simt::SourcePlace last = simt::program_place(simt::last_error_origin().stack);
  const bool is_last = last.file == place.file && last.line == place.line;
  if (place.line == 0 || (is_last && simt::sticky_error() == cudaSuccess)) return;
  simt::report({simt::FindingKind::kLaunchError, place.file, place.line, "",
                function + " ignored an error: line " + std::to_string(place.line) + ", " +
                    (failed.what.empty() ? "an allocation" : failed.what) +
                    ": cudaErrorMemoryAllocation: out of memory. Its pointer is null: put check() "
                    "around each CUDA call"});
}

}  // namespace

void claim_resources() {
  simt::reserve_device_range();
  simt::reserve_device_records();
  const std::array called = {reinterpret_cast<simt::AnyFunction>(scratch_observer()),
                             simt::what_of(lab::CudaError(cudaSuccess)),
                             simt::what_of(lab::Todo(""))};
  simt::confine(called);
  give_up_loading();
}

void close_stack(const void* from) { simt::close_stack(from); }

void explain_crashes(void (*last_words)(const std::string& what)) {
  simt::explain_host_crashes(last_words);
}

std::byte* open_arena(const wire::Hello& hello) {
  g_batch_seconds = hello.batch_seconds;
  return static_cast<std::byte*>(simt::map_shared(wire::kArenaFd, hello.arena_bytes));
}

void prepare_for_checker() {}  // the emulator's own checkers are always there

void close_arena(std::byte*) {}  // it ends with the process, and each batch reports its leaks

void begin_batch(const wire::Batch& batch, std::byte* d_arena) {
  simt::set_schedule(batch.schedule_seed);
  simt::set_time_limit(kShareOfTime * g_batch_seconds);
  simt::set_counting(batch.count != 0);
  g_recording.clear();
  simt::record_launch(batch.kernel, batch.record != 0 ? keep_recording : nullptr);
  for (const simt::Allocation* allocation : simt::live_allocations()) g_last_id = allocation->id;
  for (const wire::Region& region : batch.regions) {
    if (region.size_bytes == 0) continue;
    simt::declare_allocation(d_arena + region.offset_bytes, region.size_bytes, region.name.c_str(),
                             region.initialized != 0);
  }
}

void end_batch(const wire::Batch& batch, std::byte* d_arena, bool threw) {
  report_leaks(threw);
  for (const wire::Region& region : batch.regions) {
    if (region.size_bytes > 0) simt::retire_allocation(d_arena + region.offset_bytes);
  }
}

void* scratch_memory(std::size_t size_bytes, bool) {
  release_scratch();
  return size_bytes == 0 ? nullptr : simt::scratch_room(size_bytes);
}

lab::Scratch::Observer scratch_observer() {
  return [](void* d_base, std::size_t size_bytes) {
    if (size_bytes == 0) return;
    g_scratch.push_back(d_base);
    const std::string name = "scratch allocation " + std::to_string(g_scratch.size());
    simt::declare_allocation(d_base, size_bytes, name.c_str(), false,
                             simt::Allocation::Kind::kScratch);
  };
}

void release_scratch() {
  for (void* const d_base : g_scratch) simt::retire_scratch(d_base);
  g_scratch.clear();
}

void begin_turn() {
  close_stack(__builtin_dwarf_cfa());
  simt::close_device_to_host();
}
void end_turn() { simt::open_device_to_host(); }

std::string text_of(const std::exception& thrown) { return simt::text_of(thrown); }

void report_error(const std::string& function, const std::string& what, bool was_ignored) {
  report_failed_allocation(function);
  if (simt::sticky_error() != cudaSuccess) return;  // a kernel's fault, which is a finding already
  const simt::ErrorOrigin& origin = simt::last_error_origin();
  const simt::SourcePlace place = simt::program_place(origin.stack);
  if (place.line == 0) return;
  const std::string culprit = "line " + std::to_string(place.line) + ", " +
                              (origin.what.empty() ? "a CUDA call" : origin.what) + ": " + what;
  simt::report({simt::FindingKind::kLaunchError, place.file, place.line, origin.kernel,
                was_ignored ? function + " ignored an error: " + culprit +
                                  ". Ask for the error after each launch, "
                                  "as check_launch() does, and put check() around each CUDA call"
                            : culprit});
}

wire::Report take_report() {
  wire::Report report;
  for (const simt::Finding& finding : simt::take_findings()) {
    report.findings.push_back({simt::finding_kind_name(finding.kind), finding.file, finding.line,
                               finding.kernel, finding.message});
  }
  report.kernels = take_counters();
  report.recording = std::exchange(g_recording, {});
  report.launches = simt::launches_seen();
  return report;
}

}  // namespace worker
