// SPDX-License-Identifier: MIT
// What the runtime asks about addresses.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "memory/address_map.h"
#include "memory/book.h"
#include "serve/commands.h"
#include "shared_pages.h"

namespace runtime {

using MemoryKind = memory::Allocation::Kind;

// As the device knows it: a __managed__ variable has an address of the host's, too.
inline std::uint64_t number(const void* pointer) {
  return device_address(reinterpret_cast<std::uint64_t>(pointer));
}
inline bool is_device_address(const void* pointer) { return memory::is_device(number(pointer)); }

// The live allocation that an address belongs to.
struct Found {
  std::uint64_t base = 0;
  std::uint64_t size_bytes = 0;
  MemoryKind kind = MemoryKind::kDevice;

  bool exists() const { return base != 0; }
  bool contains(const void* pointer, std::size_t bytes = 1) const {
    const std::uint64_t offset = number(pointer) - base;
    return exists() && offset < size_bytes && bytes <= size_bytes - offset;
  }
  bool is_hosts_too() const {
    return exists() && (kind == MemoryKind::kManaged || kind == MemoryKind::kPinnedHost);
  }
};
Found find_allocation(const void* pointer);

// Device memory. Null: none is left. The reason of an error is recorded.
void* allocate(std::size_t size_bytes, serve::Memory memory, cudaError_t* error,
               std::uint64_t stream = serve::kNoStream);
cudaError_t release(void* pointer, serve::FreeCall call, cudaStream_t stream = nullptr);

}  // namespace runtime
