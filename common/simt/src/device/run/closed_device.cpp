// SPDX-License-Identifier: MIT
#include "run/closed_device.h"

#include <sys/mman.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <unordered_set>
#include <utility>

#include "run/untraced.h"
#include "simt/call_stack.h"
#include "simt/closed_device.h"
#include "simt/counters.h"
#include "simt/error_state.h"
#include "simt/finding.h"
#include "simt/memory.h"
#include "simt/page.h"
#include "simt/sealed.h"

namespace simt {
namespace {

bool g_closes = false;  // between the two functions below
bool g_is_closed = false;
struct sigaction g_old_action;

// Pages of managed and pinned memory.
std::pmr::unordered_set<std::uintptr_t>& pages_used() {
  static auto* const pages =  // outlives all users
      std::pmr::polymorphic_allocator<>(sealed_memory())
          .new_object<std::pmr::unordered_set<std::uintptr_t>>();
  return *pages;
}

void report_touched(const Allocation* allocation, const void* address) {
  set_sticky_error(cudaErrorIllegalAddress);
  const bool is_inside = allocation != nullptr && allocation->live && allocation->contains(address);
  const SourcePlace where = program_place(capture_call_stack());
  report({FindingKind::kHostPointer, where.file, where.line, "",
          "a function of the host's library accesses " +
              (is_inside ? allocation->name : std::string("the device's memory")) +
              " itself: on a GPU that is a segmentation fault; copy it with cudaMemcpy"});
}

void handle(int signal, siginfo_t* info, void*) {
  const device::Untraced untraced;
  const void* const address = info->si_addr;
  if (!g_is_closed || !is_device_address(address)) {  // any other fault
    sigaction(signal, &g_old_action, nullptr);
    return;  // and trap again
  }
  const Allocation* const found = find_allocation(address);
  if (found != nullptr && found->live && found->contains(address) && found->host_accessible()) {
    const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(address) / page_bytes();
    pages_used().insert(page);
    mprotect(reinterpret_cast<void*>(page * page_bytes()), page_bytes(), PROT_READ | PROT_WRITE);
    return;
  }
  internal::open_device();  // for the rest of the call: one finding is enough
  report_touched(found, address);
}

}  // namespace

bool internal::open_device() {
  if (!g_is_closed) return false;
  protect_device_memory(PROT_READ | PROT_WRITE);
  g_is_closed = false;
  return true;
}

void internal::close_device() {
  if (!g_closes || g_is_closed) return;
  protect_device_memory(PROT_NONE);
  g_is_closed = true;
}

bool internal::is_host_watched() { return g_closes; }

void internal::note_hosts_use(std::uintptr_t address, std::size_t size_bytes) {
  if (!g_closes) return;
  const std::uintptr_t last = (address + size_bytes - 1) / page_bytes();
  for (std::uintptr_t page = address / page_bytes(); page <= last; ++page) {
    pages_used().insert(page);
  }
}

bool internal::has_host_used(std::uintptr_t page) { return pages_used().contains(page); }

void internal::forget_hosts_uses() { pages_used().clear(); }

void close_device_to_host() {
  if (!is_counting()) return;
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(SIGSEGV, &action, &g_old_action);
  g_closes = true;
  internal::close_device();
}

void open_device_to_host() {
  internal::open_device();
  if (std::exchange(g_closes, false)) sigaction(SIGSEGV, &g_old_action, nullptr);
}

}  // namespace simt
