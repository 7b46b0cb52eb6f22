// SPDX-License-Identifier: MIT
#include "pool.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "call.h"
#include "error_state.h"

struct CUmemPoolHandle_st {
  std::size_t max_bytes = SIZE_MAX;
  int follows_events = 1;
  int reuses_opportunistically = 1;
  int adds_dependencies = 1;
  std::uint64_t release_threshold = 0;
  std::uint64_t used = 0, used_high = 0;
  std::uint64_t reserved = 0, reserved_high = 0;  // from the device, in whole chunks
};

namespace runtime {
namespace {

constexpr std::uint64_t kChunkBytes = std::uint64_t{32} << 20;

struct Pools {
  CUmemPoolHandle_st standard;
  cudaMemPool_t current = &standard;
  std::set<cudaMemPool_t> created;
  struct Entry {
    cudaMemPool_t pool;  // null: it was destroyed
    std::size_t size_bytes;
  };
  std::map<const void*, Entry> entries;
};

Pools& pools() {
  static auto* const all = new Pools;  // outlives all users
  return *all;
}

std::uint64_t in_chunks(std::uint64_t bytes) {
  return (bytes + kChunkBytes - 1) / kChunkBytes * kChunkBytes;
}

// A pool gives back what exceeds its threshold.
void shrink(cudaMemPool_t pool, std::uint64_t kept) {
  pool->reserved = std::max(in_chunks(pool->used), in_chunks(std::min(pool->reserved, kept)));
}

}  // namespace

cudaMemPool_t current_pool() { return pools().current; }

bool is_valid_pool(cudaMemPool_t pool) {
  return pool == &pools().standard || pools().created.count(pool) != 0;
}

bool has_room(cudaMemPool_t pool, std::size_t size_bytes) {
  return size_bytes <= pool->max_bytes - std::min<std::uint64_t>(pool->used, pool->max_bytes);
}

void enter_in_pool(cudaMemPool_t pool, const void* pointer, std::size_t size_bytes) {
  if (pointer == nullptr) return;
  pools().entries[pointer] = {pool, size_bytes};
  pool->used += size_bytes;
  pool->used_high = std::max(pool->used_high, pool->used);
  pool->reserved = std::max(pool->reserved, in_chunks(pool->used));
  pool->reserved_high = std::max(pool->reserved_high, pool->reserved);
}

bool is_of_pool(const void* pointer) { return pools().entries.count(pointer) != 0; }

void leave_pool(const void* pointer) {
  const auto found = pools().entries.find(pointer);
  if (found == pools().entries.end()) return;
  if (const cudaMemPool_t pool = found->second.pool; pool != nullptr) {
    pool->used -= found->second.size_bytes;
    shrink(pool, pool->release_threshold);
  }
  pools().entries.erase(found);
}

}  // namespace runtime

namespace {

using namespace runtime;

bool is_own_device(const cudaMemLocation& location) {
  return location.type == cudaMemLocationTypeDevice && location.id == 0;
}

template <class T>
cudaError_t store(void* place, T value) {
  *static_cast<T*>(place) = value;
  return cudaSuccess;
}

// A high-water mark can only be reset.
cudaError_t reset(std::uint64_t& mark, const void* value, std::uint64_t current) {
  if (*static_cast<const std::uint64_t*>(value) != 0) return cudaErrorInvalidValue;
  mark = current;
  return cudaSuccess;
}

cudaError_t set_attribute(CUmemPoolHandle_st& pool, cudaMemPoolAttr attribute, const void* value) {
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
      pool.follows_events = *static_cast<const int*>(value);
      return cudaSuccess;
    case cudaMemPoolReuseAllowOpportunistic:
      pool.reuses_opportunistically = *static_cast<const int*>(value);
      return cudaSuccess;
    case cudaMemPoolReuseAllowInternalDependencies:
      pool.adds_dependencies = *static_cast<const int*>(value);
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
      pool.release_threshold = *static_cast<const std::uint64_t*>(value);
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
      return reset(pool.reserved_high, value, pool.reserved);
    case cudaMemPoolAttrUsedMemHigh:
      return reset(pool.used_high, value, pool.used);
    default:
      return cudaErrorInvalidValue;
  }
}

cudaError_t get_attribute(const CUmemPoolHandle_st& pool, cudaMemPoolAttr attribute, void* value) {
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
      return store(value, pool.follows_events);
    case cudaMemPoolReuseAllowOpportunistic:
      return store(value, pool.reuses_opportunistically);
    case cudaMemPoolReuseAllowInternalDependencies:
      return store(value, pool.adds_dependencies);
    case cudaMemPoolAttrReleaseThreshold:
      return store(value, pool.release_threshold);
    case cudaMemPoolAttrReservedMemCurrent:
      return store(value, pool.reserved);
    case cudaMemPoolAttrReservedMemHigh:
      return store(value, pool.reserved_high);
    case cudaMemPoolAttrUsedMemCurrent:
      return store(value, pool.used);
    case cudaMemPoolAttrUsedMemHigh:
      return store(value, pool.used_high);
  }
  return cudaErrorInvalidValue;
}

cudaError_t give_pool(cudaMemPool_t* pool, int device, cudaMemPool_t which) {
  if (pool == nullptr) return set_last_error(cudaErrorInvalidValue);
  if (device != 0) return set_last_error(cudaErrorInvalidDevice);
  *pool = which;
  return set_last_error(cudaSuccess);
}

}  // namespace

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  RUNTIME_CALL;
  if (pool == nullptr || properties == nullptr ||
      properties->allocType != cudaMemAllocationTypePinned ||
      properties->location.type != cudaMemLocationTypeDevice) {
    return set_last_error(cudaErrorInvalidValue);
  }
  if (properties->location.id != 0) return set_last_error(cudaErrorInvalidDevice);
  if (properties->handleTypes != cudaMemHandleTypeNone)
    return set_last_error(cudaErrorNotSupported);
  *pool = new CUmemPoolHandle_st;
  if (properties->maxSize != 0) (*pool)->max_bytes = properties->maxSize;
  pools().created.insert(*pool);
  return set_last_error(cudaSuccess);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  RUNTIME_CALL;
  if (pools().created.erase(pool) == 0) return set_last_error(cudaErrorInvalidValue);
  if (pools().current == pool) pools().current = &pools().standard;
  for (auto& [pointer, entry] : pools().entries) {
    if (entry.pool == pool) entry.pool = nullptr;
  }
  delete pool;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  RUNTIME_CALL;
  if (!is_valid_pool(pool) || value == nullptr) return set_last_error(cudaErrorInvalidValue);
  return set_last_error(set_attribute(*pool, attribute, value));
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  RUNTIME_CALL;
  if (!is_valid_pool(pool) || value == nullptr) return set_last_error(cudaErrorInvalidValue);
  return set_last_error(get_attribute(*pool, attribute, value));
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t min_bytes_to_keep) {
  RUNTIME_CALL;
  if (!is_valid_pool(pool)) return set_last_error(cudaErrorInvalidValue);
  shrink(pool, min_bytes_to_keep);
  return set_last_error(cudaSuccess);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* list,
                                 std::size_t count) {
  RUNTIME_CALL;
  if (!is_valid_pool(pool) || (list == nullptr && count != 0)) {
    return set_last_error(cudaErrorInvalidValue);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_kept = list[i].flags == cudaMemAccessFlagsProtReadWrite;
    if (!is_own_device(list[i].location) || !is_kept) return set_last_error(cudaErrorInvalidDevice);
  }
  return set_last_error(cudaSuccess);
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* location) {
  RUNTIME_CALL;
  if (!is_valid_pool(pool) || flags == nullptr || location == nullptr) {
    return set_last_error(cudaErrorInvalidValue);
  }
  if (!is_own_device(*location)) return set_last_error(cudaErrorInvalidDevice);
  *flags = cudaMemAccessFlagsProtReadWrite;
  return set_last_error(cudaSuccess);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  RUNTIME_CALL;
  return give_pool(pool, device, &pools().standard);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  RUNTIME_CALL;
  return give_pool(pool, device, pools().current);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  RUNTIME_CALL;
  if (device != 0) return set_last_error(cudaErrorInvalidDevice);
  if (!is_valid_pool(pool)) return set_last_error(cudaErrorInvalidValue);
  pools().current = pool;
  return set_last_error(cudaSuccess);
}
