// SPDX-License-Identifier: MIT
// Allocations, copies and fills.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "client.h"
#include "memory/address_map.h"
#include "memory/book.h"
#include "registry.h"

namespace runtime {
namespace {

using Kind = memory::Allocation::Kind;

// What the host may use itself is mapped here, too, at the same addresses, at its first allocation.
bool map_shared_range() {
  static const bool is_mapped = [] {
    void* const base = reinterpret_cast<void*>(memory::kSharedWithHostBase);
    return mmap(base, memory::kSharedWithHostBytes, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_FIXED | MAP_NORESERVE, serve::kSharedWithHostFd, 0) != MAP_FAILED;
  }();
  return is_mapped;
}

cudaError_t allocate(void** pointer, std::size_t size_bytes, Kind kind, const char* call,
                     const serve::Place& place, std::uint32_t flags = 0) {
  if (pointer == nullptr) return finish(cudaErrorInvalidValue, call, place);
  *pointer = nullptr;
  if (kind != Kind::kDevice && !map_shared_range()) {
    return finish(cudaErrorMemoryAllocation, call, place);
  }
  serve::Request request;
  request.place = place;
  request.size_bytes = size_bytes;
  request.kind = static_cast<std::uint32_t>(kind);
  request.flags = flags;
  Client& client = Client::get();
  const std::lock_guard lock(client.mutex());
  const cudaError_t error = client.call(serve::Command::kAllocate, request);
  *pointer = reinterpret_cast<void*>(client.reply().address);
  return finish(error, std::string(call) + " of " + std::to_string(size_bytes) + " bytes", place);
}

cudaError_t release(void* pointer, Kind kind, const char* call, const serve::Place& place,
                    std::uint32_t flags = 0, cudaStream_t stream = nullptr) {
  serve::Request request;
  request.place = place;
  request.address = reinterpret_cast<std::uint64_t>(pointer);
  request.kind = static_cast<std::uint32_t>(kind);
  request.flags = flags;
  request.stream = stream_number(stream);
  cudaError_t error = Client::get().call(serve::Command::kFree, request);
  if (error == cudaErrorInvalidValue && kind == Kind::kDevice) {
    request.kind = static_cast<std::uint32_t>(Kind::kManaged);
    error = Client::get().call(serve::Command::kFree, request);
  }
  return finish(error, call, place);
}

bool is_device_address(const void* pointer) {
  return memory::is_device(reinterpret_cast<std::uint64_t>(pointer));
}

struct Copy {
  void* to;
  const void* from;
  std::size_t size_bytes;
  cudaMemcpyKind kind;
  cudaStream_t stream;
  bool blocks;
  const char* call;
};

cudaError_t copy_pieces(serve::Command command, const Copy& copy, const serve::Place& place) {
  Client& client = Client::get();
  const std::lock_guard lock(client.mutex());
  for (std::size_t at = 0; at < copy.size_bytes; at += serve::kDataBytes) {
    const std::size_t size = std::min(serve::kDataBytes, copy.size_bytes - at);
    serve::Request request;
    request.place = place;
    request.size_bytes = size;
    request.stream = stream_number(copy.stream);
    request.more = at + size < copy.size_bytes;
    request.flags = copy.blocks && request.more == 0 ? serve::kBlocks : 0;
    if (command == serve::Command::kWrite) {
      request.address = reinterpret_cast<std::uint64_t>(copy.to) + at;
      const std::string_view data(static_cast<const char*>(copy.from) + at, size);
      if (const cudaError_t error = client.call(command, request, data)) return error;
    } else {
      request.address = reinterpret_cast<std::uint64_t>(copy.from) + at;
      if (const cudaError_t error = client.call(command, request)) return error;
      std::memcpy(static_cast<char*>(copy.to) + at, client.data(), size);
    }
  }
  return cudaSuccess;
}

cudaError_t copy(Copy wanted, const serve::Place& place) {
  const std::string what =
      std::string(wanted.call) + " of " + std::to_string(wanted.size_bytes) + " bytes";
  if (wanted.size_bytes == 0) return cudaSuccess;
  if (wanted.to == nullptr || wanted.from == nullptr)
    return finish(cudaErrorInvalidValue, what, place);
  const bool to_device = is_device_address(wanted.to);
  const bool from_device = is_device_address(wanted.from);
  const bool says_to =
      wanted.kind == cudaMemcpyHostToDevice || wanted.kind == cudaMemcpyDeviceToDevice;
  const bool says_from =
      wanted.kind == cudaMemcpyDeviceToHost || wanted.kind == cudaMemcpyDeviceToDevice;
  if (wanted.kind != cudaMemcpyDefault) {
    const auto is_shared = [](const void* p) {
      return reinterpret_cast<std::uint64_t>(p) - memory::kSharedWithHostBase <
             memory::kSharedWithHostBytes;
    };
    if (says_to != to_device && !is_shared(wanted.to))
      return finish(cudaErrorInvalidValue, what, place);
    if (says_from != from_device && !is_shared(wanted.from)) {
      return finish(cudaErrorInvalidValue, what, place);
    }
  }
  if (!to_device && !from_device) {
    std::memmove(wanted.to, wanted.from, wanted.size_bytes);
    return cudaSuccess;
  }
  cudaError_t error = cudaSuccess;
  if (to_device && from_device) {
    serve::Request request;
    request.place = place;
    request.address = reinterpret_cast<std::uint64_t>(wanted.to);
    request.source = reinterpret_cast<std::uint64_t>(wanted.from);
    request.size_bytes = wanted.size_bytes;
    request.stream = stream_number(wanted.stream);
    error = Client::get().call(serve::Command::kCopy, request);
  } else {
    error = copy_pieces(to_device ? serve::Command::kWrite : serve::Command::kRead, wanted, place);
  }
  return finish(error, what, place);
}

cudaError_t fill(void* pointer, int value, std::size_t size_bytes, cudaStream_t stream, bool blocks,
                 const char* call, const serve::Place& place) {
  if (size_bytes == 0) return cudaSuccess;
  serve::Request request;
  request.place = place;
  request.address = reinterpret_cast<std::uint64_t>(pointer);
  request.size_bytes = size_bytes;
  request.value = static_cast<std::uint32_t>(value);
  request.stream = stream_number(stream);
  request.flags = blocks ? serve::kBlocks : 0;
  return finish(Client::get().call(serve::Command::kFill, request),
                std::string(call) + " of " + std::to_string(size_bytes) + " bytes", place);
}

}  // namespace
}  // namespace runtime

using runtime::Copy;

extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t size_bytes) {
  return runtime::allocate(pointer, size_bytes, runtime::Kind::kDevice, "cudaMalloc",
                           RUNTIME_PLACE);
}
cudaError_t cudaMallocManaged(void** pointer, std::size_t size_bytes, unsigned) {
  return runtime::allocate(pointer, size_bytes, runtime::Kind::kManaged, "cudaMallocManaged",
                           RUNTIME_PLACE);
}
cudaError_t cudaMallocHost(void** pointer, std::size_t size_bytes, unsigned) {
  return runtime::allocate(pointer, size_bytes, runtime::Kind::kPinnedHost, "cudaMallocHost",
                           RUNTIME_PLACE);
}
cudaError_t cudaHostAlloc(void** pointer, std::size_t size_bytes, unsigned) {
  return runtime::allocate(pointer, size_bytes, runtime::Kind::kPinnedHost, "cudaHostAlloc",
                           RUNTIME_PLACE);
}
cudaError_t cudaMallocAsync(void** pointer, std::size_t size_bytes, cudaStream_t) {
  return runtime::allocate(pointer, size_bytes, runtime::Kind::kDevice, "cudaMallocAsync",
                           RUNTIME_PLACE, serve::kOrdered);
}
cudaError_t cudaFree(void* pointer) {
  return runtime::release(pointer, runtime::Kind::kDevice, "cudaFree", RUNTIME_PLACE);
}
cudaError_t cudaFreeHost(void* pointer) {
  return runtime::release(pointer, runtime::Kind::kPinnedHost, "cudaFreeHost", RUNTIME_PLACE);
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return runtime::release(pointer, runtime::Kind::kDevice, "cudaFreeAsync", RUNTIME_PLACE,
                          serve::kOrdered, stream);
}
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  serve::Request request;
  auto& client = runtime::Client::get();
  const std::lock_guard lock(client.mutex());
  const cudaError_t error = client.call(serve::Command::kMemoryInfo, request);
  *free_bytes = client.reply().free_bytes;
  *total_bytes = client.reply().size_bytes;
  return error;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t size_bytes, cudaMemcpyKind kind) {
  return runtime::copy({to, from, size_bytes, kind, nullptr, true, "cudaMemcpy"}, RUNTIME_PLACE);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size_bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return runtime::copy({to, from, size_bytes, kind, stream, false, "cudaMemcpyAsync"},
                       RUNTIME_PLACE);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind) {
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width_bytes, height, kind, nullptr);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width_bytes, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  const serve::Place place = RUNTIME_PLACE;
  if (width_bytes > to_pitch || width_bytes > from_pitch) {
    return runtime::finish(cudaErrorInvalidValue, "cudaMemcpy2D", place);
  }
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t error = runtime::copy(
        {static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch,
         width_bytes, kind, stream, stream == nullptr, "cudaMemcpy2D"},
        place);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
cudaError_t cudaMemset(void* pointer, int value, std::size_t size_bytes) {
  return runtime::fill(pointer, value, size_bytes, nullptr, false, "cudaMemset", RUNTIME_PLACE);
}
cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t size_bytes, cudaStream_t stream) {
  return runtime::fill(pointer, value, size_bytes, stream, false, "cudaMemsetAsync", RUNTIME_PLACE);
}
cudaError_t cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width_bytes,
                         std::size_t height) {
  return cudaMemset2DAsync(pointer, pitch, value, width_bytes, height, nullptr);
}
cudaError_t cudaMemset2DAsync(void* pointer, std::size_t pitch, int value, std::size_t width_bytes,
                              std::size_t height, cudaStream_t stream) {
  const serve::Place place = RUNTIME_PLACE;
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t error = runtime::fill(static_cast<char*>(pointer) + row * pitch, value,
                                            width_bytes, stream, false, "cudaMemset2D", place);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

#define RUNTIME_SYMBOL(name)                                                            \
  const serve::Place place = RUNTIME_PLACE;                                             \
  const runtime::Variable* const variable = runtime::find_variable(symbol);             \
  if (variable == nullptr) return runtime::finish(cudaErrorInvalidSymbol, name, place); \
  char* const at = reinterpret_cast<char*>(variable->address) + offset;                 \
  if (offset > variable->size_bytes || size_bytes > variable->size_bytes - offset) {    \
    return runtime::finish(cudaErrorInvalidValue, name, place);                         \
  }

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t size_bytes,
                               std::size_t offset, cudaMemcpyKind) {
  RUNTIME_SYMBOL("cudaMemcpyToSymbol")
  return runtime::copy(
      {at, from, size_bytes, cudaMemcpyDefault, nullptr, true, "cudaMemcpyToSymbol"}, place);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t size_bytes,
                                    std::size_t offset, cudaMemcpyKind, cudaStream_t stream) {
  RUNTIME_SYMBOL("cudaMemcpyToSymbolAsync")
  return runtime::copy(
      {at, from, size_bytes, cudaMemcpyDefault, stream, false, "cudaMemcpyToSymbolAsync"}, place);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t size_bytes,
                                 std::size_t offset, cudaMemcpyKind) {
  RUNTIME_SYMBOL("cudaMemcpyFromSymbol")
  return runtime::copy(
      {to, at, size_bytes, cudaMemcpyDefault, nullptr, true, "cudaMemcpyFromSymbol"}, place);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t size_bytes,
                                      std::size_t offset, cudaMemcpyKind, cudaStream_t stream) {
  RUNTIME_SYMBOL("cudaMemcpyFromSymbolAsync")
  return runtime::copy(
      {to, at, size_bytes, cudaMemcpyDefault, stream, false, "cudaMemcpyFromSymbolAsync"}, place);
}
cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  const runtime::Variable* const variable = runtime::find_variable(symbol);
  if (variable == nullptr) {
    return runtime::finish(cudaErrorInvalidSymbol, "cudaGetSymbolAddress", RUNTIME_PLACE);
  }
  *pointer = reinterpret_cast<void*>(variable->address);
  return cudaSuccess;
}
cudaError_t cudaGetSymbolSize(std::size_t* size_bytes, const void* symbol) {
  const runtime::Variable* const variable = runtime::find_variable(symbol);
  if (variable == nullptr) {
    return runtime::finish(cudaErrorInvalidSymbol, "cudaGetSymbolSize", RUNTIME_PLACE);
  }
  *size_bytes = variable->size_bytes;
  return cudaSuccess;
}

}  // extern "C"
