// SPDX-License-Identifier: MIT
#include "capture.h"
#include "run/device_lock.h"
#include "run/stream_order.h"
#include "simt/memory.h"
#include "simt/symbol_api.h"

// The linker's bounds of the program's writable globals.
extern "C" char __data_start;
extern "C" char _end;

namespace simt {
namespace {

bool is_program_global(const void* address, std::size_t size_bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  return begin >= reinterpret_cast<std::uintptr_t>(&__data_start) &&
         begin + size_bytes <= reinterpret_cast<std::uintptr_t>(&_end);
}

// The symbol's own room for size_bytes at `offset`, or an error.
cudaError_t locate(const void* symbol, std::size_t symbol_bytes, std::size_t size_bytes,
                   std::size_t offset, cudaStream_t stream, char** place) {
  if (!is_valid_stream(stream)) return cudaErrorInvalidResourceHandle;
  const cudaError_t error = register_symbol(symbol, symbol_bytes);
  if (error != cudaSuccess) return error;
  if (offset > symbol_bytes || size_bytes > symbol_bytes - offset) return cudaErrorInvalidValue;
  *place = static_cast<char*>(const_cast<void*>(symbol)) + offset;
  return cudaSuccess;
}

// As a piece of work of the stream, for which the host waits.
cudaError_t copy_on(cudaStream_t stream, void* destination, const void* source,
                    std::size_t size_bytes, cudaMemcpyKind kind) {
  if (is_capturing(stream)) {
    return internal::capture_work(
        stream, cudaGraphNodeTypeMemcpy,
        internal::plain_copy(destination, source, size_bytes, kind),
        [=](cudaStream_t other) { return copy_on(other, destination, source, size_bytes, kind); });
  }
  if (const cudaError_t error = check_legacy_stream(stream); error != cudaSuccess) return error;
  if (internal::is_behind_unfinished(stream)) internal::host_waits_for(stream);
  internal::begin_work(stream);
  const cudaError_t error = copy(destination, source, size_bytes, kind);
  internal::end_work();
  internal::host_waits_for(stream);
  return error;
}

}  // namespace

cudaError_t register_symbol(const void* address, std::size_t size_bytes) {
  if (!is_program_global(address, size_bytes)) return cudaErrorInvalidSymbol;
  const Allocation* const known = find_allocation(address);
  const bool is_known = known != nullptr && known->live && known->base == address;
  if (!is_known) {
    register_allocation(const_cast<void*>(address), size_bytes, "a __device__ variable",
                        Allocation::Kind::kSymbol);
  }
  return cudaSuccess;
}

cudaError_t copy_to_symbol(const void* symbol, std::size_t symbol_bytes, const void* source,
                           std::size_t size_bytes, std::size_t offset, cudaMemcpyKind kind,
                           cudaStream_t stream) {
  const internal::DeviceLock lock;
  char* place = nullptr;
  cudaError_t error = locate(symbol, symbol_bytes, size_bytes, offset, stream, &place);
  if (error == cudaSuccess && kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
      kind != cudaMemcpyDefault) {
    error = cudaErrorInvalidMemcpyDirection;
  }
  if (error == cudaSuccess) error = copy_on(stream, place, source, size_bytes, kind);
  return set_last_error(error);
}

cudaError_t copy_from_symbol(void* destination, const void* symbol, std::size_t symbol_bytes,
                             std::size_t size_bytes, std::size_t offset, cudaMemcpyKind kind,
                             cudaStream_t stream) {
  const internal::DeviceLock lock;
  char* place = nullptr;
  cudaError_t error = locate(symbol, symbol_bytes, size_bytes, offset, stream, &place);
  if (error == cudaSuccess && kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
      kind != cudaMemcpyDefault) {
    error = cudaErrorInvalidMemcpyDirection;
  }
  if (error == cudaSuccess) error = copy_on(stream, destination, place, size_bytes, kind);
  return set_last_error(error);
}

cudaError_t symbol_address(void** pointer, const void* symbol, std::size_t symbol_bytes) {
  const internal::DeviceLock lock;
  if (pointer == nullptr) return set_last_error(cudaErrorInvalidValue);
  const cudaError_t error = register_symbol(symbol, symbol_bytes);
  if (error == cudaSuccess) *pointer = const_cast<void*>(symbol);
  return set_last_error(error);
}

}  // namespace simt
