// SPDX-License-Identifier: MIT
// __device__, __constant__ and __managed__ variables, seen from the host. They are plain globals of
// the program; one that is used here is entered into the book of allocations.
#pragma once

#include <cstddef>

#include "simt/copy_api.h"

namespace simt {

// Checks that [address, address + size_bytes) is a global of the program and enters it into the
// book. cudaErrorInvalidSymbol if it is not: &symbol was passed
// instead of symbol, or a local variable.
cudaError_t register_symbol(const void* address, std::size_t size_bytes);

// size_bytes at `offset` bytes into the symbol. cudaErrorInvalidValue if they do not fit.
cudaError_t copy_to_symbol(const void* symbol, std::size_t symbol_bytes, const void* source,
                           std::size_t size_bytes, std::size_t offset, cudaMemcpyKind kind,
                           cudaStream_t stream);
cudaError_t copy_from_symbol(void* destination, const void* symbol, std::size_t symbol_bytes,
                             std::size_t size_bytes, std::size_t offset, cudaMemcpyKind kind,
                             cudaStream_t stream);
cudaError_t symbol_address(void** pointer, const void* symbol, std::size_t symbol_bytes);

template <class T>
const void* symbol_of(const T& symbol) {
  return const_cast<const void*>(static_cast<const volatile void*>(__builtin_addressof(symbol)));
}

}  // namespace simt

template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* source, std::size_t size_bytes,
                               std::size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return simt::copy_to_symbol(simt::symbol_of(symbol), sizeof(T), source, size_bytes, offset, kind,
                              nullptr);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* source, std::size_t size_bytes,
                                    std::size_t offset, cudaMemcpyKind kind,
                                    cudaStream_t stream = nullptr) {
  return simt::copy_to_symbol(simt::symbol_of(symbol), sizeof(T), source, size_bytes, offset, kind,
                              stream);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* destination, const T& symbol, std::size_t size_bytes,
                                 std::size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return simt::copy_from_symbol(destination, simt::symbol_of(symbol), sizeof(T), size_bytes, offset,
                                kind, nullptr);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* destination, const T& symbol, std::size_t size_bytes,
                                      std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream = nullptr) {
  return simt::copy_from_symbol(destination, simt::symbol_of(symbol), sizeof(T), size_bytes, offset,
                                kind, stream);
}
template <class P, class T>
cudaError_t cudaGetSymbolAddress(P** pointer, const T& symbol) {
  return simt::symbol_address((void**)pointer, simt::symbol_of(symbol), sizeof(T));
}
template <class T>
cudaError_t cudaGetSymbolSize(std::size_t* size_bytes, const T& symbol) {
  *size_bytes = sizeof(T);
  return simt::set_last_error(simt::register_symbol(simt::symbol_of(symbol), sizeof(T)));
}
