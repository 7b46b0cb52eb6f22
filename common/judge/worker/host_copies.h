// SPDX-License-Identifier: MIT
// Copies in host memory of buffers of the judge's, for functions whose contract takes host
// pointers.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <stdexcept>
#include <vector>

#include "protocol/wire.h"

namespace worker {

// The judge sent arguments that do not fit the function's signature.
class BadRequest : public std::logic_error {
  using std::logic_error::logic_error;
};

// The host copies of one call's arguments.
class HostCopies {
 public:
  // data: the batch's; must outlive this object. stream: where the caller fills what is pinned
  // before the call and reads it after; `waits`: it waits for the one before the call.
  HostCopies(std::vector<wire::HostData>& data, cudaStream_t stream, bool waits)
      : data_(data), stream_(stream), waits_(waits) {}

  // Copies the buffer that begins at `offset` of the arena, with its guard zones, and returns where
  // its copy begins: aligned as by malloc. Throws BadRequest if the request does not have it.
  std::byte* make(std::uint64_t offset);
  std::byte* make_pinned(std::uint64_t offset);

  // Has the stream read what is pinned, as a caller would that does not wait either.
  void read_pinned();
  // When all work is done: copies all of them back, including writes past their ends, which the
  // judge reports.
  void give_back();

 private:
  struct FreePinned {
    void operator()(std::byte* bytes) const { cudaFreeHost(bytes); }
  };
  using Pinned = std::unique_ptr<std::byte[], FreePinned>;
  struct Copy {
    wire::HostData* of;
    std::vector<std::byte> bytes;
    Pinned pinned = {};   // else in `bytes`
    Pinned callers = {};  // the same, where the caller has it before and after
  };
  static Pinned allocate_pinned(std::size_t size_bytes);
  wire::HostData& find(std::uint64_t offset);
  void copy_as_caller(const Pinned& to, const Pinned& from, std::size_t size_bytes);

  std::vector<wire::HostData>& data_;
  cudaStream_t stream_;
  bool waits_;
  std::list<Copy> copies_;
};

}  // namespace worker
