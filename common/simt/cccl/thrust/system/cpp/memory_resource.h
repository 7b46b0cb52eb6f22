// SPDX-License-Identifier: MIT
// In the place of Thrust's header of that name: device_vector lies in memory of the emulated
// device, universal_vector in managed memory.
#pragma once

#include <thrust/detail/config.h>
#include <thrust/detail/pointer.h>
#include <thrust/detail/reference.h>
#include <thrust/iterator/detail/device_system_tag.h>
#include <thrust/mr/fancy_pointer_resource.h>
#include <thrust/mr/memory_resource.h>
#include <thrust/system/cpp/pointer.h>

#include <new>

#include "simt/device_room.h"

THRUST_NAMESPACE_BEGIN
namespace system::cpp {
namespace detail {

class device_resource final : public thrust::mr::memory_resource<> {
 public:
  void* do_allocate(std::size_t size_bytes, std::size_t) override {
    void* const room = simt::take_device_room(size_bytes);
    if (room == nullptr && size_bytes != 0) throw std::bad_alloc();
    return room;
  }
  void do_deallocate(void* room, std::size_t, std::size_t) override {
    simt::return_device_room(room);
  }
};

class managed_resource final : public thrust::mr::memory_resource<> {
 public:
  void* do_allocate(std::size_t size_bytes, std::size_t) override {
    void* room = nullptr;
    if (cudaMallocManaged(&room, size_bytes) != cudaSuccess) throw std::bad_alloc();
    return room;
  }
  void do_deallocate(void* room, std::size_t, std::size_t) override { cudaFree(room); }
};

}  // namespace detail

using memory_resource =
    thrust::mr::fancy_pointer_resource<detail::device_resource,
                                       thrust::pointer<void, thrust::device_system_tag>>;
using universal_memory_resource =
    thrust::mr::fancy_pointer_resource<detail::managed_resource,
                                       thrust::cpp::universal_pointer<void>>;
using universal_host_pinned_memory_resource = universal_memory_resource;

}  // namespace system::cpp
THRUST_NAMESPACE_END
