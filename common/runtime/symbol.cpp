// SPDX-License-Identifier: MIT
// __device__, __constant__ and __managed__ variables, seen from the host.
#include <string>

#include "call.h"
#include "copy.h"
#include "error_state.h"
#include "registry.h"
#include "stream.h"

namespace runtime {
namespace {

// The symbol's own room for size_bytes at `offset`, or an error, which is recorded.
cudaError_t locate(const void* symbol, std::size_t size_bytes, std::size_t offset,
                   cudaStream_t stream, void** place) {
  if (!is_valid_stream(stream)) return set_last_error(cudaErrorInvalidResourceHandle);
  const Variable* const variable = find_variable(symbol);
  if (variable == nullptr) return set_last_error(cudaErrorInvalidSymbol);
  if (offset > variable->size_bytes || size_bytes > variable->size_bytes - offset) {
    return set_last_error(cudaErrorInvalidValue, std::to_string(size_bytes) + " bytes from byte " +
                                                     std::to_string(offset) +
                                                     " of a variable that has " +
                                                     std::to_string(variable->size_bytes));
  }
  *place = reinterpret_cast<void*>(variable->address + offset);
  return cudaSuccess;
}

// As a piece of work of the stream, for which the host waits.
cudaError_t copy_symbol(cudaStream_t stream, void* destination, const void* source,
                        std::size_t size_bytes, cudaMemcpyKind kind) {
  const BoxCopy copy = {
      plane(destination, size_bytes), plane(source, size_bytes), {size_bytes, 1, 1}, kind};
  const cudaError_t error =
      copy_on(stream, copy, plain_copy(destination, source, size_bytes, kind));
  return error;
}

cudaError_t copy_to(const void* symbol, const void* source, std::size_t size_bytes,
                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  void* place = nullptr;
  const cudaError_t error = locate(symbol, size_bytes, offset, stream, &place);
  if (error != cudaSuccess) return error;
  if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
      kind != cudaMemcpyDefault) {
    return set_last_error(cudaErrorInvalidMemcpyDirection);
  }
  return copy_symbol(stream, place, source, size_bytes, kind);
}

cudaError_t copy_from(void* destination, const void* symbol, std::size_t size_bytes,
                      std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  void* place = nullptr;
  const cudaError_t error = locate(symbol, size_bytes, offset, stream, &place);
  if (error != cudaSuccess) return error;
  if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
      kind != cudaMemcpyDefault) {
    return set_last_error(cudaErrorInvalidMemcpyDirection);
  }
  return copy_symbol(stream, destination, place, size_bytes, kind);
}

// What is not Async has ended when it returns.
cudaError_t waited(cudaError_t error) {
  if (error == cudaSuccess) {
    note_host_wait();
    host_waits_for(nullptr);
  }
  return error;
}

}  // namespace
}  // namespace runtime

using namespace runtime;

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* source, std::size_t size_bytes,
                               std::size_t offset, cudaMemcpyKind kind) {
  RUNTIME_CALL;
  return waited(copy_to(symbol, source, size_bytes, offset, kind, nullptr));
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* source, std::size_t size_bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  RUNTIME_CALL;
  return copy_to(symbol, source, size_bytes, offset, kind, stream);
}

cudaError_t cudaMemcpyFromSymbol(void* destination, const void* symbol, std::size_t size_bytes,
                                 std::size_t offset, cudaMemcpyKind kind) {
  RUNTIME_CALL;
  return waited(copy_from(destination, symbol, size_bytes, offset, kind, nullptr));
}

cudaError_t cudaMemcpyFromSymbolAsync(void* destination, const void* symbol, std::size_t size_bytes,
                                      std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  RUNTIME_CALL;
  return copy_from(destination, symbol, size_bytes, offset, kind, stream);
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  RUNTIME_CALL;
  if (pointer == nullptr) return set_last_error(cudaErrorInvalidValue);
  const Variable* const variable = find_variable(symbol);
  if (variable == nullptr) return set_last_error(cudaErrorInvalidSymbol);
  *pointer = reinterpret_cast<void*>(variable->address);
  return set_last_error(cudaSuccess);
}

cudaError_t cudaGetSymbolSize(std::size_t* size_bytes, const void* symbol) {
  RUNTIME_CALL;
  if (size_bytes == nullptr) return set_last_error(cudaErrorInvalidValue);
  const Variable* const variable = find_variable(symbol);
  if (variable == nullptr) return set_last_error(cudaErrorInvalidSymbol);
  *size_bytes = variable->size_bytes;
  return set_last_error(cudaSuccess);
}
