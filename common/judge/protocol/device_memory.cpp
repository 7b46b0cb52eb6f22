// SPDX-License-Identifier: MIT
#include "protocol/device_memory.h"

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "lab/cuda_error.cuh"

namespace shared_device_memory {
namespace {

constexpr auto kHandleType = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

void check(CUresult result) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  throw std::runtime_error(std::string("shared device memory: ") +
                           (name != nullptr ? name : "unknown error"));
}

CUmemLocation current_device() {
  int device = 0;
  lab::check(cudaGetDevice(&device));
  lab::check(cudaFree(nullptr));  // the driver's calls need a context: this makes it
  CUmemLocation location{};
  location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  location.id = device;
  return location;
}

CUmemAllocationProp properties() {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = current_device();
  properties.requestedHandleTypes = kHandleType;
  return properties;
}

std::byte* map(CUmemGenericAllocationHandle handle, std::size_t size_bytes) {
  CUdeviceptr address = 0;
  check(cuMemAddressReserve(&address, size_bytes, 0, 0, 0));
  check(cuMemMap(address, size_bytes, 0, handle, 0));
  check(cuMemRelease(handle));  // the mapping keeps the memory
  CUmemAccessDesc access{};
  access.location = current_device();
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  check(cuMemSetAccess(address, size_bytes, &access, 1));
  return reinterpret_cast<std::byte*>(address);
}

}  // namespace

std::size_t mappable_bytes(std::size_t size_bytes) {
  std::size_t granularity = 0;
  const CUmemAllocationProp wanted = properties();
  check(cuMemGetAllocationGranularity(&granularity, &wanted, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
  return (size_bytes + granularity - 1) / granularity * granularity;
}

Exported create(std::size_t size_bytes) {
  CUmemGenericAllocationHandle handle = 0;
  const CUmemAllocationProp wanted = properties();
  check(cuMemCreate(&handle, size_bytes, &wanted, 0));
  int fd = -1;
  check(cuMemExportToShareableHandle(&fd, handle, kHandleType, 0));
  return {map(handle, size_bytes), fd};
}

std::byte* open(int fd, std::size_t size_bytes) {
  current_device();
  CUmemGenericAllocationHandle handle = 0;
  void* const descriptor = reinterpret_cast<void*>(static_cast<std::intptr_t>(fd));
  check(cuMemImportFromShareableHandle(&handle, descriptor, kHandleType));
  return map(handle, size_bytes);
}

void close(std::byte* d_base, std::size_t size_bytes) {
  const auto address = reinterpret_cast<CUdeviceptr>(d_base);
  cuMemUnmap(address, size_bytes);
  cuMemAddressFree(address, size_bytes);
}

}  // namespace shared_device_memory
