// SPDX-License-Identifier: MIT
#include "worker/host_copies.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "lab/cuda_error.cuh"
#include "worker/device.h"

namespace worker {
namespace {

// After the guard zone of a host array: a rung that writes a whole chunk too many overwrites this,
// and not the worker's own memory, so that the judge finds the damaged guard zone.
constexpr std::size_t kSlackBytes = std::size_t{1} << 16;

}  // namespace

HostCopies::Pinned HostCopies::allocate_pinned(std::size_t size_bytes) {
  std::byte* memory = nullptr;
  begin_callers_turn();
  const cudaError_t error = cudaMallocHost(&memory, size_bytes);
  end_callers_turn();
  lab::check(error);
  return Pinned(memory);
}

wire::HostData& HostCopies::find(std::uint64_t offset) {
  const auto data = std::ranges::find(data_, offset, &wire::HostData::offset_bytes);
  if (data == data_.end()) throw BadRequest("no host data for a buffer that begins there");
  return *data;
}

std::byte* HostCopies::make(std::uint64_t offset) {
  wire::HostData& data = find(offset);
  const std::size_t size_bytes = data.bytes.size();
  Copy& copy = copies_.emplace_back(Copy{&data, std::vector<std::byte>(size_bytes + kSlackBytes)});
  std::memcpy(copy.bytes.data(), data.bytes.data(), size_bytes);
  return copy.bytes.data() + wire::kGuardBytes;
}

std::byte* HostCopies::make_pinned(std::uint64_t offset) {
  wire::HostData& data = find(offset);
  const std::size_t size_bytes = data.bytes.size();
  Copy& copy = copies_.emplace_back(
      Copy{&data, {}, allocate_pinned(size_bytes), allocate_pinned(size_bytes)});
  std::memcpy(copy.callers.get(), data.bytes.data(), size_bytes);
  copy_as_caller(copy.pinned, copy.callers, size_bytes);
  if (waits_) lab::check(cudaStreamSynchronize(stream_));
  return copy.pinned.get() + wire::kGuardBytes;
}

void HostCopies::copy_as_caller(const Pinned& to, const Pinned& from, std::size_t size_bytes) {
  begin_callers_turn();
  const cudaError_t error =
      cudaMemcpyAsync(to.get(), from.get(), size_bytes, cudaMemcpyHostToHost, stream_);
  end_callers_turn();
  lab::check(error);
}

void HostCopies::read_pinned() {
  for (const Copy& copy : copies_) {
    if (copy.pinned == nullptr) continue;
    copy_as_caller(copy.callers, copy.pinned, copy.of->bytes.size());
  }
}

void HostCopies::give_back() {
  for (const Copy& copy : copies_) {
    const std::byte* const bytes = copy.pinned != nullptr ? copy.callers.get() : copy.bytes.data();
    std::memcpy(copy.of->bytes.data(), bytes, copy.of->bytes.size());
  }
}

}  // namespace worker
