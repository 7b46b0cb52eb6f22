// SPDX-License-Identifier: MIT
// The memory that graphs allocate and free by nodes. Its addresses are taken when a node is made.
#include <algorithm>
#include <map>

#include "call.h"
#include "connection.h"
#include "error_state.h"
#include "graph.h"

namespace runtime {
namespace {

struct Memory {
  std::size_t size_bytes = 0;
  bool is_live = false;
};

// By where it begins.
std::map<const void*, Memory>& graph_memory() {
  static auto* const all = new std::map<const void*, Memory>;  // outlives all users
  return *all;
}

unsigned long long live_memory() {
  unsigned long long bytes = 0;
  for (const auto& [pointer, memory] : graph_memory()) {
    if (memory.is_live) bytes += memory.size_bytes;
  }
  return bytes;
}

unsigned long long& most_memory() {
  static unsigned long long bytes = 0;
  return bytes;
}

bool is_live(const void* pointer) {
  const auto found = graph_memory().find(pointer);
  return found != graph_memory().end() && found->second.is_live;
}

cudaError_t free_address(const void* pointer) {
  const auto asked = ask(serve::FreeGraphMemory{number(pointer), caller_place()});
  if (asked.error == cudaSuccess) graph_memory()[pointer].is_live = false;
  return asked.error;
}

}  // namespace

void* take_address(std::size_t size_bytes) {
  const auto asked = ask(serve::TakeGraphMemory{0, size_bytes, 1, caller_place()});
  void* const pointer = reinterpret_cast<void*>(asked.result.address);
  if (pointer != nullptr) graph_memory()[pointer] = {size_bytes, false};
  return pointer;
}

cudaError_t take(const cudaMemAllocNodeParams& memory) {
  if (is_live(memory.dptr)) return cudaErrorInvalidValue;  // of an earlier launch
  const auto asked =
      ask(serve::TakeGraphMemory{number(memory.dptr), memory.bytesize, 0, caller_place()});
  if (asked.error != cudaSuccess) return asked.error;
  graph_memory()[memory.dptr].is_live = true;
  most_memory() = std::max(most_memory(), live_memory());
  return cudaSuccess;
}

cudaError_t give_back(const cudaMemFreeNodeParams& memory) { return free_address(memory.dptr); }

bool release_graph_memory(const void* pointer) {
  return is_live(pointer) && free_address(pointer) == cudaSuccess;
}

void free_left(const CUgraph_st& graph) {
  for (const auto& node : graph.nodes) {
    const auto* const memory = std::get_if<cudaMemAllocNodeParams>(&node->work);
    if (memory != nullptr && is_live(memory->dptr)) free_address(memory->dptr);
  }
}

}  // namespace runtime

using namespace runtime;

// What is reserved is what is used: graphs keep no memory that they have freed.
cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  RUNTIME_CALL;
  if (device != 0) return set_last_error(cudaErrorInvalidDevice);
  if (value == nullptr || attribute > cudaGraphMemAttrReservedMemHigh) {
    return set_last_error(cudaErrorInvalidValue);
  }
  const bool is_high =
      attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
  *static_cast<unsigned long long*>(value) = is_high ? most_memory() : live_memory();
  return set_last_error(cudaSuccess);
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  RUNTIME_CALL;
  if (device != 0) return set_last_error(cudaErrorInvalidDevice);
  const bool is_high =
      attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
  const bool fine = value != nullptr && is_high && *static_cast<unsigned long long*>(value) == 0;
  if (fine) most_memory() = live_memory();
  return set_last_error(fine ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  RUNTIME_CALL;
  return set_last_error(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
