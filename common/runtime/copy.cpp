// SPDX-License-Identifier: MIT
#include "copy.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "allocation.h"
#include "call.h"
#include "capture.h"
#include "connection.h"
#include "error_state.h"
#include "stream.h"
#include "waiting.h"

namespace runtime {
namespace {

bool is_hosts(const serve::Box& box) { return !memory::is_device(box.base); }

serve::Extent extent_of(const cudaExtent& extent) {
  return {extent.width, extent.height, extent.depth};
}

enum class Way { kToRing, kFromRing };

// Moves the dense bytes [offset, ...) of the host's own box.
void move(const serve::Box& box, const serve::Extent& extent, std::uint64_t offset, Way way) {
  const std::span<std::byte> data = Connection::get().data();
  const std::uint64_t end = std::min(*serve::dense_bytes(extent), offset + data.size());
  serve::for_rows(box, extent, offset, end,
                  [&](std::uint64_t address, std::uint64_t dense, std::uint64_t size) {
                    std::byte* const piece = data.data() + (dense - offset);
                    auto* const place = reinterpret_cast<std::byte*>(address);
                    if (way == Way::kToRing) {
                      std::memcpy(piece, place, size);
                    } else {
                      std::memcpy(place, piece, size);
                    }
                  });
}

void copy_within_host(const BoxCopy& copy) {
  for (std::size_t z = 0; z < copy.extent.depth; ++z) {
    for (std::size_t y = 0; y < copy.extent.height; ++y) {
      std::memmove(
          reinterpret_cast<void*>(copy.to.base + (z * copy.to.slice_rows + y) * copy.to.pitch),
          reinterpret_cast<const void*>(copy.from.base +
                                        (z * copy.from.slice_rows + y) * copy.from.pitch),
          copy.extent.width);
    }
  }
}

// What cannot be copied is refused by the device, before the host's memory is touched.
bool is_plausible(const BoxCopy& copy, const serve::Extent& extent) {
  return !serve::is_empty(extent) && serve::dense_bytes(extent) && serve::reach(copy.to, extent) &&
         serve::reach(copy.from, extent) && extent.width <= copy.to.pitch &&
         extent.width <= copy.from.pitch && copy.to.base != 0 && copy.from.base != 0;
}

cudaError_t carry_out(cudaStream_t stream, const BoxCopy& copy, std::uint32_t waits) {
  const serve::Extent extent = extent_of(copy.extent);
  serve::Copy command;
  command.to = copy.to;
  command.from = copy.from;
  command.extent = extent;
  command.stream = stream_number(stream);
  command.direction = static_cast<std::uint32_t>(copy.kind);
  command.waits = waits;
  command.to_host = is_hosts(copy.to) ? 1 : 0;
  command.from_host = is_hosts(copy.from) ? 1 : 0;
  command.at = caller_place();
  const bool is_whole = is_plausible(copy, extent);
  const bool sends = command.from_host != 0 && command.to_host == 0;
  const bool takes = command.to_host != 0 && command.from_host == 0;
  if (is_whole && sends && copy.kind != cudaMemcpyDeviceToDevice &&
      copy.kind != cudaMemcpyDeviceToHost) {
    move(copy.from, extent, 0, Way::kToRing);
  }
  const auto asked = ask(command);
  const std::string why(asked.tail);
  const cudaError_t error = set_last_error(asked.error);
  if (!why.empty()) explain_last_error(why);
  if (asked.error != cudaSuccess || !is_whole) return error;
  if (takes) move(copy.to, extent, 0, Way::kFromRing);
  if (!sends && !takes) {
    if (command.to_host != 0) copy_within_host(copy);
    return error;
  }
  const std::uint64_t all = *serve::dense_bytes(extent);
  for (std::uint64_t at = serve::kDataBytes; at < all; at += serve::kDataBytes) {
    if (sends) move(copy.from, extent, at, Way::kToRing);
    if (ask(serve::CopyMore{at}).error != cudaSuccess) break;
    if (takes) move(copy.to, extent, at, Way::kFromRing);
  }
  return error;
}

cudaError_t carry_out(cudaStream_t stream, const BoxFill& fill, std::uint32_t waits) {
  serve::Fill command;
  command.to = fill.to;
  command.extent = extent_of(fill.extent);
  command.stream = stream_number(stream);
  command.value = fill.value;
  command.element_bytes = fill.element_bytes;
  command.waits = waits;
  command.at = caller_place();
  return set_last_error(ask(command).error);
}

bool is_devices_only(std::uint64_t address) {
  return memory::is_device(address) &&
         !find_allocation(reinterpret_cast<const void*>(address)).is_hosts_too();
}

// Runs `operation` if the stream exists. Behind a kernel that waits for the host it runs later. A
// stream that captures takes it as a node, which is like `like`.
template <class Operation, class Like>
cudaError_t run_or_capture(cudaStream_t stream, cudaGraphNodeType type, const Operation& operation,
                           const Like& like, std::uint32_t waits) {
  if (!is_valid_stream(stream)) return set_last_error(cudaErrorInvalidResourceHandle);
  if (is_capturing(stream)) {
    return capture_work(stream, type, like, [=](cudaStream_t other) {
      return run_or_capture(other, type, operation, like, serve::kWaitsForNothing);
    });
  }
  if (const cudaError_t error = check_legacy_stream(stream); error != cudaSuccess) {
    return set_last_error(error);
  }
  if (is_behind_waiting(stream)) {
    run_behind_waiting([=] { carry_out(stream, operation, serve::kWaitsForNothing); });
    return set_last_error(cudaSuccess);
  }
  return carry_out(stream, operation, waits);
}

cudaMemsetParams bytes_of(void* pointer, int value, std::size_t pitch, std::size_t width,
                          std::size_t height) {
  return {pointer, pitch, static_cast<unsigned char>(value), 1, width, height};
}

BoxFill fill_of(const serve::Box& to, int value, const cudaExtent& extent) {
  return {to, extent, static_cast<unsigned char>(value), 1};
}

}  // namespace

cudaError_t copy_on(cudaStream_t stream, const BoxCopy& copy, const cudaMemcpy3DParms& like,
                    Host host) {
  std::uint32_t waits = serve::kWaitsForNothing;
  // Within the device's memory it returns at once: CUDA Runtime API, "API synchronization
  // behavior".
  const bool is_inside = is_devices_only(copy.to.base) && is_devices_only(copy.from.base);
  if (host == Host::kWaits && !is_inside) {
    if (const cudaError_t error = check_legacy_stream(nullptr); error != cudaSuccess) {
      return set_last_error(error);
    }
    if (is_behind_waiting(nullptr)) finish_waiting();
    // From pageable memory it returns once that has been read: CUDA Runtime API, "API
    // synchronization behavior". The bytes may still be on their way to the device.
    const bool is_staged = is_hosts(copy.from) && !is_hosts(copy.to);
    waits = serve::kWaitsBefore;
    if (!is_staged) waits |= serve::kWaitsAfter;
  }
  const bool is_plain = is_valid_stream(stream) && !is_capturing(stream);
  const bool is_pageable = is_hosts(copy.from) || is_hosts(copy.to);
  if (is_plain && is_pageable && is_behind_waiting(stream)) finish_waiting();
  if (is_plain && is_hosts(copy.to)) waits |= serve::kWaitsAfter;
  if (waits != serve::kWaitsForNothing) note_host_wait();
  return run_or_capture(stream, cudaGraphNodeTypeMemcpy, copy, like, waits);
}

cudaError_t fill_on(cudaStream_t stream, const BoxFill& fill, const cudaMemsetParams& like,
                    Host host) {
  // Fills that are not Async return at once, too, unless the host can reach the memory.
  const bool can_wait = host == Host::kWaits;
  return run_or_capture(stream, cudaGraphNodeTypeMemset, fill, like,
                        can_wait ? serve::kWaitsIfHostCanReach : serve::kWaitsForNothing);
}

cudaError_t fill_elements(const cudaMemsetParams& fill, cudaStream_t stream) {
  const std::size_t row_bytes = fill.width * fill.elementSize;
  const std::size_t pitch = fill.height > 1 ? fill.pitch : row_bytes;
  return fill_on(
      stream, {plane(fill.dst, pitch), {row_bytes, fill.height, 1}, fill.value, fill.elementSize},
      fill);
}

namespace {

cudaError_t copy_plain(void* destination, const void* source, std::size_t size_bytes,
                       cudaMemcpyKind kind, cudaStream_t stream, Host host) {
  return copy_on(
      stream, {plane(destination, size_bytes), plane(source, size_bytes), {size_bytes, 1, 1}, kind},
      plain_copy(destination, source, size_bytes, kind), host);
}

cudaError_t copy_rows(const BoxCopy& copy, cudaStream_t stream, Host host) {
  cudaMemcpy3DParms like = {};
  const std::size_t height = copy.extent.height;
  like.srcPtr = {reinterpret_cast<void*>(copy.from.base), copy.from.pitch, copy.from.pitch, height};
  like.dstPtr = {reinterpret_cast<void*>(copy.to.base), copy.to.pitch, copy.to.pitch, height};
  like.extent = copy.extent;
  like.kind = copy.kind;
  return copy_on(stream, copy, like, host);
}

}  // namespace
}  // namespace runtime

using namespace runtime;

cudaError_t cudaMemcpy(void* destination, const void* source, std::size_t size_bytes,
                       cudaMemcpyKind kind) {
  RUNTIME_CALL;
  return copy_plain(destination, source, size_bytes, kind, nullptr, Host::kWaits);
}

cudaError_t cudaMemcpyAsync(void* destination, const void* source, std::size_t size_bytes,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  RUNTIME_CALL;
  return copy_plain(destination, source, size_bytes, kind, stream, Host::kGoesOn);
}

cudaError_t cudaMemcpyPeer(void* destination, int destination_device, const void* source,
                           int source_device, std::size_t size_bytes) {
  RUNTIME_CALL;
  if (destination_device != 0 || source_device != 0) return set_last_error(cudaErrorInvalidDevice);
  return cudaMemcpy(destination, source, size_bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void* destination, int destination_device, const void* source,
                                int source_device, std::size_t size_bytes, cudaStream_t stream) {
  RUNTIME_CALL;
  if (destination_device != 0 || source_device != 0) return set_last_error(cudaErrorInvalidDevice);
  return cudaMemcpyAsync(destination, source, size_bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpy2D(void* destination, std::size_t destination_pitch, const void* source,
                         std::size_t source_pitch, std::size_t width_bytes, std::size_t height,
                         cudaMemcpyKind kind) {
  RUNTIME_CALL;
  return copy_rows({plane(destination, destination_pitch),
                    plane(source, source_pitch),
                    {width_bytes, height, 1},
                    kind},
                   nullptr, Host::kWaits);
}

cudaError_t cudaMemcpy2DAsync(void* destination, std::size_t destination_pitch, const void* source,
                              std::size_t source_pitch, std::size_t width_bytes, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  RUNTIME_CALL;
  return copy_rows({plane(destination, destination_pitch),
                    plane(source, source_pitch),
                    {width_bytes, height, 1},
                    kind},
                   stream, Host::kGoesOn);
}

cudaError_t cudaMemset(void* pointer, int byte_value, std::size_t size_bytes) {
  RUNTIME_CALL;
  return fill_on(nullptr, fill_of(plane(pointer, size_bytes), byte_value, {size_bytes, 1, 1}),
                 bytes_of(pointer, byte_value, size_bytes, size_bytes, 1), Host::kWaits);
}

cudaError_t cudaMemsetAsync(void* pointer, int byte_value, std::size_t size_bytes,
                            cudaStream_t stream) {
  RUNTIME_CALL;
  return fill_on(stream, fill_of(plane(pointer, size_bytes), byte_value, {size_bytes, 1, 1}),
                 bytes_of(pointer, byte_value, size_bytes, size_bytes, 1));
}

cudaError_t cudaMemset2D(void* pointer, std::size_t pitch, int byte_value, std::size_t width_bytes,
                         std::size_t height) {
  RUNTIME_CALL;
  return fill_on(nullptr, fill_of(plane(pointer, pitch), byte_value, {width_bytes, height, 1}),
                 bytes_of(pointer, byte_value, pitch, width_bytes, height), Host::kWaits);
}

cudaError_t cudaMemset2DAsync(void* pointer, std::size_t pitch, int byte_value,
                              std::size_t width_bytes, std::size_t height, cudaStream_t stream) {
  RUNTIME_CALL;
  return fill_on(stream, fill_of(plane(pointer, pitch), byte_value, {width_bytes, height, 1}),
                 bytes_of(pointer, byte_value, pitch, width_bytes, height));
}

cudaError_t cudaMemset3D(cudaPitchedPtr pitched, int byte_value, cudaExtent extent) {
  RUNTIME_CALL;
  return fill_on(nullptr, fill_of(box_at(pitched, {0, 0, 0}), byte_value, extent),
                 bytes_of(pitched.ptr, byte_value, pitched.pitch, extent.width, extent.height),
                 Host::kWaits);
}
