// SPDX-License-Identifier: MIT
// The emulated device's address space: one reserved range of addresses in which all device memory
// lies, and the book of what is allocated in it. The checkers ask here what an address is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simt/call_stack.h"

namespace simt {

// The range is at a fixed place, so that "is this a device address?" is one comparison and so that
// two runs see the same addresses. It is reserved without memory behind it; pages get memory at
// their first use.
#if defined(__x86_64__)
inline constexpr std::uintptr_t kDeviceBase = 0x2000'0000'0000;
#else  // some aarch64 systems have addresses of 39 bits
inline constexpr std::uintptr_t kDeviceBase = 0x20'0000'0000;
#endif
inline constexpr std::size_t kDeviceRangeBytes = std::size_t{16} << 30;
inline constexpr std::size_t kDeviceMemoryBytes = std::size_t{4} << 30;  // what programs can have
inline constexpr std::size_t kAllocationAlignment = 256;
inline constexpr std::size_t kRedZoneBytes = 256;  // least free room after an allocation

// What fresh memory holds, in words: a NaN as float and as double, an odd negative number as int.
inline constexpr std::uint32_t kPoisonWord = 0xFFF8DEAD;

inline bool is_device_address(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p) - kDeviceBase < kDeviceRangeBytes;
}

struct Allocation {
  enum class Kind { kDevice, kManaged, kPinnedHost, kSymbol, kExternal, kScratch, kDeviceHeap };

  std::byte* base = nullptr;
  std::size_t size_bytes = 0;
  std::string name;  // as a message calls it: "allocation 3", "d_in"
  Kind kind = Kind::kDevice;
  bool live = false;
  std::uint64_t id = 0;  // counts up from 1 in order of allocation
  CallStack made_by;     // of cudaMalloc and similar calls; else empty
  CallStack freed_by;
  std::uint64_t freed_as = 0;  // the number of the release() call; 0 if by none

  std::byte* end() const { return base + size_bytes; }
  bool contains(const void* p, std::size_t bytes = 1) const {
    const std::size_t offset =
        reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(base);
    return offset < size_bytes && bytes <= size_bytes - offset;
  }
  bool host_accessible() const { return kind == Kind::kManaged || kind == Kind::kPinnedHost; }
};

// What `p` belongs to: the live allocation that contains it; else the freed one that contained it;
// else the nearest one (for "12 bytes past the end of ..."), which is null when there is none at
// all. Ask contains() and live. The pointer is valid until allocation_version() changes.
const Allocation* find_allocation(const void* p);

// Whether `p` lies in live managed or pinned memory.
bool is_shared_with_host(const void* p);

// Changes with every allocation and release; lets a checker keep the last answer in a cache.
std::uint64_t allocation_version();

// All live allocations, oldest first (leak reports).
std::vector<const Allocation*> live_allocations();

// Takes room in the range and fills it with the poison pattern. Returns null when the presented
// device's memory is used up. size_bytes > 0.
void* allocate(std::size_t size_bytes, Allocation::Kind kind);

// A kernel is about to use [p, p + size_bytes) of a live allocation, and part of that was never
// written. The middle of a huge allocation gets its poison now, page by page; but a page that has
// memory behind it was used by unchecked code, and keeps its contents.
void poison_on_first_use(const void* p, std::size_t size_bytes);
bool has_unpoisoned_memory();  // of a huge allocation that is not all in use yet

// Ends an allocation of that kind. Its addresses are not used again for a long time (1024 frees at
// least, unless room is short), so that late accesses are recognised. Returns false if `p` is not
// the base of a live allocation of the kind.
bool release(void* p, Allocation::Kind kind);

// Enters memory outside the heap into the book: a symbol, registered host memory. A live allocation
// with the same base is replaced.
void register_allocation(void* p, std::size_t size_bytes, std::string name, Allocation::Kind kind);

// Worker: takes the address space of all device memory, and of the checkers' records about it, now
// instead of on first use. Ends the process with a line on stderr if the system refuses it.
void reserve_device_range();
void reserve_device_records();

// Worker: maps the judge's shared buffer arena inside the range; throws std::system_error. Nothing
// in it is accessible to kernels until declared.
void* map_shared(int fd, std::size_t size_bytes);

// Names part of the arena as one allocation. `initialised` says
// whether it may be read.
void declare_allocation(void* p, std::size_t size_bytes, const char* name, bool initialised,
                        Allocation::Kind kind = Allocation::Kind::kExternal);

// Room of that size for declared allocations, which hold poison; nothing else. Gives the same room
// again whenever it is large enough. Throws std::system_error.
void* scratch_room(std::size_t size_bytes);

// Ends the declared allocation at `p` in this room, if there is one, and poisons its bytes again.
// The next call gets them: to poison the whole room for each would take most of a short call's
// time.
void retire_scratch(void* p);

// Ends the declared allocation at `p`, if there is one.
void retire_allocation(void* p);

// Frees every allocation (cudaDeviceReset). Pinned host memory survives, as it does in CUDA.
void release_all();

// What malloc and new in kernels may take in all (cudaLimitMallocHeapSize).
std::size_t device_heap_bytes();

// Sets the protection (PROT_...) of all memory that has been given to the range.
void protect_device_memory(int protection);

// Live bytes, out of the presented kDeviceMemoryBytes.
std::size_t used_bytes();

// Called for everything the host API does to device memory, so that the checkers' shadow stays
// current.
class MemoryObserver {
 public:
  virtual ~MemoryObserver() = default;
  virtual void on_allocate(const Allocation& allocation, bool initialised) = 0;
  virtual void on_release(const Allocation& allocation) = 0;
  // cudaMemcpy to the device, cudaMemset: [p, p + size_bytes) now has contents.
  virtual void on_write(const void* p, std::size_t size_bytes) = 0;
  // cudaMemcpy to the host: [p, p + size_bytes) is about to be read.
  virtual void on_read(const void* p, std::size_t size_bytes) = 0;
  // Between two device allocations: uninitialised bytes stay uninitialised at their new place.
  virtual void on_copy(const void* destination, const void* source, std::size_t size_bytes) = 0;
};
void set_memory_observer(MemoryObserver* observer);  // null: none
MemoryObserver* memory_observer();

}  // namespace simt
