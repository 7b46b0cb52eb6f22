// SPDX-License-Identifier: MIT
// The book of what is allocated in device memory. The checks ask here what an address is.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "memory/address_map.h"

namespace memory {

struct HostPlace {  // of the user's file, as the host says; line 0: unknown
  std::string file;
  std::uint32_t line = 0;
  auto operator<=>(const HostPlace&) const = default;
};

struct Allocation {
  enum class Kind {
    kDevice,
    kManaged,
    kPinnedHost,
    kSymbol,
    kConstant,
    kExternal,
    kScratch,
    kDeviceHeap
  };

  std::uint64_t base = 0;
  std::uint64_t size_bytes = 0;
  std::string name;  // as a message calls it: "allocation 3", "d_in"
  Kind kind = Kind::kDevice;
  bool live = false;
  std::uint64_t id = 0;  // counts up from 1 in order of allocation
  HostPlace made_at;     // of cudaMalloc and similar calls
  HostPlace freed_at;
  std::uint64_t freed_as = 0;  // the number of the release() call; 0 if by none

  std::uint64_t end() const { return base + size_bytes; }
  bool contains(std::uint64_t address, std::uint64_t bytes = 1) const {
    const std::uint64_t offset = address - base;
    return offset < size_bytes && bytes <= size_bytes - offset;
  }
  bool is_hosts_too() const { return kind == Kind::kManaged || kind == Kind::kPinnedHost; }
};

// Takes the range of addresses now; ends the process with a line on stderr if the system refuses.
// shared_fd: of kSharedWithHostBytes that the host maps, too; -1: makes one.
void reserve(int shared_fd = -1);

// What the address belongs to: the live allocation that contains it; else the freed one that
// contained it; else the nearest one, which is null when there is none at all. The pointer is valid
// until version() changes.
const Allocation* find(std::uint64_t address);
std::uint64_t version();  // changes with every allocation and release

std::vector<const Allocation*> live_allocations();  // oldest first

// Takes room and fills it with the poison pattern, at first use where it is large. Returns 0 when
// the presented device's memory is used up. size_bytes > 0.
std::uint64_t allocate(std::uint64_t size_bytes, Allocation::Kind kind, const HostPlace& at);
// A kernel is about to use [address, address + size_bytes) of a live allocation, and part of that
// was never written: gives pages of a huge allocation their poison.
void poison_on_first_use(std::uint64_t address, std::uint64_t size_bytes);

// Ends an allocation of that kind. Its addresses are not used again for a long time. Returns false
// if `address` is not the base of a live allocation of the kind.
bool release(std::uint64_t address, Allocation::Kind kind, const HostPlace& at);
void release_all();  // cudaDeviceReset; pinned memory survives

// Room for memory of the host's own that it registers: at the same place of a page. `wanted`: where
// it must be, because other registered memory is on the same pages; 0: anywhere. The host maps the
// pages, with their contents. Returns 0 if there is no room.
std::uint64_t register_host(std::uint64_t host, std::uint64_t size_bytes, std::uint64_t wanted,
                            const HostPlace& at);
// False: `address` is not the base of such memory.
bool unregister_host(std::uint64_t address, const HostPlace& at);

// Maps the judge's arena (a file descriptor) inside the range and returns its address; throws
// std::system_error. Nothing in it is accessible to kernels until declared.
std::uint64_t map_arena(int fd, std::uint64_t size_bytes);
// The part that the host maps, too: a file descriptor of a memfd for the worker.
int shared_with_host_fd();
// Room for the __device__ and __constant__ variables of a module, filled with zeros; kept until the
// process ends. Declare each variable. Throws std::system_error.
std::uint64_t variable_room(std::uint64_t size_bytes);
// The same for a __managed__ variable, which has whole pages of its own that the host maps, too.
std::uint64_t managed_room(std::uint64_t size_bytes);

// Names part of memory as one allocation. `initialised`: it may be read.
void declare(std::uint64_t base, std::uint64_t size_bytes, std::string name, bool initialised,
             Allocation::Kind kind = Allocation::Kind::kExternal);
void retire(std::uint64_t base);
// Room of that size for declared scratch allocations; holds poison. The same room again whenever it
// is large enough.
std::uint64_t scratch_room(std::uint64_t size_bytes);
void retire_scratch(std::uint64_t base);  // and poisons its bytes again

std::uint64_t used_bytes();  // live, out of the presented kDeviceMemoryBytes

// Called for everything that happens to device memory outside of kernels, so that the checks'
// shadow stays current.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_allocate(const Allocation& allocation, bool initialised) = 0;
  virtual void on_release(const Allocation& allocation) = 0;
  // [address, address + size_bytes) now has contents.
  virtual void on_write(std::uint64_t address, std::uint64_t size_bytes) = 0;
  // It is about to be read by a copy to the host.
  virtual void on_read(std::uint64_t address, std::uint64_t size_bytes) = 0;
  // Uninitialised bytes stay uninitialised at their new place.
  virtual void on_copy(std::uint64_t to, std::uint64_t from, std::uint64_t size_bytes) = 0;
};
void set_observer(Observer* observer);  // null: none
Observer* observer();

}  // namespace memory
