// SPDX-License-Identifier: MIT
// __device__, __constant__ and __managed__ variables, seen from the host: a symbol is the address
// of the variable that stands for them in the program.
//   cudaErrorInvalidSymbol  no such variable: &symbol was passed instead of symbol, or a local one
//   cudaErrorInvalidValue   the bytes do not fit
#pragma once

#include <cstddef>

#include "lockstep/copy_api.h"

LOCKSTEP_API cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* source,
                                            std::size_t size_bytes, std::size_t offset = 0,
                                            cudaMemcpyKind kind = cudaMemcpyHostToDevice);
LOCKSTEP_API cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* source,
                                                 std::size_t size_bytes, std::size_t offset,
                                                 cudaMemcpyKind kind,
                                                 cudaStream_t stream = nullptr);
LOCKSTEP_API cudaError_t cudaMemcpyFromSymbol(void* destination, const void* symbol,
                                              std::size_t size_bytes, std::size_t offset = 0,
                                              cudaMemcpyKind kind = cudaMemcpyDeviceToHost);
LOCKSTEP_API cudaError_t cudaMemcpyFromSymbolAsync(void* destination, const void* symbol,
                                                   std::size_t size_bytes, std::size_t offset,
                                                   cudaMemcpyKind kind,
                                                   cudaStream_t stream = nullptr);
LOCKSTEP_API cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol);
LOCKSTEP_API cudaError_t cudaGetSymbolSize(std::size_t* size_bytes, const void* symbol);

namespace lockstep {

template <class T>
const void* symbol_of(const T& symbol) {
  return const_cast<const void*>(static_cast<const volatile void*>(__builtin_addressof(symbol)));
}

}  // namespace lockstep

template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* source, std::size_t size_bytes,
                               std::size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol(lockstep::symbol_of(symbol), source, size_bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* source, std::size_t size_bytes,
                                    std::size_t offset, cudaMemcpyKind kind,
                                    cudaStream_t stream = nullptr) {
  return cudaMemcpyToSymbolAsync(lockstep::symbol_of(symbol), source, size_bytes, offset, kind,
                                 stream);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* destination, const T& symbol, std::size_t size_bytes,
                                 std::size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(destination, lockstep::symbol_of(symbol), size_bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* destination, const T& symbol, std::size_t size_bytes,
                                      std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream = nullptr) {
  return cudaMemcpyFromSymbolAsync(destination, lockstep::symbol_of(symbol), size_bytes, offset,
                                   kind, stream);
}
template <class P, class T>
cudaError_t cudaGetSymbolAddress(P** pointer, const T& symbol) {
  return cudaGetSymbolAddress((void**)pointer, lockstep::symbol_of(symbol));
}
template <class T>
cudaError_t cudaGetSymbolSize(std::size_t* size_bytes, const T& symbol) {
  return cudaGetSymbolSize(size_bytes, lockstep::symbol_of(symbol));
}
